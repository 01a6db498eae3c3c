"""Overlay: why an event happened, link by link down to its root."""

from __future__ import annotations

from rich.style import Style

from workbench.session.why import root
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.theme.palette import BRIGHT, DIM, INFO, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState


def draw_why(area: Area, ui: UiState) -> None:
    """The event first, then its causes; up and down scroll."""
    lines = why_lines(ui, area.width)
    last = max(0, len(lines) - area.height)
    ui.overlay_scroll = min(ui.overlay_scroll, last)
    for y, (x, text, look) in enumerate(lines[ui.overlay_scroll : ui.overlay_scroll + area.height]):
        area.put(x, y, text, look)
    if ui.overlay_scroll < last:
        area.right(area.height - 1, " \u2193 more ", WARN)


def why_lines(ui: UiState, width: int) -> list[tuple[int, str, Style]]:
    """(column, text, style) of every row."""
    lines: list[tuple[int, str, Style]] = []
    for place, link in enumerate(ui.why):
        head = "" if place == 0 else "\u2514 because "
        time = f"{ui.recording.seconds(link.entry.t_ns):.3f}s "
        look = BRIGHT if place == 0 else TONES[link.tone]
        lines += [(2, line, look) for line in wrap(f"{head}{time}{link.sentence}", width - 4)]
        for text, tone in (
            (f"rule {link.rule}" if link.rule else "", TEXT),
            (", ".join(link.numbers), INFO),
            (f"source: {link.source}" if link.source else "", DIM),
        ):
            lines += [(6, line, tone) for line in (wrap(text, width - 8) if text else ())]
    lines += [(2, line, WARN) for line in wrap(f"\u2514 root: {root(ui.recording, ui.why)}", width - 4)]
    return lines
