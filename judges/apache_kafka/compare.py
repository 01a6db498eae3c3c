"""Holds the worlds against one another: which answers are the same, which differ, and why."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from judges.apache_kafka.playing import KAFKA, SIMULATION, Played
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

MANIFEST = Path(__file__).with_name("explained.toml")
BYTES_MAX = 1 << 20
FIELDS = ("case", "what", "why")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A difference that is known, and why it is there."""

    case: str
    """A pattern of case names: p12*."""
    what: str
    """A pattern of what differs: high watermark of *."""
    why: str

    def fits(self, case: str, what: str) -> bool:
        """Whether it is about this difference."""
        return fnmatchcase(case, self.case) and fnmatchcase(what, self.what)


@dataclass(frozen=True, slots=True)
class Difference:
    """One answer that is not the same in every world."""

    after: str
    what: str
    seen: Mapping[str, str]
    """World to its answer."""
    why: str = ""
    """Empty when nobody has explained it."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of one script, or of one cluster of it, in all worlds."""

    name: str
    moments: int = 0
    same: int = 0
    """Answers that are equal in every world: states, and expectations of the script that held in each."""
    differences: tuple[Difference, ...] = ()
    not_judged: str = ""
    """Why it was not played; empty when it was."""
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def unexplained(self) -> int:
        """Differences without a reason."""
        return sum(not item.why for item in self.differences)


def explanations(path: Path = MANIFEST) -> tuple[Explanation, ...]:
    """The manifest. Refusal when it cannot be read or lacks a reason."""
    shown = safe_text(str(path), 200)
    try:
        plain = tomllib.loads(read_ordinary(path, BYTES_MAX).decode())
    except (OSError, ValueError) as error:
        raise Refusal(BAD_DATA, f"{shown} cannot be read: {safe_text(str(error), 200)}") from error
    rows = plain.get("difference", [])
    for row in rows if isinstance(rows, list) else [None]:
        if not isinstance(row, dict) or sorted(row) != sorted(FIELDS) or not all(map(_is_said, row.values())):
            raise Refusal(BAD_DATA, f"{shown}: each [[difference]] has {', '.join(FIELDS)}, all of them texts")
    return tuple(Explanation(**row) for row in rows)


def _is_said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def compared(name: str, worlds: Mapping[str, Played], known: Sequence[Explanation]) -> Compared:
    """One case that was played in each of these worlds."""
    found: list[Difference] = []
    same = 0
    for at, moments in enumerate(zip(*(played.moments for played in worlds.values()), strict=False)):
        after = moments[0].after
        for what in dict.fromkeys(what for moment in moments for what in moment.answers):
            seen = {world: moment.answers.get(what, "-") for world, moment in zip(worlds, moments, strict=True)}
            if len(set(seen.values())) == 1:
                same += 1
            else:
                found.append(Difference(f"{at + 1}. {after}", what, seen))
    counts = {world: len(played.moments) for world, played in worlds.items()}
    if len(set(counts.values())) > 1 and not any(played.failed for played in worlds.values()):
        found.append(Difference("", "moments that were reached", {world: str(n) for world, n in counts.items()}))
    if any(played.failed for played in worlds.values()):
        seen = {world: played.failed or "held" for world, played in worlds.items()}
        found.append(Difference("", "the script's expectations", seen))
    same += min(played.checked for played in worlds.values())
    differences = tuple(_explained(name, item, known) for item in found)
    left_out = tuple(worlds[KAFKA].left_out) if KAFKA in worlds else ()
    seconds = sum(played.seconds for played in worlds.values())
    return Compared(name, min(counts.values()), same, differences, left_out=left_out, seconds=seconds)


def _explained(name: str, item: Difference, known: Sequence[Explanation]) -> Difference:
    why = next((one.why for one in known if one.fits(name, item.what)), "")
    return Difference(item.after, item.what, item.seen, why)


def lines_of(case: Compared) -> list[str]:
    """One case for people."""
    if case.not_judged:
        return [f"{case.name}: not judged: {case.not_judged}"]
    head = f"{case.name}: {case.same} answers the same, {len(case.differences)} differ"
    if case.differences:
        head += f", {case.unexplained} unexplained"
    lines = [f"{head} ({case.moments} moments, {case.seconds:.0f} s)"]
    for item in case.differences:
        seen = ", ".join(f"{world} {value}" for world, value in item.seen.items())
        lines.append(f"  after {item.after}: {item.what}: {seen}" if item.after else f"  {item.what}: {seen}")
        lines.append(f"    {item.why or 'UNEXPLAINED'}")
    return lines


def as_plain(case: Compared) -> dict[str, object]:
    """One object for machines."""
    return {
        "case": case.name, "not_judged": case.not_judged, "moments": case.moments, "same": case.same,
        "unexplained": case.unexplained, "left_out": list(case.left_out), "seconds": round(case.seconds, 1),
        "differences": [
            {"after": item.after, "what": item.what, "seen": dict(item.seen), "why": item.why}
            for item in case.differences
        ],
    }  # fmt: skip


def page_of(version: str, worlds: Sequence[str], cases: Sequence[Compared]) -> str:
    """The page of the documentation: what was compared, what differs and why, what is not judged and why."""
    judged = [case for case in cases if not case.not_judged]
    same = sum(case.same for case in judged)
    differing = [item for case in judged for item in case.differences]
    out = [
        "# Apache Kafka beside us",
        "",
        "<!-- Made by `workbench against-kafka SCRIPT ... --page`. Do not edit. -->",
        "",
        f"The same scripts in {len(worlds)} worlds ({', '.join(worlds)}), with Apache Kafka {version} as the last. "
        f"{len(judged)} clusters were compared: {same} answers are the same in all worlds, {len(differing)} differ, "
        f"{sum(not item.why for item in differing)} of these without an explanation.",
        "",
        "Compared at each moment at which a script has waited for something: leader, leader epoch, partition epoch, "
        "ISR, ELR, the end, the high watermark and the epochs of each replica's log, and where controllers are "
        "touched the voters and whether somebody leads them; and each expectation of the script, errors that clients "
        "get among them. "
        f"Timers are the classroom's, in {SIMULATION} as they are, in real time longer. "
        "How it works and what it cannot see: [Apache Kafka beside us](../guide/apache-kafka.md).",
        "",
        "| cluster | moments | same | differ | unexplained | not asked of Kafka |",
        "|---|---|---|---|---|---|",
    ]
    for case in judged:
        out.append(
            f"| {case.name} | {case.moments} | {case.same} | {len(case.differences)} | {case.unexplained} "
            f"| {len(case.left_out)} |"
        )
    if differing:
        out += ["", "## What differs", ""]
        for case in judged:
            for item in case.differences:
                seen = ", ".join(f"{world} `{_cell(value)}`" for world, value in item.seen.items())
                place = f" after `{_cell(item.after)}`" if item.after else ""
                out.append(f"- **{case.name}**{place}, {item.what}: {seen}. {item.why or 'Not explained.'}")
    out += ["", "## Not judged", "", "| cluster | why |", "|---|---|"]
    out += [f"| {case.name} | {_cell(case.not_judged)} |" for case in cases if case.not_judged]
    return "\n".join(out) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("`", "'").replace("\n", " ")[:200]
