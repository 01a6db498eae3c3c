"""Which bytes of which trace files there are to read. Plain files, no Spark."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry
from cluster.ordinary_file import open_ordinary
from cluster.runtime.run.facts import RUN_ID
from cluster.runtime.run.folder import RunError, is_alive, read_facts, run_clock_ns
from cluster.trace.entry import ENTRY_BYTES_MAX, decode_entry
from cluster.trace.reader import CHUNK_BYTES, ENDING, TraceError, TraceFile
from workbench.course.progress import answers_of

DEPTH_MAX = 4
ANSWERS_MAX, ANSWER_MAX = 1000, 200
PIECE_MIN_BYTES = 8 << 20
"""Less than this is not worth a task of its own."""
PROCESSES = "processes"
FORMAT = "kraft_trace"
"""Name of the data source that reads recorded runs."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of one trace file, whole entries but for the last."""

    run: str
    """Which one, by its folder."""
    start_ns: int
    """First event of the run, on the monotonic clock."""
    path: str
    name: str
    """Of the file in the run's folder."""
    from_byte: int
    """Start of an entry."""
    to_byte: int
    """Exclusive. Before from_byte when the file is shorter than what was read of it; -1 when it is gone."""
    seq: int
    """Sequence number of the first entry."""
    origin: tuple[int, int] | None
    """(node, incarnation) when an earlier reading told."""
    until_ns: int | None = None
    """Clock before the sizes were looked at while the run went on; None for one that is over."""
    entry_run: str = ""
    """What every entry must call its run; empty when that is the same. A simulated run's events name its seed."""
    newest_ns: int = 0
    """Time of the entry before the first one: no clock goes back within one start."""

    @property
    def size(self) -> int:
        """In bytes."""
        return max(0, self.to_byte - self.from_byte)


@dataclass(frozen=True, slots=True)
class RunSource:
    """One recorded run."""

    run: str
    folder: Path
    start_ns: int
    until_ns: int | None
    """Clock before the sizes were looked at when a process of it is alive; None when it is over.

    Whatever caused an event up to there is within the sizes, for it was written before the event was.
    """
    sizes: dict[str, int]
    """Bytes of each trace file."""
    entry_run: str = ""
    """What its events call it; empty when that is its id."""
    answers: tuple[tuple[str, str, str], ...] = ()
    """(question, answer, right answer) as answers.json has them."""

    @property
    def in_progress(self) -> bool:
        """A process of it is alive."""
        return self.until_ns is not None


def examine(folder: Path) -> RunSource:
    """What there is to read of a run. RunError when its folder holds no event at all."""
    trace = folder / "trace"
    until_ns = run_clock_ns(folder) if is_alive(folder) else None
    try:
        with os.scandir(trace) as items:
            sizes = {item.name: item.stat().st_size for item in items if item.name.endswith(ENDING)}
    except OSError as error:
        raise RunError(f"its trace cannot be listed: {error.strerror}") from error
    first = [entry for name in sorted(sizes) if (entry := _first_entry(trace / name)) is not None]
    if not first and any(sizes.values()):
        raise RunError("no file of its trace begins with an event of ours")
    if not first:
        raise RunError("its trace holds no events; was the run ended before it began?")
    named = min(first, key=lambda entry: entry.t_ns).run
    try:
        facts = read_facts(folder)
        run, is_simulated = facts.id, facts.world != PROCESSES
    except RunError:
        run, is_simulated = named, False
    if not RUN_ID.fullmatch(run):
        raise RunError("its id is not one of ours")
    # Runs of one seed are the same to the byte, so their events cannot tell them apart; their folders do.
    entry_run = named if is_simulated and named != run else ""
    start_ns = min((entry.t_ns for entry in first if entry.run == (entry_run or run)), default=0)
    return RunSource(run, folder, start_ns, until_ns, dict(sorted(sizes.items())), entry_run, _answers(folder))


def _answers(folder: Path) -> tuple[tuple[str, str, str], ...]:
    """What answers.json says, as far as it makes sense."""
    answers = []
    for question, answer in sorted(answers_of(folder).items())[:ANSWERS_MAX]:
        if isinstance(answer, dict):
            words = question, answer.get("answer"), answer.get("right_answer")
            if all(isinstance(word, str) and len(word) <= ANSWER_MAX for word in words):
                answers.append((question, str(words[1]), str(words[2])))
    return tuple(answers)


