"""Overlay: the terms of the lesson's step, one sentence each, and where it comes from."""

from __future__ import annotations

from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.drawing.prose import Parts
from workbench.tui.theme.palette import BRIGHT, DIM, TEXT, WARN
from workbench.tui.ui_state import UiState

NONE = "this step names no term of the glossary"


def draw_terms(area: Area, ui: UiState) -> None:
    """Scrolled with up and down."""
    lines = _lines(ui, max(1, area.width - 2))
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(lines) - area.height))
    for y, parts in enumerate(lines[ui.overlay_scroll : ui.overlay_scroll + area.height]):
        area.parts(1, y, *parts)
    if ui.overlay_scroll + area.height < len(lines):
        area.right(area.height - 1, " \u2193 more ", WARN)


def terms_rows(ui: UiState, width: int) -> int:
    """How many rows they take."""
    return len(_lines(ui, width))


def _lines(ui: UiState, width: int) -> list[Parts]:
    lines: list[Parts] = []
    for term in ui.terms:
        short = f" ({safe_text(term.short, 40)})" if term.short else ""
        source = f"  {safe_text(term.source, 80)}" if term.source else ""
        lines.append([(safe_text(term.name, 60), BRIGHT), (short, TEXT), (source, DIM)])
        lines += [[(f"  {line}", TEXT)] for line in wrap(safe_text(term.sentence, 400), max(1, width - 2))]
        lines.append([])
    return lines[:-1] or [[(NONE, DIM)]]
