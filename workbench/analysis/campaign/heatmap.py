"""A heatmap as an HTML table: axes in its headings, a colour, a value and an interval in each cell."""

from __future__ import annotations

from math import log, sqrt

from workbench.analysis.campaign.measures import Kind, Measure
from workbench.analysis.campaign.plan import Axis
from workbench.analysis.campaign.summary import Estimate, Summary
from workbench.analysis.campaign.words import interval, number, spread_told
from workbench.analysis.report.drawing import words

RAMP = ("#fff8ee", "#fee2b8", "#fdbe85", "#f78b4d", "#dd5a2a", "#a83214", "#6f1b0c")
"""From little to much; it grows darker evenly, so it survives a grey printer and most colour blindness."""
DARK_FROM = 0.52
"""Above this the text is white."""
LOGARITHMIC_FROM = 30.0
"""A ratio of largest to smallest from which equal steps of colour are equal factors."""
LEGEND_STEPS = 5
_BAR = 76


class Scale:
    """Values of one measure to shades from 0 to 1."""

    def __init__(self, measure: Measure, found: list[Estimate]) -> None:
        positive = [item.value for item in found if item.value > 0]
        self.top = 1.0 if measure.kind is Kind.SHARE else max(positive, default=1.0)
        self.is_logarithmic = measure.kind is Kind.MEAN and self.top / min(positive, default=1.0) > LOGARITHMIC_FROM
        """Equal steps are equal factors."""
        self.bottom = min(positive) if self.is_logarithmic else 0.0
        """The lightest that is not nothing."""
        self.reach = max((item.high for item in found), default=1.0) or 1.0
        """Right end of the interval bars."""

    def shade(self, value: float) -> float:
        """0 is light."""
        if value <= self.bottom and not self.is_logarithmic or value <= 0:
            return 0.0
        if self.is_logarithmic:
            return 0.06 + 0.94 * log(value / self.bottom) / log(self.top / self.bottom)
        return min(1.0, value / self.top)

    def steps(self) -> list[float]:
        """Values for the legend."""
        if self.is_logarithmic:
            factor = (self.top / self.bottom) ** (1 / (LEGEND_STEPS - 1))
            return [self.bottom * factor**step for step in range(LEGEND_STEPS)]
        return [self.top * step / (LEGEND_STEPS - 1) for step in range(LEGEND_STEPS)]


