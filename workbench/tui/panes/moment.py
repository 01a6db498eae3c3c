"""The time that moving things are drawn at."""

from __future__ import annotations

from cluster.picture.flights import SCREEN_LAG_NS
from workbench.tui.ui_state import UiState

STEP_NS = 100_000_000
"""Positions and timers move ten times a second."""


def moment_of(ui: UiState) -> int:
    """Of a living cluster a little before now, for what came in is told late; else the time in view."""
    if ui.recording.follows and not ui.replay and ui.now_ns:
        return (ui.shown_ns - SCREEN_LAG_NS) // STEP_NS * STEP_NS
    return ui.shown_ns
