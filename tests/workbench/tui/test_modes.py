"""One mode holds at a time, and a question lies over what it was asked over."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.modes import AskingToLeave, Blank, Faults, Help, Jump, Mode, Overlay, Watching, seen
from workbench.tui.ui_state import UiState


def state() -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    return UiState(recording)


def test_an_overlay_opens_and_the_same_one_closes_it() -> None:
    ui = state()
    ui.toggle(Jump(), scroll=4)
    assert (ui.overlay, ui.overlay_scroll) == (Jump(), 4)
    ui.toggle(Help())
    assert (ui.overlay, ui.overlay_scroll) == (Help(), 0)
    ui.toggle(Help())
    assert ui.mode == Watching() and ui.overlay is None


def test_a_staged_console_closes_as_an_empty_one_does() -> None:
    ui = state()
    ui.open(Faults(frozenset({(1, 2)})))
    assert ui.staged == {(1, 2)}
    ui.toggle(Faults())
    assert ui.mode == Watching() and not ui.staged


@pytest.mark.parametrize("behind", [Watching(), Help(), Faults(frozenset({(1, 2)}))])
def test_what_a_question_is_asked_over_stays_in_sight(behind: Watching | Help | Faults) -> None:
    ui = state()
    ui.mode = AskingToLeave(behind)
    assert seen(ui.mode) == behind
    assert (ui.overlay is None) is isinstance(behind, Watching)


def test_behind_a_blank_screen_nothing_is_open() -> None:
    ui = state()
    ui.mode = Blank(Help())
    assert ui.overlay is None


def test_every_overlay_is_a_mode() -> None:
    assert set(get_args(Overlay)) <= set(get_args(Mode))
