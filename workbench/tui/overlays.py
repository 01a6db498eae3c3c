"""What lies over the panes: loaded when the first of them is opened, since the first picture has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from cluster.model.entry import EventId
from workbench.tui import modes
from workbench.tui.drawing.canvas import Area, Canvas, Rect, panel
from workbench.tui.drawing.layout import is_small
from workbench.tui.drawing.spots import Spot
from workbench.tui.panes.comparison import draw_comparison
from workbench.tui.panes.fault_console import draw_console
from workbench.tui.panes.help import draw_help
from workbench.tui.panes.jump import draw_jump
from workbench.tui.panes.palette import draw_palette, rows_wanted
from workbench.tui.panes.terms import draw_terms, terms_rows
from workbench.tui.panes.touch import ROWS as ROWS_OF_TOUCH
from workbench.tui.panes.touch import draw_touch, newest_of
from workbench.tui.panes.verdicts import draw_verdicts
from workbench.tui.panes.why import draw_why, why_lines
from workbench.tui.theme.palette import POINTED
from workbench.tui.ui_state import UiState

MARGIN_LEAST = 6
"""Columns beside an overlay; of fewer nobody can read what shows there, so they are empty."""
PALETTE_LEAST = 20
"""Rows of the palette, so that it does not jump while one types."""


def draw_overlay(canvas: Canvas, ui: UiState, overlay: modes.Overlay) -> list[tuple[str, str]]:
    """What lies over the panes, framed, as high as it needs to be. Returns its keys; they stand where keys stand."""
    width, height = min(canvas.width - 4, 112), min(canvas.height - 4, 48)
    word = ui.keyboard.said
    close, choose = (word("{close}"), "closes"), (word("{up} {down}"), "choose")
    turn = (choose[0], "turn")
    draw: Callable[[Area, UiState], None]
    match overlay:
        case modes.Verdicts():
            title, draw = "Verdicts", draw_verdicts
            keys = [close, choose, (word("{enter}"), "shows what broke it")]
        case modes.Faults():
            title, draw, height = "Faults and links", draw_console, min(height, len(ui.view.nodes) + 14)
            kill, restart, pause, undo, heal = (
                ui.keyboard.first(name)
                for name in ("node.kill", "node.restart", "node.pause", "fault.undo", "net.heal")
            )
            keys = [close, ("space", "cuts"), (f"{kill} {restart} {pause}", "node"), (undo, "undo"), (heal, "heal")]
            keys += [("R", "again"), ("S", "script"), ("enter", "stages")]
        case modes.Jump():
            title, draw = "Jump", draw_jump
            height = min(height, max(8, len(ui.recording.timeline.all_marks())) + 2)
            keys = [close, choose, (word("{enter}"), "goes there"), (word("{pane.1}-{pane.7}"), "a pane")]
        case modes.Palette():
            title, draw = "Find", lambda area, ui: draw_palette(area, ui, overlay)
            height = min(height, max(PALETTE_LEAST, rows_wanted(overlay) + 2))
            keys = [close, choose, ("enter", "does it"), ("tab", "puts it into the command bar")]
        case modes.Comparison():
            title, draw = "Two worlds", lambda area, ui: draw_comparison(area, ui, overlay)
            width, height = canvas.width - 2, canvas.height - 3
            keys = [close, (word("{left} {right}"), "along the time"), ("[ ]", "headlines")]
            keys += [("n", "next difference"), ("enter", "shows it")]
        case modes.Why():
            title, draw = "Why?", draw_why
            height = min(height, len(why_lines(overlay, ui.recording, width - 2)) + 2)
            keys = [close, (choose[0], "the steps"), (word("{right}"), "opens the proof"), (word("{left}"), "folds it")]
        case modes.Tour():
            return []
        case modes.Help():
            title, draw = "Help", draw_help
            keys = [close, turn, ("/", "searches"), ("tab", "another pane")]
        case modes.Touch(flight):
            title, draw, height = "A message", lambda area, ui: draw_touch(area, ui, flight), ROWS_OF_TOUCH + 2
            keys = [close, ("d", "drops it"), ("h", "holds it"), ("t", "200 ms late"), ("p", "lets it through")]
            keys += [("tab", "the next"), (word("{enter}"), "why"), ("U", "this run without it")]
            _light(canvas, newest_of(ui, flight).told_by)
        case modes.Terms():
            title, draw = "Terms of this step", draw_terms
            height = min(height, terms_rows(ui, width - 4) + 2)
            keys = [close, turn]
        case _:
            assert_never(overlay)
    rect = Rect((canvas.width - width) // 2, _top_of(overlay, canvas, height), width, height)
    around = Rect(rect.x - 1, rect.y, rect.width + 2, rect.height)
    whole = Rect(0, rect.y, canvas.width, rect.height)
    canvas.area(whole if rect.x < MARGIN_LEAST else around).clear()
    canvas.spots.append(Spot(*around, "overlay", (title,)))
    draw(panel(canvas, rect, title, focused=True), ui)
    return keys


def _top_of(overlay: modes.Overlay, canvas: Canvas, height: int) -> int:
    """Its first row: in the middle, or below the map that it is about and above an answer of some lines."""
    if isinstance(overlay, modes.Touch):
        return canvas.height - height - (5 if is_small(canvas.width, canvas.height) else 2)
    return (canvas.height - height) // 2


def _light(canvas: Canvas, told_by: EventId) -> None:
    """Mark the message that an event told of, where it stands on the map."""
    for spot in canvas.spots:
        if spot.kind == "message" and spot.value == (told_by,):
            canvas.lay(Rect(spot.x, spot.y, spot.width, 1), POINTED)
