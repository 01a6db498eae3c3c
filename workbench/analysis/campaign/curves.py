"""One measure along one axis of numbers: a line for each level of the other axis, with intervals."""

from __future__ import annotations

from collections.abc import Callable

from workbench.analysis.campaign.measures import Kind, Measure
from workbench.analysis.campaign.summary import Estimate, Summary
from workbench.analysis.campaign.words import number, spread_told
from workbench.analysis.report.drawing import FAINT, GRID, INK, LEFT, NODE_COLOURS, RIGHT, WIDTH, Drawing, legend

LEVELS_MIN = 4
HEIGHT, TOP, BOTTOM = 300.0, 16.0, 56.0
LINES_MAX = 8


def can_be_drawn(summary: Summary) -> bool:
    """Whether the columns are one axis of several numbers, and the rows few."""
    campaign = summary.campaign
    if len(campaign.columns) != 1 or len(campaign.rows) > 1:
        return False
    levels = campaign.columns[0].levels
    lines = len(campaign.rows[0].levels) if campaign.rows else 1
    return len(levels) >= LEVELS_MIN and lines <= LINES_MAX and all(_is_number(level) for level in levels)


def _is_number(level: str) -> bool:
    """A number, maybe with a word behind it."""
    return level.split(" ")[0].replace(".", "", 1).isdigit()


def curves(summary: Summary, measure: Measure) -> str:
    """The figure, as SVG. Levels stand side by side, not to scale."""
    axis = summary.campaign.columns[0]
    estimates = summary.of(measure.name)
    top = 1.0 if measure.kind is Kind.SHARE else round_up(max((item.high for item in estimates), default=1.0))
    drawing = Drawing(HEIGHT, f"{measure.title} by {axis.label}")

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * min(value / top, 1.0)

    for step in range(5):
        value = top * step / 4
        drawing.line(LEFT, y(value), WIDTH - RIGHT, y(value), GRID)
        drawing.text(LEFT - 8, y(value) + 4, tick(measure, value), fill=FAINT, size=12, anchor="end")
    places = {
        level: LEFT + (WIDTH - LEFT - RIGHT) * (index + 0.5) / len(axis.levels)
        for index, level in enumerate(axis.levels)
    }
    for level, x in places.items():
        drawing.text(x, HEIGHT - BOTTOM + 18, level, fill=INK, size=13, anchor="middle")
    drawing.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 36, axis.label, fill=FAINT, size=13, anchor="middle")
    rows = summary.campaign.rows
    names = rows[0].levels if rows else ("",)
    for index, name in enumerate(names):
        mine = [item for item in estimates if not rows or item.cell.level(rows[0].name) == name]
        shift = (index - (len(names) - 1) / 2) * 9
        _line(drawing, mine, {level: x + shift for level, x in places.items()}, y, NODE_COLOURS[index])
    if rows:
        legend(drawing, HEIGHT - 4, [(NODE_COLOURS[index], name) for index, name in enumerate(names)])
    return str(drawing)


def _line(
    drawing: Drawing, found: list[Estimate], places: dict[str, float], y: Callable[[float], float], tone: str
) -> None:
    axis = found[0].cell.levels[-1][0] if found else ""
    points = [(places[item.cell.level(axis)], item) for item in found]
    for (x, item), (next_x, following) in zip(points, points[1:], strict=False):
        drawing.line(x, y(item.value), next_x, y(following.value), tone, more='stroke-width="1.6" stroke-opacity=".55"')
    for x, item in points:
        title = f"{item.cell.title}: {number(item.measure, item.value)}; {spread_told(item)}"
        if item.has_interval:
            drawing.line(x, y(item.low), x, y(item.high), tone, more='stroke-width="2.6"', title=title)
            for end in (item.low, item.high):
                drawing.line(x - 4, y(end), x + 4, y(end), tone, more='stroke-width="1.6"')
        drawing.box(x - 3.5, y(item.value) - 3.5, 7, 7, tone, title=title, more='rx="3.5"')


def round_up(value: float) -> float:
    """The next of 1, 2, 4, 6, 8 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 1.0
    while power * 10 <= value:
        power *= 10
    while power > value:
        power /= 10
    return next(power * factor for factor in (1, 2, 4, 6, 8, 10) if power * factor >= value)


def tick(measure: Measure, value: float) -> str:
    """A round value of the axis."""
    if measure.kind is Kind.SHARE:
        return f"{100 * value:g} %"
    if measure.unit == "ms":
        return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms"
    return f"{value:g}"
