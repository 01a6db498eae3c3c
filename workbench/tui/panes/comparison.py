"""Overlay: two worlds on one time axis, where they part, what came of each, and both stories side by side."""

from __future__ import annotations

from rich.style import Style

from workbench.session.comparison import Figure, Row, World, Worlds
from workbench.session.comparison_lines import alike
from workbench.session.story.teller import Moment
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.modes import Comparison
from workbench.tui.panes.isr import LEFT
from workbench.tui.panes.world import Axis, draw_axis, draw_lanes, draw_world_head, draw_world_logs, replicas_of
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, FOCUS, GOOD, RAIL, SELECTED, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState

SIGNS = "AB"
BESIDE_FROM = 96
"""Columns from which the worlds stand side by side; else one above the other."""
WORD = 28
VALUE = 14
"""Columns of a figure of the first world, or as many as the longest needs."""
HAPPENED_LEAST = 3
"""Rows of the two stories, head included, that are kept whatever else is shown."""


def draw_comparison(area: Area, ui: UiState, shown: Comparison) -> None:
    """From the top: why, the first difference, the worlds, their logs, the outcome, the stories."""
    worlds = ui.worlds
    if worlds is None or worlds.are_gone:
        area.put(1, 0, "no two runs to compare", DIM)
        return
    worlds.look()
    y = _top(area, worlds)
    beside = area.width >= BESIDE_FROM
    axis, width = _axis(area, worlds, shown, beside=beside)
    rest = area.height - y
    y = _beside(area, y, ui, shown, axis, width) if beside else _stacked(area, y, ui, shown, axis)
    if rest > 12:
        y = _figures(area, y, worlds)
    _stories(area, y, ui, worlds, shown)


def _axis(area: Area, worlds: Worlds, shown: Comparison, *, beside: bool) -> tuple[Axis, int]:
    """From a little before the worlds part; the whole time once somebody looks farther back."""
    width = (area.width - 3) // 2 if beside else area.width
    from_ns = 0 if 0 <= shown.at_ns < worlds.from_ns else worlds.from_ns
    return Axis(from_ns, worlds.length_ns, width - LEFT - 1), width


def _top(area: Area, worlds: Worlds) -> int:
    """Why they are compared, and the first difference in one sentence for each; the row after it."""
    y = 0
    for line in wrap(worlds.caption, area.width - 2) if worlds.caption else []:
        area.put(1, y, line, TEXT)
        y += 1
    difference = worlds.difference
    if difference is None:
        for row, line in enumerate(wrap(alike(worlds), area.width - 2), start=y):
            area.put(1, row, line, WARN)
            y = row + 1
        return y
    x = area.put(1, y, f"First difference, {difference.since_ns / 1e9:.3f} s:  ", WARN)
    for sign, world, moment in zip(SIGNS, worlds.both, (difference.left, difference.right), strict=True):
        words = _said_of(world, moment, difference)
        cut = area.width - x - 5
        area.parts(x, y, (f"{sign}  ", FOCUS), (fit(words, cut), BRIGHT))
        y += 1
    return y


def _said_of(world: World, moment: Moment | None, difference: Row) -> str:
    if moment is None:
        return "nothing of it"
    later = world.since(moment.t_ns) - difference.since_ns
    return f"{moment.text}{f' (at {world.since(moment.t_ns) / 1e9:.3f} s)' if later > 1_000_000 else ''}"


def _rows_of_lanes(area: Area, worlds: Worlds) -> int:
    """Deeds, quorum and replicas; how many are in sync and marks where there is room."""
    replicas = max(len(replicas_of(world, worlds.partition)) for world in worlds.both)
    return min(replicas, 5) + (4 if area.height >= 28 else 2)


def _beside(area: Area, y: int, ui: UiState, shown: Comparison, axis: Axis, width: int) -> int:
    """Two columns; the row after them."""
    worlds = ui.worlds
    assert worlds is not None
    rows = _rows_of_lanes(area, worlds)
    has_logs = area.height >= 30
    logs = min(5, max(len(replicas_of(world, worlds.partition)) for world in worlds.both)) if has_logs else 0
    for place, world in enumerate(worlds.both):
        column = area.part(place * (width + 3), y, width, rows + 4 + logs)
        draw_world_head(column, SIGNS[place], world)
        draw_lanes(column.part(0, 1, width, rows), world, axis, worlds.partition, rows)
        draw_axis(column.part(0, rows + 1, width, 1), axis)
        _cursor(column, worlds, shown, axis, rows)
        if logs:
            _title(column.part(0, rows + 3, width, 1), "Logs", _when(worlds, world, shown))
            draw_world_logs(column.part(0, rows + 4, width, logs), world, worlds.partition, logs)
    for row in range(y, y + rows + 3 + (1 + logs if logs else 0)):
        area.put(width + 1, row, "\u2502", RAIL)
    return y + rows + 3 + (1 + logs if logs else 0)


