"""When a cluster that starts is shown: once somebody decides for it, in either mode."""

from __future__ import annotations

from tests.support.traces.story import full_story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Starting
from workbench.tui.panes.progress import is_started
from workbench.tui.ui_state import UiState


def starting() -> UiState:
    recording = Recording()
    recording.extend(full_story()[:60])
    ui = UiState(recording, mode=Starting())
    ui.expected = recording.view.up_count()[0]
    return ui


def test_a_quorum_with_a_leader_is_shown() -> None:
    ui = starting()
    assert ui.view.leader_of_newest_epoch > 0 and is_started(ui)


def test_in_zookeeper_mode_the_winner_of_the_race_is_waited_for_and_no_quorum() -> None:
    ui = starting()
    facts = ui.view.zookeeper
    facts.is_used, facts.controller = True, -1
    assert not is_started(ui)
    facts.controller, facts.controller_epoch = 2, 1
    assert is_started(ui)
    ui.expected += 1
    assert "controller: n2, controller epoch 1" in "\n".join(draw_screen(120, 40, ui).text_rows())
