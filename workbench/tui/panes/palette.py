"""Overlay: everything that can be found by its name, with the key beside it."""

from __future__ import annotations

from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.modes import Choice, Palette
from workbench.tui.theme.palette import BAR_KEY, CARET, DIM, INPUT, SELECTED, TEXT, TITLE, WARN
from workbench.tui.ui_state import UiState

KEY_WIDTH = 8
DETAIL_ROWS = 2


def draw_palette(area: Area, ui: UiState, palette: Palette) -> None:
    """What is typed, what fits it by group, the sentence of the chosen one, and what enter and tab do."""
    query = safe_text(palette.query[-(area.width - 30) :])
    area.part(0, 0, area.width, 1).clear(INPUT)
    end = area.parts(1, 0, ("> ", INPUT), (query, INPUT))
    area.put(end, 0, " ", CARET)
    area.right(0, f"{len(palette.found)} of {palette.count}, type for fewer ", DIM)
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(palette.found) - 1))
    if not palette.found:
        area.put(1, 2, "nothing is called so", WARN)
        return
    rows = _rows(palette.found)
    height = area.height - DETAIL_ROWS - 3
    chosen = rows.index(ui.overlay_scroll)
    first = max(0, min(chosen - height // 2, len(rows) - height))
    middle = area.width - KEY_WIDTH - min(40, area.width // 3)
    for y, row in enumerate(rows[first : first + height], start=2):
        if isinstance(row, str):
            area.put(1, y, row, TITLE)
            continue
        choice = palette.found[row]
        look = SELECTED if row == ui.overlay_scroll else TEXT
        area.put(1, y, " " * (area.width - 2), look)
        area.put(2, y, _cut(choice.text, middle - 4), look)
        area.put(middle, y, _cut(choice.line, area.width - KEY_WIDTH - middle - 1), look)
        if choice.key:
            area.right(y, f"{choice.key} ", look if row == ui.overlay_scroll else BAR_KEY)
        area.spot(0, y, area.width, 1, "row", row)
    text = wrap(safe_text(palette.found[ui.overlay_scroll].text, 300), area.width - 2)[:DETAIL_ROWS]
    for y, line in enumerate(text, start=area.height - DETAIL_ROWS):
        area.put(1, y, line, DIM)


def rows_wanted(palette: Palette) -> int:
    """Rows that show all that was found."""
    return len(_rows(palette.found)) + DETAIL_ROWS + 3


def _rows(choices: tuple[Choice, ...]) -> list[str | int]:
    """Headings, and places in the list."""
    rows: list[str | int] = []
    for place, choice in enumerate(choices):
        if not place or choices[place - 1].group != choice.group:
            rows.append(choice.group)
        rows.append(place)
    return rows


def _cut(text: str, room: int) -> str:
    shown = safe_text(text, 300)
    return fit(shown, room)
