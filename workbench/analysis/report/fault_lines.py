"""Where faults struck, in every figure with a time axis."""

from __future__ import annotations

from workbench.analysis.report.drawing import ALARM, Drawing, TimeAxis
from workbench.analysis.report.rows import Row

FAULTS_SHOWN = 40


def fault_lines(drawing: Drawing, axis: TimeAxis, faults: list[Row], top: float, bottom: float) -> list[float]:
    """A dashed line for each of the first FAULTS_SHOWN. Returns where each is, in the order of label_of."""
    places = []
    for row in shown(faults):
        x = axis.x(at(row))
        title = f"{at(row) / 1000:.3f} s: {row['command'] or row['kind']}"
        drawing.line(x, top, x, bottom, ALARM, more='stroke-dasharray="3 3"', title=title)
        places.append(x)
    return places


def shown(faults: list[Row]) -> list[Row]:
    """Those that have a time."""
    return [row for row in faults[:FAULTS_SHOWN] if (row["applied_ms"], row["injected_ms"]) != (None, None)]


def at(row: Row) -> float:
    """When it was in force, or was asked for, in ms of its run."""
    return float(row["applied_ms"] if row["applied_ms"] is not None else row["injected_ms"])
