"""Overlay: a branch beside the run it came from, from the moment they part."""

from __future__ import annotations

from cluster.model.entry import Entry
from workbench.session.comparison import Row, counts, rows
from workbench.session.timeline import Mark
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.isr import MARK_TONES
from workbench.tui.theme.palette import BRIGHT, DIM, TEXT, TITLE, TONES, WARN
from workbench.tui.ui_state import UiState

TIME_WIDTH = 11


def title_of_comparison(ui: UiState) -> tuple[str, str]:
    """(title, note) of the overlay."""
    return "Two runs, one beginning", ui.keyboard.said("{up} {down} scroll, {close} closes")


def draw_comparison(area: Area, ui: UiState) -> None:
    """Who is who, what happened how often, then the marks in time order."""
    parent, recording = ui.parent, ui.recording
    if parent is None:
        area.put(1, 0, "this run is no branch", DIM)
        return
    half = (area.width - TIME_WIDTH - 4) // 2
    left, right = TIME_WIDTH, TIME_WIDTH + half + 3
    # Neither run may be blamed for what it had no time to do.
    for x, name, end_ns in ((left, parent.run, parent.end_ns), (right, "this branch", recording.timeline.end_ns)):
        area.put(x, 0, name[:half], TITLE)
        area.put(x, 1, f"until {recording.seconds(end_ns):.3f} s", DIM)
    marks = recording.timeline.marks
    before, after = counts(parent.marks, parent.branch_events), counts(marks, parent.branch_events)
    y = 2
    for word in before:
        if before[word] or after[word]:
            look = TEXT if before[word] == after[word] else BRIGHT
            area.put(left, y, f"{word} {before[word]}", look)
            area.put(right, y, f"{word} {after[word]}", look)
            y += 1
    branch = _entry(ui, parent.branch_events)
    since = f"from {recording.seconds(branch.t_ns):.3f} s" if branch is not None else ""
    area.put(1, y, f"\u2500\u2500 marks {since} ".ljust(area.width - 2, "\u2500"), DIM)
    found = rows(parent.marks, marks, parent.branch_events)
    room = area.height - y - 1
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(found) - room))
    if not found:
        area.put(left, y + 1, "nothing has happened since", DIM)
    for place, row in enumerate(found[ui.overlay_scroll : ui.overlay_scroll + room], start=y + 1):
        _row(area, place, row, ui, (left, right), half)
    if ui.overlay_scroll + room < len(found):
        area.right(area.height - 1, " \u2193 more ", WARN)


def _entry(ui: UiState, events: int) -> Entry | None:
    entries = ui.recording.entries
    return entries[events - 1] if 0 < events <= len(entries) else None


def _row(area: Area, y: int, row: Row, ui: UiState, columns: tuple[int, int], width: int) -> None:
    area.put(1, y, f"{ui.recording.seconds(row.t_ns):8.3f}s", DIM)
    area.put(columns[1] - 2, y, "\u2502", DIM)
    for x, mark in zip(columns, (row.parent, row.child), strict=True):
        if mark is not None:
            _mark(area, x, y, mark, width)


def _mark(area: Area, x: int, y: int, mark: Mark, width: int) -> None:
    look = TONES[MARK_TONES.get(mark.glyph, "text")]
    room = width - 2
    text = mark.text if len(mark.text) <= room else mark.text[: room - 1] + "\u2026"
    area.parts(x, y, (f"{mark.glyph} ", look), (text, TEXT))
