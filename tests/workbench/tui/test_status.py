"""The rows at the bottom and on top: nothing of a lesson's button is covered without need, no word is cut unseen."""

from __future__ import annotations

import pytest
import story

from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.panes.status import answer_lines
from workbench.tui.ui_state import UiState


def screen(answer: str, title: str = "Elections") -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, title=title)
    ui.answer = answer, "bad"
    return ui


@pytest.mark.parametrize("length", [1, 30, 60, 75, 78, 120, 150, 200])
def test_an_answer_takes_no_more_rows_than_it_needs_beside_the_verdicts(length: int) -> None:
    words = ("word " * 60)[:length].strip()
    lines = answer_lines(screen(words), 80)
    assert " ".join(lines).split() == words.split()
    assert len(lines) <= 1 + -(-length // 70)


def test_what_does_not_fit_in_three_rows_ends_with_a_sign() -> None:
    lines = answer_lines(screen("word " * 200), 80)
    assert len(lines) == 3 and lines[-1].endswith("\u2026")


def test_a_title_that_does_not_fit_ends_with_a_sign() -> None:
    top = draw_screen(80, 24, screen("", title="Cutting to the high watermark and some more words")).text_rows()[0]
    assert "Cutting to the" in top and "\u2026" in top