def _first_entry(path: Path) -> Entry | None:
    """The first entry when it can be read; what is wrong with the others the reading will tell."""
    try:
        file = TraceFile(path)
    except (TraceError, OSError):
        return None
    try:
        if file.fill(min(os.fstat(file.handle).st_size, CHUNK_BYTES)):
            return next(file.take(), None)
    except TraceError:
        return None
    finally:
        os.close(file.handle)
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """Between two entries of a file, with all that the next one has to fit to."""

    byte: int = 0
    """Where the next entry begins."""
    seq: int = 0
    newest_ns: int = 0
    """Time of the entry before it."""
    origin: tuple[int, int] | None = None
    """(node, incarnation) of that one; None at the beginning."""
    size: int = 0
    """Bytes of the file when it was looked at: past byte is an incomplete entry. -1 when the file was gone."""

    @classmethod
    def of(cls, plain: list[Any] | None) -> Place:
        """The inverse of plain; the beginning for None."""
        if plain is None:
            return cls()
        byte, seq, newest_ns, origin, size = plain
        return cls(byte, seq, newest_ns, (origin[0], origin[1]) if origin else None, size)

    @property
    def plain(self) -> list[Any]:
        """As JSON has it."""
        return [self.byte, self.seq, self.newest_ns, list(self.origin) if self.origin else None, self.size]

    def now(self, path: Path) -> Place:
        """How far the file goes now, from here on."""
        try:
            return self if path.stat().st_size == self.size else hop(path, self)
        except FileNotFoundError:
            return replace(self, size=-1)
        except OSError:  # the reading says what it is instead of a file
            return replace(self, size=self.byte + 1)

    @property
    def start(self) -> dict[str, Any]:
        """The fields of a Range that begins here."""
        return {"from_byte": self.byte, "seq": self.seq, "newest_ns": self.newest_ns, "origin": self.origin}


def hop(path: Path, start: Place, until_byte: int | None = None) -> Place:
    """The end of the last complete entry from a place on; only lengths are looked at, and into the last one.

    What cannot be is left to the reading, which names it: from an impossible length on everything is one entry.

    Args:
        until_byte: the first entry that ends here or later is the last one; None goes on to the end of the file.
    """
    count, position, last_byte = 0, start.byte, start.byte
    handle = open_ordinary(path, follow=True)
    with os.fdopen(handle, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        last = size if until_byte is None else min(size, until_byte)
        while size - position >= 4 and position < last:
            file.seek(position)
            length = int.from_bytes(file.read(4), "big")
            if not 0 < length <= ENTRY_BYTES_MAX:
                return replace(start, byte=size, seq=start.seq + count + 1, size=size)
            after = position + 4 + length
            if after > size:
                break
            last_byte, position, count = position, after, count + 1
        if not count:
            return replace(start, size=size)
        file.seek(last_byte + 4)
        try:
            entry = decode_entry(file.read(position - last_byte - 4))
        except DecodeError:
            return replace(start, byte=position, seq=start.seq + count, size=size)
    return Place(position, start.seq + count, entry.t_ns, (entry.node, entry.incarnation), size)


def cut_up(ranges: list[Range], shares: int) -> list[Range]:
    """The same bytes: ranges that would keep one task busy long after the others are cut between entries."""
    fair = max(PIECE_MIN_BYTES, sum(item.size for item in ranges) // max(1, shares))
    out: list[Range] = []
    for item in ranges:
        rest, place = item, Place(item.from_byte, item.seq, item.newest_ns, item.origin)
        while rest.size > fair + fair // 2:
            try:
                place = hop(Path(rest.path), place, rest.from_byte + fair)
            except OSError:
                break
            if not rest.from_byte < place.byte < rest.to_byte:
                break
            out.append(replace(rest, to_byte=place.byte))
            rest = replace(rest, **place.start)
        out.append(rest)
    return out


def spread(ranges: list[Range], shares: int) -> list[list[Range]]:
    """The ranges in at most `shares` lists of about equal bytes, biggest first into the emptiest."""
    out: list[list[Range]] = [[] for _ in range(max(1, min(shares, len(ranges))))]
    filled = [0] * len(out)
    for item in sorted(ranges, key=lambda item: (-item.size, item.path)):
        place = filled.index(min(filled))
        out[place].append(item)
        filled[place] += item.size
    return out


def find_folders(root: Path) -> list[Path]:
    """All folders below root that hold a trace, root included, at most DEPTH_MAX floors down, in name order."""
    folders: list[Path] = []
    level = [root]
    for _ in range(DEPTH_MAX + 1):
        deeper: list[Path] = []
        for folder in level:
            if (folder / "trace").is_dir():
                folders.append(folder)
                continue
            try:
                deeper += sorted(item for item in folder.iterdir() if item.is_dir() and not item.is_symlink())
            except OSError:
                continue
        level = deeper
    return sorted(folders)
