"""The suggestions beside the command bar."""

from __future__ import annotations

from workbench.session.safe_text import safe_text
from workbench.tui.canvas import Area
from workbench.tui.palette import BAR, BAR_KEY
from workbench.tui.ui_state import UiState


def draw_suggestions(area: Area, ui: UiState) -> None:
    """As many as fit; tab takes the first."""
    area.clear(BAR)
    x = area.put(1, 0, "tab ", BAR_KEY)
    for suggestion in ui.suggestions:
        text = f" {safe_text(suggestion, 60)} "
        if x + len(text) > area.width:
            break
        x = area.put(x, 0, text, BAR)
