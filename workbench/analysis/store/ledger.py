"""What was read already, so that the next time reads only what is new. One JSON file, replaced whole or not at all."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from workbench.analysis.reading.ranges import Place, Range, RunSource
from workbench.analysis.store.version import tables_version

NAME = "ledger.json"


@dataclass(slots=True)
class FileState:
    """One trace file as far as it was read."""

    to_byte: int
    """One past the last complete entry."""
    next_seq: int
    """Sequence number that is due there."""
    torn_bytes: int = 0
    """Incomplete entry after it."""
    origin: list[int] | None = None
    """[node, incarnation] once an entry was read."""
    bad_byte: int | None = None
    """Where it stopped to make sense; None for a good file."""
    bad_why: str = ""
    newest_ns: int = 0
    """Time of the last entry."""

    @property
    def place(self) -> Place:
        """Where the next reading begins."""
        return Place.of([self.to_byte, self.next_seq, self.newest_ns, self.origin])


@dataclass(slots=True)
class RunState:
    """One run."""

    folder: str
    """Where it was read from."""
    start_ns: int
    until_ns: int | None = None
    """Later events of a run in progress are left out of its tables: what caused them may not have been read."""
    tables: str = ""
    """Which version of the tables was made from all that was read; empty when none was."""
    answers: list[list[str]] = field(default_factory=list)
    """[question, answer, right answer] as answers.json had them."""
    files: dict[str, FileState] = field(default_factory=dict)


@dataclass(slots=True)
class Ledger:
    """All that one version of the events holds."""

    reads: int = 0
    """How many readings were finished; the events of a later one are what an interrupted attempt left."""
    runs: dict[str, RunState] = field(default_factory=dict)
    gone: list[int] = field(default_factory=list)
    """Readings whose events stand in a later one; they are about to be deleted, or were."""

    def bad_files(self, runs: list[str]) -> list[tuple[str, str, int, str]]:
        """(run, file, byte, why) of each file that cannot be believed to its end."""
        return [
            (run, name, file.bad_byte, file.bad_why)
            for run in runs
            if run in self.runs
            for name, file in sorted(self.runs[run].files.items())
            if file.bad_byte is not None
        ]

    def stale(self, runs: list[str]) -> list[str]:
        """Those whose tables are not made from all that was read, or by other code."""
        return [run for run in runs if self.runs[run].tables != tables_version()]


def load_ledger(folder: Path) -> Ledger | None:
    """The ledger of a folder, empty when there is none; None for one that makes no sense."""
    try:
        plain = json.loads((folder / NAME).read_text("utf-8"))
        runs = {run: _run_state(state) for run, state in plain["runs"].items()}
        return Ledger(plain["reads"], runs, plain["gone"])
    except FileNotFoundError:
        return Ledger()
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _run_state(plain: dict[str, Any]) -> RunState:
    files = {name: FileState(**state) for name, state in plain.pop("files").items()}
    return RunState(**plain, files=files)


def save_ledger(folder: Path, ledger: Ledger) -> None:
    """Replace the file."""
    temporary = folder / f".{NAME}.{os.getpid()}"
    temporary.write_text(json.dumps(asdict(ledger), indent=1) + "\n", "utf-8")
    temporary.replace(folder / NAME)


def new_ranges(ledger: Ledger, sources: list[RunSource]) -> list[Range]:
    """What of these runs was not read yet. Files that are known to be bad are left alone."""
    ranges: list[Range] = []
    for source in sources:
        known = ledger.runs.get(source.run)
        files = known.files if known is not None else {}
        start_ns = known.start_ns if known is not None else source.start_ns
        for name in sorted({*files, *source.sizes}):
            state, size = files.get(name, FileState(0, 0)), source.sizes.get(name, -1)
            if state.bad_byte is not None or (name in files and size == state.to_byte + state.torn_bytes):
                continue
            path = str(source.folder / "trace" / name)
            ends = {"to_byte": size, "until_ns": source.until_ns, **state.place.start}
            ranges.append(Range(source.run, start_ns, path, name, entry_run=source.entry_run, **ends))
    return ranges


def is_settled(ledger: Ledger, source: RunSource) -> bool:
    """Whether nothing but events is new of a run that was read before."""
    state = ledger.runs.get(source.run)
    if state is None:
        return True
    is_over = state.until_ns is not None and not source.in_progress
    return not is_over and state.answers == list(map(list, source.answers))


def settle(ledger: Ledger, sources: list[RunSource]) -> bool:
    """Let the last events of runs that are over, and new answers, into the tables. Whether any run changed by that."""
    late = [source for source in sources if not is_settled(ledger, source)]
    for source in late:
        state = ledger.runs[source.run]
        state.until_ns = state.until_ns if source.in_progress else None
        state.answers, state.tables = list(map(list, source.answers)), ""
    return bool(late)


def are_one(readings: list[dict[str, Any]]) -> bool:
    """Whether pieces of files that were read apart say together what reading each file in one go would say."""
    by_file: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in readings:
        by_file.setdefault((row["run"], row["file"]), []).append(row)
    for pieces in by_file.values():
        pieces.sort(key=lambda row: row["from_byte"])
        if len({(row["node"], row["incarnation"]) for row in pieces}) > 1:
            return False
        if any(row["bad_byte"] is not None or row["torn_bytes"] for row in pieces[:-1]):
            return False
    return True


def note_readings(ledger: Ledger, sources: list[RunSource], readings: list[dict[str, Any]]) -> None:
    """Take in how a reading went: one row of trace.read each. Runs with something new lose their tables.

    A file that is bad stays so, though what comes after the bad byte may look good.
    """
    for source in sources:
        state = ledger.runs.setdefault(source.run, RunState(str(source.folder), source.start_ns))
        state.folder, state.answers = str(source.folder), list(map(list, source.answers))
    for row in sorted(readings, key=lambda row: row["from_byte"]):
        state = ledger.runs[row["run"]]
        state.tables, state.until_ns = "", row["until_ns"]
        before = state.files.get(row["file"])
        if before is not None and before.bad_byte is not None:
            continue
        origin = [row["node"], row["incarnation"]] if row["node"] is not None else before.origin if before else None
        state.files[row["file"]] = FileState(
            to_byte=row["to_byte"],
            next_seq=row["next_seq"],
            torn_bytes=row["torn_bytes"],
            origin=origin,
            bad_byte=row["bad_byte"],
            bad_why=row["bad_why"] or "",
            newest_ns=row["newest_ns"],
        )
