"""The rows at the bottom and on top: nothing of a lesson's button is covered without need, no word is cut unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model import events as ev
from tests.support.screens.bare_host import Bench
from tests.support.traces import story
from workbench.runs.sealed import OFF
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.missions.board import Board
from workbench.session.pace import Pace
from workbench.session.recording import Recording
from workbench.tui.answer import bad, expires_s, good
from workbench.tui.compose import draw_screen
from workbench.tui.panes.status import CLIENT_NEWS_NS, answer_lines, answer_of, verdict_of
from workbench.tui.ui_state import UiState


def screen(answer: str, title: str = "Elections") -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, title=title)
    ui.answer = bad(answer)
    return ui


def test_that_the_verdicts_are_off_in_a_hunt_is_told_whole_on_a_small_screen() -> None:
    assert len(OFF) <= 80 // 2


@pytest.mark.parametrize("length", [1, 30, 60, 75, 78, 120, 150, 200])
def test_an_answer_takes_no_more_rows_than_it_needs_beside_the_verdicts(length: int) -> None:
    words = ("word " * 60)[:length].strip()
    lines = answer_lines(screen(words), 80, "")
    assert " ".join(lines).split() == words.split()
    assert len(lines) <= 1 + -(-length // 70)


def test_what_does_not_fit_in_three_rows_ends_with_a_sign() -> None:
    lines = answer_lines(screen("word " * 200), 80, "")
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
    assert "200 bytes are gone" in last and "LOST  no promise chec" in last
    assert ("2 committed records of orders-0 LOST" if size[0] > 80 else "\u2717 records LOST") in last
    recording.seek(1)
    assert "LOST" not in "".join(draw_screen(*size, ui).text_rows()[-3:-1])


@pytest.mark.parametrize("size", ((120, 40), (80, 24)), ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("is_past", (False, True))
def test_a_broken_promise_is_named_beside_committed_records_that_are_lost(size: tuple[int, int], is_past: bool) -> None:
    """At 120 columns they pushed it off the line, and only the colour still told of it."""
    run = story.Story()
    run.begin()
    run.partition((1,), 1, 0, 0, (1,))
    run.records(1, 0, 3, 0, 1, 3)
    run.say(0, ev.PowerLost(node_id=1, files=()))
    recording = Recording()
    recording.extend(story.full_story())
    verdicts = LiveVerdicts(recording, is_complete=True)
    while verdicts.turn():
        pass
    if is_past:
        recording.seek(len(recording.entries) - 1)
    lost = Recording()
    lost.extend(run.entries)
    text, tone = verdict_of(UiState(lost, verdicts=verdicts), size[0])
    assert tone == "bad" and "LOST" in text and " VIOLATED" in text


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


def test_what_a_client_was_answered_is_news_for_some_seconds() -> None:
    told = story.Story()
    told.begin()
    done = ev.OperationSucceeded(client_id="p", operation_id=1, function="produce", topic="orders", partition=0,
                                 base_offset=0, count=4, values=())  # fmt: skip
    told.say(9001, done, 1100)
    recording = Recording()
    recording.extend(told.entries)
    ui, newest = UiState(recording), recording.live.newest_answer
    assert newest is not None
    ui.now_ns = newest.t_ns + 1_000_000_000
    assert answer_of(ui).text
    assert [len(answer_lines(ui, width, "")) for width in (80, 30)] == [1, 1], (
        "nobody asked for it: it covers no button"
    )
    ui.now_ns = newest.t_ns + CLIENT_NEWS_NS
    assert answer_of(ui).text == ""


def test_what_went_wrong_stands_longer_and_so_does_a_long_sentence() -> None:
    assert 10 < expires_s(good("done")) < expires_s(good("word " * 20)) < 30
    assert expires_s(bad("no")) == 2 * expires_s(good("no"))


@pytest.mark.parametrize(("kind", "keys"), [("lab", "k kill"), ("replay", "space play"), ("lesson", "enter do")])
def test_the_smallest_footer_names_the_views_and_how_to_find_all_else(kind: str, keys: str) -> None:
    ui = screen("")
    ui.replay, ui.lesson = kind == "replay", kind == "lesson"
    footer = draw_screen(80, 24, ui).text_rows()[-1]
    assert "v views" in footer and "ctrl+p find" in footer and keys in footer and "q quit" in footer


def test_a_lab_names_the_key_that_shows_its_missions_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path, size=(80, 24))
    assert "l tasks" not in bench.drawn()
    bench.ui.missions = Board(tmp_path)
    assert "l tasks" in bench.drawn().splitlines()[-1]
    bench.press("l")
    assert bench.ui.zoom == "lesson" and "Kill the leader" in bench.drawn()
    bench.press("l")
    assert bench.ui.zoom == ""


def test_that_the_past_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    ui = screen("")
    monkeypatch.setattr(Recording, "trouble", "the disk is full")
    assert answer_of(ui).text == "what is long ago cannot be shown: the disk is full"
    ui.answer = good("done")
    assert answer_of(ui).text == "done"