def colour(shade: float) -> str:
    """A shade from 0 to 1 on the ramp."""
    place = min(max(shade, 0.0), 1.0) * (len(RAMP) - 1)
    first = min(int(place), len(RAMP) - 2)
    share = place - first
    ends = [[int(tone[start : start + 2], 16) for start in (1, 3, 5)] for tone in RAMP[first : first + 2]]
    mixed = [round(a + (b - a) * share) for a, b in zip(*ends, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def heatmap(summary: Summary, measure: Measure) -> str:
    """The grid of one measure."""
    campaign = summary.campaign
    scale = Scale(measure, summary.of(measure.name))
    across, grid = campaign.across, campaign.grid
    lines = _headings(campaign.rows, campaign.columns)
    group = len(across) // len(campaign.columns[0].levels) if len(campaign.columns) > 1 else len(across)
    begins = range(group, len(across), group)
    for place, (levels, line) in enumerate(grid):
        cells = [_row_heading(campaign.rows, levels, place, depth) for depth in range(len(campaign.rows))]
        for index, cell in enumerate(line):
            estimate = summary.at(measure.name, cell) if cell is not None else None
            cells.append(
                _hole(is_there=cell is not None) if estimate is None else _cell(estimate, scale, begins=index in begins)
            )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="wide"><table class="heat">{"".join(lines)}</table></div>{_legend(measure, scale)}'


def _headings(rows: tuple[Axis, ...], columns: tuple[Axis, ...]) -> list[str]:
    """A line with the axis' label and a line with its levels, for each axis that goes across."""
    total = 1
    for axis in columns:
        total *= len(axis.levels)
    corner = "".join(f'<th class="axis">{words(axis.label)}</th>' for axis in rows) or "<th></th>"
    blank = f'<th colspan="{max(1, len(rows))}"></th>'
    lines, repeats = [], 1
    for depth, axis in enumerate(columns):
        span = total // (repeats * len(axis.levels))
        label = f'<th class="axis" colspan="{total}">{words(axis.label)}</th>'
        lines.append(f"<tr>{blank}{label}</tr>")
        levels = "".join(f'<th colspan="{span}">{words(level)}</th>' for level in axis.levels) * repeats
        lines.append(f"<tr>{corner if depth == len(columns) - 1 else blank}{levels}</tr>")
        repeats *= len(axis.levels)
    return lines or [f"<tr>{corner}<th></th></tr>"]


def _row_heading(rows: tuple[Axis, ...], levels: tuple[str, ...], place: int, depth: int) -> str:
    """A level of a row; an outer one stands once for all rows it spans."""
    span = 1
    for axis in rows[depth + 1 :]:
        span *= len(axis.levels)
    if place % span:
        return ""
    return f'<th class="row" rowspan="{span}">{words(levels[depth])}</th>'


def _hole(*, is_there: bool) -> str:
    if is_there:
        return '<td class="hole" title="no run of this cell has a value">none</td>'
    return '<td class="hole" title="the fault needs more nodes than there are">&ndash;</td>'


def _cell(found: Estimate, scale: Scale, *, begins: bool) -> str:
    """One cell; one that begins a level of the outer axis keeps a distance."""
    shade = scale.shade(found.value)
    ink = "#ffffff" if shade > DARK_FROM else "#26190f"
    measure = found.measure
    title = f"cell {found.cell.number}: {found.cell.title}; {spread_told(found)}"
    if measure.kind is Kind.MEAN:
        title += f"; median {number(measure, found.median)}, 99 of 100 runs up to {number(measure, found.p99)}"
    if found.seed is not None:
        title += f"; seed {found.seed} shows it best"
    value = f"<b>{number(measure, found.value)}</b><i>{interval(found)}</i>{_bar(found, scale, ink)}"
    link = f'<a href="#cell-{found.cell.number}" style="color:{ink}" title="{words(title, 400)}">{value}</a>'
    kind = ' class="begins"' if begins else ""
    return f'<td{kind} style="background-color:{colour(shade)}">{link}</td>'


def _bar(found: Estimate, scale: Scale, ink: str) -> str:
    """The interval on a line that means the same in all cells of a figure; wide ones count little."""

    def place(value: float) -> float:
        share = min(max(value / scale.reach, 0.0), 1.0)
        return 3 + (_BAR - 6) * (sqrt(share) if scale.is_logarithmic else share)

    low, high, middle = place(found.low), place(found.high), place(found.value)
    line = f'<line x1="3" y1="5" x2="{_BAR - 3}" y2="5" stroke="{ink}" stroke-opacity=".25"/>'
    span = f'<line x1="{low:.1f}" y1="5" x2="{max(high, low + 0.5):.1f}" y2="5" stroke="{ink}" stroke-width="2.4"/>'
    if not found.has_interval:
        span = ""
    dot = f'<circle cx="{middle:.1f}" cy="5" r="2.9" fill="{ink}"/>'
    return f'<svg class="bar" viewBox="0 0 {_BAR} 10" aria-hidden="true">{line}{span}{dot}</svg>'


def _legend(measure: Measure, scale: Scale) -> str:
    boxes = "".join(
        f'<span class="key" style="background:{colour(scale.shade(value))};'
        f'color:{"#fff" if scale.shade(value) > DARK_FROM else "#26190f"}">{number(measure, value)}</span>'
        for value in scale.steps()
    )
    steps = "equal steps of colour are equal factors" if scale.is_logarithmic else "equal steps of colour are equal"
    bars = f"0 to {number(measure, scale.reach)}" + (", drawn by square root" if scale.is_logarithmic else "")
    note = f"{steps}; the line below each value is its 95 % interval on a scale of {bars}"
    return f'<p class="legend">{boxes}<span class="note">{note}</span></p>'
