"""The time at which moving things are drawn."""

from __future__ import annotations

from cluster.picture.flights import SCREEN_LAG_NS
from tests.workbench.tui.panes.test_panes import state
from workbench.tui.panes.moment import STEP_NS, moment_of


def test_a_living_cluster_is_drawn_a_little_before_now_in_steps_and_a_recording_as_it_was() -> None:
    ui = state()
    assert moment_of(ui) == ui.recording.t_ns
    ui.replay, ui.now_ns = False, ui.recording.t_ns + 7_654_321_000
    assert moment_of(ui) % STEP_NS == 0
    assert 0 <= ui.shown_ns - SCREEN_LAG_NS - moment_of(ui) < STEP_NS
