"""`workbench check RUN`: the verdict of each rule over a recorded run, as a table or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cluster.invariants.verdicts.ledger import ASSUMPTIONS
from cluster.invariants.verdicts.verdict import Broken, InvariantVerdict, Verdict, Violation
from cluster.model.entry import EventId
from cluster.model.events import RunStarted
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from cluster.trace.reader import TraceError, TraceStream
from workbench.runs.judgement import BAD, Judgement, Verdicts, judge
from workbench.runs.sealed import OFF, is_sealed
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name

HELD, NOT_HELD = 0, 1
PAGE_COLUMNS = 120
"""Width of a table that goes to a file or a pipe."""
SHOWN_MAX = 3
"""Violations of one rule that the table spells out; JSON gives all that were kept."""
STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.EXPECTED: "yellow",
    Verdict.UNEXPECTED_PASS: "bold magenta",
    Verdict.NOT_EVALUATED: "dim",
}


def check(folder: Path, *, as_json: bool, salvage: bool = False) -> int:
    """Judge a run and print it. 0 when nothing is violated, 1 when something is, Refusal 4 for a bad trace.

    A deadline that real processes missed may be the machine's: it is told as late, and violates nothing.
    """
    in_progress = is_alive(folder)
    refuse_sealed(folder)
    judgement = judge(folder, salvage=salvage)
    _warn(judgement, in_progress=in_progress)
    if as_json:
        print(json.dumps(as_plain(judgement, in_progress=in_progress)))
    else:
        _print(judgement)
    return HELD if judgement.is_good else NOT_HELD


def refuse_sealed(folder: Path) -> None:
    """Refusal for a run of a bug hunt, also for one whose title was changed: its trace has it too."""
    name = safe_text(folder.name, 80)
    with suppress(RunError):
        if is_sealed(read_facts(folder).title):
            raise Refusal(USAGE, f"{name} is {OFF}; workbench hunt NAME RULE SCRIPT.txt hands in")
    with suppress(TraceError, OSError):
        first = next((entry.event for entry in TraceStream(folder / "trace", salvage=True)), None)
        if isinstance(first, RunStarted) and is_sealed(first.title):
            raise Refusal(BAD_DATA, f"the title in run.json of {name} was changed: its trace says {OFF}")


def _warn(judgement: Judgement, *, in_progress: bool) -> None:
    notes = [f"a torn event of {size} bytes at the end of {name}" for name, size in sorted(judgement.torn.items())]
    for name, why in sorted(judgement.damaged.items()):
        notes.append(f"{name} turns to garbage, {why}; judged is what came before")
    for name, second in judgement.cut.items():
        notes.append(f"the end of {name} is missing: it stops at {second:.3f} s, and others name what came after")
    if judgement.cut:
        notes.append(f"the recording ends early: judged is what came before {min(judgement.cut.values()):.3f} s")
    if judgement.unknown:
        notes.append(f"{judgement.unknown} events of a newer version are left out")
    if in_progress:
        notes.append("the run is in progress: this is how it stands now")
    for note in notes:
        print(f"workbench: {safe_text(note, 200)}", file=sys.stderr)


def _print(judgement: Judgement) -> None:
    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = PAGE_COLUMNS
    name = safe_text(judgement.folder.name, 80)
    table = Table(title=Text(f"{name}: {judgement.entry_count} events"), title_justify="left")
    for name in ("rule", "what it says", "verdict"):
        table.add_column(name)
    table.add_column("checks", justify="right")
    table.add_column("broken", justify="right")
    for line in judgement.table:
        table.add_row(
            line.info.id,
            line.info.title,
            Text("LATE", STYLES[Verdict.EXPECTED])
            if line.info.id in judgement.late
            else Text(line.verdict, STYLES[line.verdict]),
            str(line.checks),
            str(line.violation_count or ""),
        )
    console.print(table)
    for line in judgement.table:
        _print_violations(console, line)
    for text in assumption_lines(judgement.ledger):
        console.print(Text(safe_text(text, 400)), soft_wrap=True)
    console.print(Text(Verdicts((judgement,)).line), soft_wrap=True)


def _print_violations(console: Console, line: InvariantVerdict) -> None:
    if line.verdict in BAD and not line.violations:
        console.print(Text(f"{line.info.id} was to be broken and was not", STYLES[line.verdict]))
    for violation in line.violations[:SHOWN_MAX]:
        style = STYLES[Verdict.VIOLATED if violation.broken is None else Verdict.EXPECTED]
        console.print(Text(f"{line.info.id} {safe_text(violation.sentence, 400)}", style), soft_wrap=True)
        console.print(Text(f"   {safe_text(_evidence(violation), 400)}"), soft_wrap=True)
    more = line.violation_count - len(line.violations[:SHOWN_MAX])
    if more > 0:
        console.print(Text(f"   and {more} more"))


def _evidence(violation: Violation) -> str:
    parts = [f"events {', '.join(map(event_name, violation.events))}"]
    if violation.record:
        parts.append(f"record {violation.record}")
    if violation.broken is not None:
        parts.append(f"expected since {event_name(violation.broken.event)}: {violation.broken.why}")
    return "; ".join(parts)


def assumption_lines(ledger: Iterable[Broken]) -> list[str]:
    """What did not hold, from when on and why. Partitions of one topic with one reason share a line."""
    groups: dict[tuple[str, str, str], list[Broken]] = {}
    for broken in ledger:
        topic = broken.scope.topic if broken.scope else ""
        groups.setdefault((broken.assumption, topic, broken.why), []).append(broken)
    lines = []
    for (assumption, topic, why), alike in groups.items():
        first = alike[0]
        where = f" ({first.scope})" if first.scope else ""
        if len(alike) > 1:
            where = f" ({len(alike)} partitions of {topic})"
        lines.append(f"{assumption}{where} does not hold from {event_name(first.event)} on: {why}")
    return lines


def event_name(event: EventId) -> str:
    """An event as it is named on screen: node, start, number."""
    return f"{node_name(event.node)}-{event.incarnation}#{event.seq}"


def as_plain(judgement: Judgement, *, in_progress: bool = False) -> dict[str, Any]:
    """One object for machines."""
    return {
        "run": judgement.folder.name,
        "events": judgement.entry_count,
        "in_progress": in_progress,
        "torn": judgement.torn,
        "damaged": judgement.damaged,
        "cut": judgement.cut,
        "unknown_events": judgement.unknown,
        "violated": [
            line.info.id
            for line in judgement.table
            if line.verdict is Verdict.VIOLATED and line.info.id not in judgement.late
        ],
        "late": sorted(judgement.late),
        "expected": [line.info.id for line in judgement.table if line.verdict is Verdict.EXPECTED],
        "rules": [_plain_line(line) for line in judgement.table],
        "assumptions": [
            {
                "assumption": item.assumption,
                "says": ASSUMPTIONS[item.assumption],
                "scope": str(item.scope) if item.scope else None,
                "event": list(item.event),
                "why": item.why,
            }
            for item in judgement.ledger
        ],
    }


def _plain_line(line: InvariantVerdict) -> dict[str, Any]:
    return {
        "rule": line.info.id,
        "title": line.info.title,
        "source": line.info.source,
        "verdict": str(line.verdict),
        "checks": line.checks,
        "violation_count": line.violation_count,
        "violations": [
            {
                "sentence": item.sentence,
                "events": [list(event) for event in item.events],
                "record": item.record,
                "broken": item.broken.assumption if item.broken else None,
                "broken_by": list(item.broken.event) if item.broken else None,
            }
            for item in line.violations
        ],
    }
