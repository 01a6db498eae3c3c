"""Overlay: every mark of the run as a list to choose from, the viewer's own among them."""

from __future__ import annotations

from workbench.session.timeline import OWN
from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.panes.isr import MARK_TONES
from workbench.tui.theme.palette import DIM, SELECTED, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState

TIME_WIDTH = 11


def draw_jump(area: Area, ui: UiState) -> None:
    """Time, glyph and sentence of each; the list turns with the choice."""
    recording = ui.recording
    marks = recording.timeline.all_marks()
    if not marks:
        what = "nothing is marked yet: faults, votes, epochs, cuts, ISR changes; {mark.own} sets a mark of yours"
        area.put(1, 0, ui.keyboard.said(what), DIM)
        return
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(marks) - 1))
    first = max(0, min(ui.overlay_scroll - area.height // 2, len(marks) - area.height))
    for y, mark in enumerate(marks[first : first + area.height]):
        is_selected = first + y == ui.overlay_scroll
        is_here = mark.place == recording.cursor - 1
        text = f"your mark: {mark.text}" if mark.glyph == OWN else mark.text
        room = area.width - TIME_WIDTH - 6
        shown = fit(text, room)
        look = SELECTED if is_selected else TEXT
        time = f"{recording.seconds(mark.t_ns):9.3f}"
        area.put(1, y, f"{'>' if is_here else ' '}{time}    {shown}".ljust(area.width - 2), look)
        tone = TONES.get(MARK_TONES.get(mark.glyph, "dim"), DIM)
        area.put(1 + TIME_WIDTH, y, mark.glyph, look if is_selected else tone)
        area.spot(0, y, area.width, 1, "row", first + y)
    if first + area.height < len(marks):
        area.right(area.height - 1, " \u2193 more ", WARN)
