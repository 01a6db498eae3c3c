"""Overlay: why an event happened, link by link down to its root."""

from __future__ import annotations

from workbench.session.why import root
from workbench.tui.canvas import Area, wrap
from workbench.tui.palette import BRIGHT, DIM, INFO, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState


def draw_why(area: Area, ui: UiState) -> None:
    """The event first, then its causes; `overlay_scroll` rows are skipped."""
    y = -ui.overlay_scroll
    for place, link in enumerate(ui.why):
        head = "" if place == 0 else "\u2514 because "
        time = f"{ui.recording.seconds(link.entry.t_ns):.3f}s "
        for line in wrap(f"{head}{time}{link.sentence}", area.width - 4):
            area.put(2, y, line, BRIGHT if place == 0 else TONES[link.tone])
            y += 1
        for text, look in (
            (f"rule {link.rule}" if link.rule else "", TEXT),
            (", ".join(link.numbers), INFO),
            (f"source: {link.source}" if link.source else "", DIM),
        ):
            for line in wrap(text, area.width - 8) if text else ():
                area.put(6, y, line, look)
                y += 1
    area.put(2, y, f"\u2514 root: {root(ui.why)}"[: area.width - 3], WARN)
