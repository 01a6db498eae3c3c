"""Pane 1: the step of the lesson, its button, its question."""

from __future__ import annotations

from workbench.tui.canvas import Area, wrap
from workbench.tui.palette import BRIGHT, DIM, EPOCHS, GOOD, RAISED, TEXT, TITLE, WARN, style
from workbench.tui.ui_state import UiState

BUTTON = style("bright", "#24507a", bold=True)
CHOSEN = style("#06110c", EPOCHS[3], bold=True)


def draw_lesson(area: Area, ui: UiState) -> None:
    """Heading and prose from the top; button, question and reveal below."""
    page, width = ui.page, area.width - 2
    y = 0
    if page.steps:
        dots = "\u25cf" * page.step + "\u25cb" * (page.steps - page.step)
        area.put(1, y, f"step {page.step}/{page.steps} "[:width], DIM)
        area.put(max(1, area.width - len(dots) - 1), y, dots if len(dots) < width - 12 else "", DIM)
        y += 1
    for line in wrap(page.heading, width):
        area.put(1, y, line, TITLE)
        y += 1
    y += 1
    low = area.height - _bottom_height(ui, width)
    for line in wrap(page.prose, width):
        if y >= low:
            area.put(1, low - 1, "\u2026 1 shows all", DIM)
            break
        area.put(1, y, line, TEXT)
        y += 1
    _bottom(area, ui, max(low, y + 1))


def _bottom_height(ui: UiState, width: int) -> int:
    page = ui.page
    rows = len(wrap(page.question, width)) + len(page.choices) + 1 if page.question else 0
    rows += len(wrap(page.reveal, width)) + 1 if page.reveal and page.answered else 0
    return rows + (2 if page.command else 0) + (1 if page.status else 0)


def _bottom(area: Area, ui: UiState, y: int) -> None:
    page, width = ui.page, area.width - 2
    if page.question:
        for line in wrap(page.question, width):
            area.put(1, y, line, BRIGHT)
            y += 1
        for letter, choice in zip("abcd", page.choices, strict=False):
            look = CHOSEN if letter == page.answered else style("text", RAISED)
            area.put(1, y, f" {letter}  {choice} "[:width].ljust(width), look)
            y += 1
        y += 1
    if page.reveal and page.answered:
        for line in wrap(page.reveal, width):
            area.put(1, y, line, GOOD)
            y += 1
        y += 1
    if page.command:
        area.put(1, y, f" \u25b6 enter: {page.command} "[:width].ljust(width), BUTTON)
        y += 1
    if page.status:
        area.put(1, y, page.status[:width], WARN)
