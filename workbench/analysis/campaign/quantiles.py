"""How the runs of each cell spread: a lane for each cell, from its best run to the one that 99 of 100 stay below."""

from __future__ import annotations

from math import sqrt

from workbench.analysis.campaign.curves import round_up, tick
from workbench.analysis.campaign.measures import Kind, Measure
from workbench.analysis.campaign.summary import Estimate, Summary
from workbench.analysis.campaign.words import number
from workbench.analysis.report.drawing import FAINT, GRID, LEFT, NODE_COLOURS, RIGHT, WIDTH, Drawing

RUNS_MIN = 5
"""With fewer runs a quarter of them is no run."""
LANE, TOP, BOTTOM = 22.0, 8.0, 22.0
TONE = NODE_COLOURS[0]
LEGEND = (
    "Half of a cell's runs are in its box, the upright line is their median, "
    "the thin line goes from the smallest run to the one that 99 of 100 do not exceed; drawn by square root."
)


def quantiles(summary: Summary, measure: Measure) -> str:
    """The figure, as SVG; empty for a share, which has no spread, and where runs are too few."""
    estimates = [item for item in summary.of(measure.name) if item.runs >= RUNS_MIN]
    if measure.kind is Kind.SHARE or not estimates:
        return ""
    bottom = TOP + LANE * len(estimates)
    top = round_up(max(item.p99 for item in estimates))
    drawing = Drawing(bottom + BOTTOM, f"{measure.title}: how the runs of each cell spread")

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * sqrt(min(value / top, 1.0))

    for step in range(5):
        value = top * step * step / 16
        drawing.line(x(value), TOP, x(value), bottom, GRID)
        drawing.text(
            x(value), bottom + 16, tick(measure, value), fill=FAINT, size=12, anchor="end" if step == 4 else "middle"
        )
    for place, item in enumerate(estimates):
        y = TOP + LANE * (place + 0.5)
        drawing.lane(y + 4, ", ".join(level for _, level in item.cell.levels) or item.cell.title)
        drawing.line(x(item.least), y, x(item.p99), y, TONE, more='stroke-width="1.6"')
        drawing.box(x(item.p25), y - 6, x(item.p75) - x(item.p25), 12, TONE, title=_told(item))
        drawing.line(x(item.median), y - 8, x(item.median), y + 8, "var(--ink)", more='stroke-width="2.6"')
    return f"<figure>{drawing}<figcaption>{LEGEND}</figcaption></figure>"


def _told(item: Estimate) -> str:
    names = ("least", item.least), ("a quarter up to", item.p25), ("median", item.median)
    more = ("three quarters up to", item.p75), ("99 of 100 up to", item.p99)
    return f"{item.cell.title}: " + ", ".join(f"{name} {number(item.measure, value)}" for name, value in names + more)
