"""Figure: log end offset and high watermark of each replica over time."""

from __future__ import annotations

from itertools import pairwise

from workbench.analysis.report.drawing import FAINT, GRID, LEFT, RIGHT, WIDTH, Drawing, TimeAxis, legend, node_colour
from workbench.analysis.report.fault_lines import fault_lines
from workbench.analysis.report.rows import Row, RunRows

TOP, PLOT, FOOT = 14, 190, 46
POINTS_MAX = 2000
BANDS_MAX = 240
"""Stretches of time that tell their values under the pointer."""
LINES = 5


def positions(run: RunRows, topic: str, partition: int) -> str:
    """Solid steps: log end offset; dashed: high watermark. Both are exclusive. Lines are a little apart where equal."""
    rows = run.of("log_positions", topic, partition)
    nodes = sorted({row["node"] for row in rows})
    highest = max((row["log_end_offset"] for row in rows), default=0) or 1
    drawing = Drawing(TOP + PLOT + FOOT, f"Log ends and high watermarks of {topic}-{partition}")
    axis = TimeAxis(run.end_ms)
    axis.draw(drawing, TOP, TOP + PLOT)
    step = max(1, -(-highest // LINES))
    for offset in range(0, highest + 1, step):
        y = _y(offset, highest)
        drawing.line(LEFT, y, WIDTH - RIGHT, y, GRID)
        drawing.text(LEFT - 8, y + 4, offset, fill=FAINT, size=11, anchor="end")
    for place, node in enumerate(nodes):
        mine = [row for row in rows if row["node"] == node]
        shift = (place - (len(nodes) - 1) / 2) * 2.5
        colour = node_colour(node, run.nodes)
        ends = _points(axis, mine, "log_end_offset", highest, shift)
        drawing.steps(ends, colour, more='stroke-width="2.2"', title=f"broker {node}: log end offset")
        marks = _points(
            axis, [row for row in mine if row["high_watermark"] is not None], "high_watermark", highest, shift
        )
        more = 'stroke-width="1.6" stroke-dasharray="4 3"'
        drawing.steps(marks, colour, more=more, title=f"broker {node}: high watermark")
    fault_lines(drawing, axis, run.tables["faults"], TOP, TOP + PLOT)
    _tell_values(drawing, axis, rows)
    named = [(node_colour(node, run.nodes), f"broker {node}") for node in nodes[:8]]
    legend(drawing, TOP + PLOT + 36, [*named, (FAINT, "solid: log end offset; dashed: high watermark")])
    return str(drawing)


def _tell_values(drawing: Drawing, axis: TimeAxis, rows: list[Row]) -> None:
    """All values of each stretch of time between two changes, under the pointer; of very many changes only some."""
    times = sorted({row["t_ms"] for row in rows})
    kept = times[:: max(1, -(-len(times) // BANDS_MAX))]
    values: dict[int, Row] = {}
    place, ordered = 0, sorted(rows, key=lambda row: row["t_ms"])
    for begin, end in pairwise([*kept, axis.end_ms]):
        while place < len(ordered) and ordered[place]["t_ms"] <= begin:
            values[ordered[place]["node"]] = ordered[place]
            place += 1
        told = [f"broker {node} end {row['log_end_offset']}{_mark(row)}" for node, row in sorted(values.items())]
        title = f"from {begin / 1000:.3f} s: {'; '.join(told)}"
        x = axis.x(begin)
        drawing.box(x, TOP, axis.x(end) - x, PLOT, "transparent", title=title)


def _mark(row: Row) -> str:
    return "" if row["high_watermark"] is None else f", high watermark {row['high_watermark']}"


def _y(offset: float, highest: int) -> float:
    return TOP + PLOT - 6 - offset / highest * (PLOT - 14)


def _points(axis: TimeAxis, rows: list[Row], name: str, highest: int, shift: float) -> list[tuple[float, float]]:
    """The changes of one value, thinned to POINTS_MAX by leaving out every so many; the last one always stays."""
    changed = [
        row for before, row in zip([None, *rows], rows, strict=False) if before is None or before[name] != row[name]
    ]
    every = max(1, -(-len(changed) // POINTS_MAX))
    kept = [row for place, row in enumerate(changed) if place % every == 0 or place == len(changed) - 1]
    points = [(axis.x(row["t_ms"]), _y(row[name], highest) + shift) for row in kept]
    return [*points, (axis.x(axis.end_ms), points[-1][1])] if points else []
