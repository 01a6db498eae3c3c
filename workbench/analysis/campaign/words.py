"""Numbers and sentences of a campaign for people."""

from __future__ import annotations

from workbench.analysis.campaign.measures import Kind, Measure
from workbench.analysis.campaign.summary import Estimate, Summary
from workbench.analysis.report.html import many

CENT = 100
NO_INTERVAL = "1 run: no interval"


def number(measure: Measure, value: float) -> str:
    """A value of a measure with its unit: 12 %, 1.49 s, 0.35 ms, 20."""
    if measure.kind is Kind.SHARE:
        share = CENT * value
        return f"{share:.0f} %" if share in (0, CENT) or 10 <= share <= 90 else f"{share:.1f} %"
    if measure.unit == "ms":
        if value >= 1000:
            return f"{_digits(value / 1000)} s"
        return f"{_digits(value)} ms"
    return _digits(value)


def _digits(value: float) -> str:
    """Three digits are what such an estimate can bear."""
    if value == 0:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def interval(estimate: Estimate) -> str:
    """The interval in the same unit."""
    measure = estimate.measure
    if not estimate.has_interval:
        return NO_INTERVAL
    low, high = number(measure, estimate.low), number(measure, estimate.high)
    return low if low == high else f"{low} to {high}"


def spread_told(estimate: Estimate) -> str:
    """Of how many runs it is, with its interval."""
    spread = f"{many(estimate.runs, 'run')}; 95 % interval {interval(estimate)}"
    return spread if estimate.has_interval else NO_INTERVAL


def findings(summary: Summary, measure: Measure) -> list[str]:
    """What the numbers of one measure show, and what they cannot tell apart, in whole sentences."""
    items = summary.of(measure.name)
    if not items:
        return ["No run says anything about it."]
    if len(items) == 1:
        return [f"{_told(items[0])}."]
    top = max(items, key=lambda item: (item.value, -item.cell.number))
    bottom = min(items, key=lambda item: (item.value, item.cell.number))
    if top.value == 0 and measure.kind is Kind.SHARE:
        bound = number(measure, top.high)
        return [f"It happened in none of {many(sum(item.runs for item in items), 'run')}; in each cell it may still "
                f"happen in up to {bound} of runs."]  # fmt: skip
    if top.value == bottom.value:
        return [f"All cells show the same: {number(measure, top.value)}."]
    equal = sum(item.value == top.value for item in items) - 1
    beside = f"; the same in {many(equal, 'other cell')}" if equal else ""
    lines = [f"Most at {_told(top)}{beside}.", f"Least at {_told(bottom)}." if bottom.value else _never(items)]
    if not top.has_interval:
        return [*lines, "One run a cell does not tell any of these apart."]
    near = [item for item in items if item.value < top.value and item.high >= top.low]
    if near:
        lines.append(
            f"The interval of the largest value overlaps with that of {many(len(near), 'cell')} with less: "
            f"{many(top.runs, 'run')} a cell do not tell these apart."
        )
    return lines


def _told(item: Estimate) -> str:
    measure = item.measure
    if measure.kind is Kind.SHARE:
        text = f"{item.happened} of {many(item.runs, 'run')}, {number(measure, item.value)}"
    else:
        text = f"{number(measure, item.value)} on average (median {number(measure, item.median)})"
    if not item.has_interval:
        return f"{item.cell.title}: {number(measure, item.value)} ({NO_INTERVAL})"
    exact = item.low == item.high == item.value
    return f"{item.cell.title}: {text}" + (", the same in every run" if exact else f", 95 % interval {interval(item)}")


def _never(found: list[Estimate]) -> str:
    never = [item for item in found if item.value == 0]
    where = f"Nothing of it in {many(len(never), 'cell')}"
    if never[0].measure.kind is Kind.SHARE:
        bound = number(never[0].measure, max(item.high for item in never))
        return f"{where}; never seen in {many(never[0].runs, 'run')} is not never: up to {bound} is possible."
    return f"Least: {number(never[0].measure, 0)}, in {many(len(never), 'cell')}."
