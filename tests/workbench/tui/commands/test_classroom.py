"""A class that votes beside a lesson, by the keys and words of the lecturer."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from tests.support.worlds.small_lesson import write_lesson
from tests.workbench.tui.commands.test_lesson import opened
from workbench.classroom import room
from workbench.course.progress import answers_of
from workbench.session.lesson.pages import score_now
from workbench.tui.drawing.layout import is_small
from workbench.tui.modes import Blank, Watching


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Lesson open at its question, with a class."""
    bench = opened(tmp_path, write_lesson(tmp_path), at=1)
    bench.commands.submit("class")
    yield bench
    bench.ui.leave_class()


def vote(bench: Bench, voter: str, letter: str) -> None:
    assert bench.ui.room is not None
    votes = bench.ui.room.votes
    assert votes.vote(voter, votes.number, letter)


def test_the_class_reads_the_question_on_screen_and_the_lecturer_sees_no_bar_before_the_vote_is_closed(
    bench: Bench,
) -> None:
    assert bench.ui.presenting and not bench.ui.answers_shown and bench.ui.room is not None
    assert bench.ui.room.link.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(bench.ui.room.link, timeout=10) as answer:
        assert "Who leads afterwards?" in answer.read().decode()
    for voter, letter in (("ann", "a"), ("bob", "b"), ("cy", "b")):
        vote(bench, voter, letter)
    shown = bench.drawn()
    assert "vote 1: 3 answers, W closes it" in shown and bench.ui.room.link in shown
    assert "\u2588" * 5 not in shown.split("Who leads afterwards?")[1].split("vote 1")[0]
    bench.press("W")
    assert bench.said == "vote 1 is closed" and "\u2588\u2588 2" in bench.drawn() and "\u2588 1" in bench.drawn()


def test_a_second_vote_has_its_bars_beside_the_first(bench: Bench) -> None:
    vote(bench, "ann", "a")
    for _ in range(2):
        bench.press("W")
    vote(bench, "ann", "b")
    bench.press("W")
    shown = bench.drawn()
    assert "1 \u2588" in shown and "2 \u2588" in shown and "both votes are counted" in shown


def test_a_step_that_asks_nothing_leaves_the_class_waiting(bench: Bench) -> None:
    assert bench.host.player is not None
    bench.host.player.at = 0
    bench.commands.lesson.show_page()
    assert "the class waits: nothing is asked here" in bench.drawn()


def test_a_room_is_opened_once_and_closed_by_a_word(bench: Bench) -> None:
    bench.commands.submit("class lan")
    assert bench.said.startswith("the class is here already: http://127.0.0.1:")
    bench.commands.submit("class everywhere")
    assert bench.said == "class everywhere: say class, class lan or class off"
    bench.commands.submit("class off")
    assert bench.said == "the class has left" and bench.ui.room is None
    bench.commands.submit("class off")
    assert bench.said == "no class is here"
    bench.press("W")
    assert bench.said.startswith("no class is here: :class opens a room")


def test_the_network_is_entered_only_where_it_was_asked_for_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=1)
    monkeypatch.setattr(room, "address_in_the_network", lambda: "")
    bench.commands.submit("class lan")
    assert bench.said == "this machine is in no network: nobody else could reach the room" and bench.ui.room is None
    monkeypatch.setattr(room, "address_in_the_network", lambda: "192.0.2.1")
    bench.commands.submit("class lan")
    assert bench.said.startswith("no room can be opened on 192.0.2.1: ") and bench.ui.room is None


def test_on_a_small_screen_the_link_stands_whole(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=1, size=(80, 24))
    assert is_small(80, 24)
    bench.commands.submit("class")
    try:
        assert bench.ui.room is not None and bench.ui.room.link in bench.drawn()
    finally:
        bench.ui.leave_class()


def test_with_a_class_enter_runs_the_step_without_an_answer_at_the_keyboard_and_keeps_none(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=0)
    player = bench.host.player
    assert player is not None
    asyncio.run(player.run_step())
    bench.press("enter")
    assert bench.ui.page.button == "choose: a b c"
    bench.press("enter")
    assert bench.said == "predict first: a, b, c"
    bench.commands.submit("class")
    bench.commands.lesson.show_page()
    try:
        assert bench.ui.page.button == "enter: do it"
        vote(bench, "ann", "a")
        bench.press("enter")
        bench.host.finish()
        assert player.own.state == "done" and bench.ui.page.right and not bench.ui.page.answered
        assert bench.ui.page.verdict == f"{bench.ui.page.right} is right."
        assert not answers_of(tmp_path) and score_now(player).asked == 0
    finally:
        bench.ui.leave_class()


def test_in_presenter_mode_b_answers_the_question_in_sight_and_blanks_the_screen_elsewhere(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=1)
    bench.press("P")
    bench.drawn()
    bench.press("b")
    assert isinstance(bench.ui.mode, Watching) and bench.ui.page.answered == "b"
    bench.ui.zoom = "logs"
    bench.drawn()
    bench.press("b")
    assert isinstance(bench.ui.mode, Blank)
    bench.press("b")
    assert isinstance(bench.ui.mode, Watching)
