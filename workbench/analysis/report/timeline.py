"""Figure: who led each log in which epoch, vote rounds, faults, and when there was no leader."""

from __future__ import annotations

from workbench.analysis.report.drawing import (
    ALARM,
    FAINT,
    GRID,
    INK,
    LEFT,
    PAPER,
    RIGHT,
    WIDTH,
    Drawing,
    TimeAxis,
    legend,
    node_colour,
)
from workbench.analysis.report.fault_lines import fault_lines, shown
from workbench.analysis.report.rows import METADATA_TOPIC, Row, RunRows

LANE, GAP, TOP, FOOT = 24, 8, 44, 46
NO_LEADER = ("leaderless", "leader down", "leader paused")
"""Kinds of outage in which nothing can be written."""
FAULT_MAX = 34
"""Characters of a command above its line."""
_HALO = f'stroke="{PAPER}" stroke-opacity="0.85" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"'
"""Makes text readable on any colour, and on hatching."""
_HATCH = (
    '<defs><pattern id="none" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<rect width="6" height="6" fill="var(--pale)"/><rect width="2" height="6" fill="{ALARM}"/></pattern></defs>'
)


def timeline(run: RunRows, partitions: list[tuple[str, int]], *, has_quorum: bool = True) -> str:
    """One lane for each node that led the quorum, and one for each of these partitions."""
    quorum = run.of("leaderships", METADATA_TOPIC, 0)
    asked = {row["candidate"] for row in run.tables["vote_rounds"]}
    voters = sorted({row["leader"] for row in quorum} | asked) if has_quorum else []
    nodes = run.nodes
    bottom = TOP + (len(voters) + len(partitions)) * (LANE + GAP)
    drawing = Drawing(bottom + FOOT, "Leaders and epochs over time")
    drawing.shapes.append(_HATCH)
    axis = TimeAxis(run.end_ms)
    axis.draw(drawing, TOP - 6, bottom)
    y = float(TOP)
    gaps = [row for row in run.of("outages", METADATA_TOPIC, 0) if row["kind"] == "leaderless"]
    for row in gaps:
        _gap(drawing, axis, row, y, len(voters) * (LANE + GAP) - GAP)
    for voter in voters:
        drawing.lane(y + 16, f"quorum: node {voter}")
        drawing.line(LEFT, y + LANE, WIDTH - RIGHT, y + LANE, GRID)
        for row in quorum:
            if row["leader"] == voter:
                _office(drawing, axis, row, y, node_colour(voter, nodes), f"epoch {row['epoch']}")
        for row in run.tables["vote_rounds"]:
            if row["candidate"] == voter:
                _round(drawing, axis, row, y)
        y += LANE + GAP
    for topic, partition in partitions:
        drawing.lane(y + 16, f"{topic}-{partition}")
        for row in run.of("leaderships", topic, partition):
            _office(drawing, axis, row, y, node_colour(row["leader"], nodes), "")
        for row in run.of("outages", topic, partition):
            if row["kind"] in NO_LEADER:
                _gap(drawing, axis, row, y, LANE)
        for row in run.of("leaderships", topic, partition):
            _office_name(drawing, axis, row, y, f"broker {row['leader']}, epoch {row['epoch']}")
        y += LANE + GAP
    _faults(drawing, axis, run.tables["faults"], bottom)
    keys = [("url(#none)", "no leader that serves"), (INK, "binding vote round"), (FAINT, "pre-vote")]
    legend(drawing, bottom + 36, [*keys, (ALARM, "split, or no majority; dashed: a fault")])
    return str(drawing)


def _office(drawing: Drawing, axis: TimeAxis, row: Row, y: float, colour: str, label: str) -> None:
    x, until = axis.x(row["from_ms"]), axis.x(row["until_ms"])
    span = f"{row['from_ms'] / 1000:.3f} s to {row['until_ms'] / 1000:.3f} s"
    title = f"node {row['leader']}, epoch {row['epoch']}: {span}; ended by: {row['ended_by']}"
    drawing.box(x, y, until - x, LANE, colour, title=title, more='fill-opacity="0.82" rx="3"')
    if label:
        _office_name(drawing, axis, row, y, label)


def _office_name(drawing: Drawing, axis: TimeAxis, row: Row, y: float, label: str) -> None:
    x, until = axis.x(row["from_ms"]), axis.x(row["until_ms"])
    if until - x > 7 * len(label):
        drawing.text(x + 6, y + 16, label, more=_HALO)


def _gap(drawing: Drawing, axis: TimeAxis, row: Row, y: float, height: float) -> None:
    x, until = axis.x(row["from_ms"]), axis.x(row["until_ms"])
    title = f"{row['kind']} for {row['duration_ms']:.0f} ms"
    drawing.box(x, y, until - x, height, "url(#none)", title=title, more='fill-opacity="0.75"')


def _round(drawing: Drawing, axis: TimeAxis, row: Row, y: float) -> None:
    x = axis.x(row["started_ms"])
    colour = FAINT if row["pre_vote"] else INK if row["outcome"] in ("won", "beaten") else ALARM
    kind = "pre-vote" if row["pre_vote"] else "vote"
    title = f"{kind} for epoch {row['epoch']}: {row['outcome']}, {row['granted_count']} of {row['needed']} needed"
    drawing.line(x, y - 3, x, y + LANE + 3, colour, more='stroke-width="2"', title=title)


def _faults(drawing: Drawing, axis: TimeAxis, faults: list[Row], bottom: float) -> None:
    free = [-1e9, -1e9]
    for row, x in zip(shown(faults), fault_lines(drawing, axis, faults, TOP - 8, bottom), strict=True):
        label = str(row["command"] or f"{row['kind']} {row['arguments']}")
        label = label if len(label) <= FAULT_MAX else f"{label[: FAULT_MAX - 1]}\u2026"
        width = 6.4 * len(label) + 10
        start = min(x, WIDTH - width)
        for level, taken in enumerate(free):
            if start >= taken:
                drawing.text(start, TOP - 14 - 14 * level, label, fill=ALARM, size=11)
                free[level] = start + width
                break
