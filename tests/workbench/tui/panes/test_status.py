"""The rows at the bottom and on top: nothing of a lesson's button is covered without need, no word is cut unseen."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.traces import story
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.pace import Pace
from workbench.session.recording import Recording
from workbench.tui.answer import bad, good
from workbench.tui.compose import draw_screen
from workbench.tui.panes.status import answer_lines
from workbench.tui.ui_state import UiState


def screen(answer: str, title: str = "Elections") -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, title=title)
    ui.answer = bad(answer)
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


@pytest.mark.parametrize("size", ((200, 50), (120, 40), (80, 24)), ids=lambda size: f"{size[0]}x{size[1]}")
def test_lost_records_are_told_whatever_was_answered_last(size: tuple[int, int]) -> None:
    run = story.Story()
    run.begin()
    run.partition((1,), 1, 0, 0, (1,))
    run.records(1, 0, 3, 0, 1, 3)
    run.say(0, ev.PowerLost(node_id=1, files=()))
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.answer = good("power is lost at 1: 200 bytes are gone")
    ui.verdicts = LiveVerdicts(recording)
    last = "".join(draw_screen(*size, ui).text_rows()[-3:-1])
    assert "200 bytes are gone" in last and "LOST  rules: none eval" in last
    assert ("2 committed records of orders-0 LOST" if size[0] > 80 else "\u2717 records LOST") in last
    recording.seek(1)
    assert "LOST" not in "".join(draw_screen(*size, ui).text_rows()[-3:-1])


def test_the_map_names_the_keys_that_select_a_node_as_things_are() -> None:
    ui = screen("")

    def title() -> str:
        return next(row for row in draw_screen(200, 50, ui).text_rows() if "2 Cluster" in row)

    assert "\u2190 \u2192 select a node" in title()
    ui.recording.pause()
    assert "2 Cluster  \u2191 \u2193 select a node" in title(), "left and right scrub a view that is held"
    ui.focus = "events"
    assert "tab, \u2191 \u2193 select a node" in title()
    ui.recording.go_live()
    assert "\u2190 \u2192 select a node" in title()
    ui.lesson, ui.focus = True, "lesson"
    assert "tab, \u2191 \u2193 select a node" in title(), "left and right turn the lesson's pages"


def test_a_key_that_turns_something_on_and_off_says_which_it_does_now() -> None:
    ui = screen("")
    ui.seed, ui.pace = 1, Pace()

    def footer() -> str:
        return draw_screen(200, 50, ui).text_rows()[-1]

    assert "space hold view" in footer() and "g halt" in footer()
    ui.recording.pause()
    ui.pace.is_halted = True
    assert "space follow" in footer() and "g let time go" in footer()
    ui.replay = True
    assert "space play" in footer() and "let time go" not in footer(), "a recording has no time to halt"
    ui.director.play_from(1, 0.0)
    assert "space stop" in footer()