def _stacked(area: Area, y: int, ui: UiState, shown: Comparison, axis: Axis) -> int:
    """Two bands; the row after them."""
    worlds = ui.worlds
    assert worlds is not None
    most = max(2, (area.height - y - 7) // 2 - 1)
    for place, world in enumerate(worlds.both):
        rows = min(most, 1 + len(replicas_of(world, worlds.partition)))
        band = area.part(0, y, area.width, rows + 2)
        draw_world_head(band, SIGNS[place], world)
        draw_lanes(band.part(0, 1, area.width, rows), world, axis, worlds.partition, rows)
        _cursor(band, worlds, shown, axis, rows)
        y += rows + 1
    draw_axis(area.part(0, y, area.width, 1), axis)
    return y + 1


def _cursor(area: Area, worlds: Worlds, shown: Comparison, axis: Axis, rows: int) -> None:
    """The moment in view across the lanes; where the worlds part, below them."""
    if shown.at_ns >= 0 and axis.from_ns <= shown.at_ns <= axis.to_ns:
        for row in range(1 + (rows > 1 + len(replicas_of(worlds.left, worlds.partition))), rows + 1):
            area.put(LEFT + axis.x(shown.at_ns), row, "\u2502", BRIGHT)
    difference = worlds.difference
    part_ns = worlds.parted_ns if worlds.parted_ns >= 0 else difference.since_ns if difference is not None else -1
    if part_ns < 0 or area.height < rows + 3:
        return
    x, words = LEFT + axis.x(part_ns), "the worlds part here"
    area.put(x, rows + 2, "\u25b4", WARN)
    area.put(x + 2 if x + 3 + len(words) < area.width else x - 1 - len(words), rows + 2, words, WARN)


def _when(worlds: Worlds, world: World, shown: Comparison) -> str:
    at_ns = world.length_ns if shown.at_ns < 0 else min(shown.at_ns, world.length_ns)
    ended = ", at its end" if at_ns >= world.length_ns else ""
    return f"{worlds.partition or 'no topic'} at {at_ns / 1e9:.3f} s{ended}"


def _title(area: Area, title: str, note: str = "") -> None:
    area.put(0, 0, "\u2500" * area.width, RAIL)
    area.parts(1, 0, (f" {title} ", BRIGHT), (f" {note} " if note else "", DIM))


def _figures(area: Area, y: int, worlds: Worlds) -> int:
    """What came of both; on a low screen only what differs, and that in few rows."""
    room = area.height - y - HAPPENED_LEAST - 1
    figures = worlds.figures
    if len(figures) > room:
        figures = sorted(figures, key=lambda item: (item.left == item.right, not item.is_loss))[: max(1, room)]
    if room < 1:
        return y
    lengths = " and ".join(f"{world.length_ns / 1e9:.1f} s" for world in worlds.both)
    _title(area.part(0, y, area.width, 1), "Outcome")
    value = max(VALUE, *(len(figure.left) + 2 for figure in figures))
    for x, sign in ((WORD + 1, SIGNS[0]), (WORD + 1 + value, SIGNS[1])):
        area.put(x, y, f" {sign} ", FOCUS)
    left = WORD + 1 + 2 * value
    says = (f" at the end of each, {lengths} ", f" at the end, {lengths} ", " at the end ")
    area.put(left, y, next((text for text in says if left + len(text) < area.width), ""), DIM)
    for place, figure in enumerate(figures, start=y + 1):
        _figure(area, place, figure, value)
    return y + 1 + len(figures)


def _figure(area: Area, y: int, figure: Figure, value: int) -> None:
    """value: columns of the first world's."""
    differs = figure.left != figure.right
    area.put(0, y, "\u258c" if differs else " ", WARN)
    area.put(2, y, figure.word, BRIGHT if differs else DIM)
    for x, text in ((WORD + 2, figure.left), (WORD + 2 + value, figure.right)):
        look: Style = BRIGHT if differs else DIM
        if figure.is_loss and differs:
            look = GOOD if text == "0" else BAD
        elif figure.is_loss and text != "0":
            look = BAD
        area.put(x, y, text, look)


def _stories(area: Area, y: int, ui: UiState, worlds: Worlds, shown: Comparison) -> None:
    """Both in time order, the rows from where they part first."""
    if area.height - y < 2:
        return
    rows = worlds.rows
    _title(area.part(0, y, area.width, 1), "What happened", f"{len(rows)} headlines of both")
    room = area.height - y - 1
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(rows) - 1))
    first = max(0, min(ui.overlay_scroll - room // 2, len(rows) - room))
    half = (area.width - 13) // 2
    for place, row in enumerate(rows[first : first + room]):
        is_chosen = first + place == ui.overlay_scroll
        area.put(1, y + 1 + place, f"{row.since_ns / 1e9:8.3f}", BRIGHT if is_chosen else FAINT)
        area.spot(0, y + 1 + place, area.width, 1, "row", first + place)
        _sentence(area, y + 1 + place, row, half, is_chosen=is_chosen)


def _sentence(area: Area, y: int, row: Row, half: int, *, is_chosen: bool) -> None:
    """What both say across the row, what one says in its column."""
    if row.left is not None and row.right is not None:
        text, look = row.left.text, SELECTED if is_chosen else DIM
        area.put(11, y, text[: 2 * half].ljust(2 * half if is_chosen else 0), look)
        return
    for x, moment in ((11, row.left), (12 + half, row.right)):
        if moment is None:
            continue
        text = f"{moment.glyph} {moment.text}".lstrip()
        text = fit(text, half - 1)
        look = SELECTED if is_chosen else TONES.get(moment.tone, TEXT)
        area.put(x, y, text.ljust(half - 1 if is_chosen else 0), look)
    area.put(11 + half - 1, y, "\u2502", RAIL)
