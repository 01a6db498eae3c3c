"""Figures of values that change in steps: each replica's log end and high watermark, each group's consumer lag."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from workbench.analysis.report.drawing import (
    FAINT,
    GRID,
    LEFT,
    NODE_COLOURS,
    RIGHT,
    WIDTH,
    Drawing,
    TimeAxis,
    legend,
    node_colour,
)
from workbench.analysis.report.fault_lines import fault_lines
from workbench.analysis.report.rows import Row, RunRows

TOP, PLOT, FOOT = 14, 190, 46
POINTS_MAX = 2000
BANDS_MAX = 240
"""Stretches of time that tell their values under the pointer."""
LINES = 5
KEYS_MAX = 8
SOLID, DASHED = 'stroke-width="2.2"', 'stroke-width="1.6" stroke-dasharray="4 3"'


class Line(NamedTuple):
    """One value over time."""

    name: str
    """Whose value it is."""
    rows: list[Row]
    """In order of time; those in which it is null are left out."""
    column: str
    colour: str
    look: str
    """SOLID or DASHED."""
    shift: float
    """Pixels down, so that equal lines can be told apart."""

    @property
    def what(self) -> str:
        """Which value, in words."""
        return self.column.replace("_", " ")


def positions(run: RunRows, topic: str, partition: int) -> str:
    """Solid steps: log end offset; dashed: high watermark. Both are exclusive. Lines are a little apart where equal."""
    rows = run.of("log_positions", topic, partition)
    nodes = sorted({row["node"] for row in rows})
    lines = []
    for place, node in enumerate(nodes):
        mine = [row for row in rows if row["node"] == node]
        shift = (place - (len(nodes) - 1) / 2) * 2.5
        of_node = f"broker {node}", mine, node_colour(node, run.nodes), shift
        lines += [_line(*of_node, "log_end_offset", SOLID), _line(*of_node, "high_watermark", DASHED)]
    label = f"Log ends and high watermarks of {topic}-{partition}"
    return _plot(run, label, lines, "solid: log end offset; dashed: high watermark")


def consumer_lag(run: RunRows, group: str) -> str:
    """Solid steps: records that the group has not committed; dashed: that its members have not read."""
    rows = [row for row in run.tables["consumer_lag"] if row["group"] == group]
    lines = []
    for place, (topic, partition) in enumerate(sorted({(row["topic"], row["partition"]) for row in rows})):
        mine = [row for row in rows if (row["topic"], row["partition"]) == (topic, partition)]
        of_log = f"{topic}-{partition}", mine, NODE_COLOURS[place % len(NODE_COLOURS)], 2.0 * (place % 3 - 1)
        lines += [_line(*of_log, "lag", SOLID), _line(*of_log, "unread", DASHED)]
    return _plot(run, f"Consumer lag of {group}", lines, "solid: not committed; dashed: not read by built-in members")


def _line(name: str, rows: list[Row], colour: str, shift: float, column: str, look: str) -> Line:
    return Line(name, [row for row in rows if row[column] is not None], column, colour, look, shift)


def _plot(run: RunRows, label: str, lines: list[Line], note: str) -> str:
    highest = max((row[line.column] for line in lines for row in line.rows), default=0) or 1
    drawing = Drawing(TOP + PLOT + FOOT, label)
    axis = TimeAxis(run.end_ms)
    axis.draw(drawing, TOP, TOP + PLOT)
    for value in range(0, highest + 1, max(1, -(-highest // LINES))):
        y = _y(value, highest)
        drawing.line(LEFT, y, WIDTH - RIGHT, y, GRID)
        drawing.text(LEFT - 8, y + 4, value, fill=FAINT, size=11, anchor="end")
    for line in lines:
        drawing.steps(_points(axis, line, highest), line.colour, more=line.look, title=f"{line.name}: {line.what}")
    fault_lines(drawing, axis, run.tables["faults"], TOP, TOP + PLOT)
    _tell_values(drawing, axis, lines)
    named = [*{line.name: (line.colour, line.name) for line in lines}.values()]
    legend(drawing, TOP + PLOT + 36, [*named[:KEYS_MAX], (FAINT, note)])
    return str(drawing)


def _tell_values(drawing: Drawing, axis: TimeAxis, lines: list[Line]) -> None:
    """All values of each stretch of time between two changes, under the pointer; of very many changes only some."""
    changes = sorted(
        ((row["t_ms"], place, row[line.column]) for place, line in enumerate(lines) for row in line.rows),
        key=lambda change: change[0],
    )
    times = sorted({change[0] for change in changes})
    kept = times[:: max(1, -(-len(times) // BANDS_MAX))]
    values: dict[int, int] = {}
    done = 0
    for begin, end in pairwise([*kept, axis.end_ms]):
        while done < len(changes) and changes[done][0] <= begin:
            values[changes[done][1]] = changes[done][2]
            done += 1
        of_name: dict[str, list[str]] = {}
        for place, value in sorted(values.items()):
            of_name.setdefault(lines[place].name, []).append(f"{lines[place].what} {value}")
        title = "; ".join(f"{name} {', '.join(said)}" for name, said in of_name.items())
        x = axis.x(begin)
        drawing.box(x, TOP, axis.x(end) - x, PLOT, "transparent", title=f"from {begin / 1000:.3f} s: {title}")


def _y(value: float, highest: int) -> float:
    return TOP + PLOT - 6 - value / highest * (PLOT - 14)


def _points(axis: TimeAxis, line: Line, highest: int) -> list[tuple[float, float]]:
    """The changes of one value, thinned to POINTS_MAX by leaving out every so many; the last one always stays."""
    found = [(row["t_ms"], row[line.column]) for row in line.rows]
    changed = [now for before, now in zip([None, *found], found, strict=False) if before is None or before[1] != now[1]]
    every = max(1, -(-len(changed) // POINTS_MAX))
    kept = [point for place, point in enumerate(changed) if place % every == 0 or place == len(changed) - 1]
    points = [(axis.x(t_ms), _y(value, highest) + line.shift) for t_ms, value in kept]
    return [*points, (axis.x(axis.end_ms), points[-1][1])] if points else []
