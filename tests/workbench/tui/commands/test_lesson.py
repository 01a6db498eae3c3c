"""What keys of a lesson do where there is no question, and at its end."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.picture.asked import GroupState
from tests.support.screens.bare_host import Bench
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import write_lesson
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.content import Lesson
from workbench.course.library import find_lesson
from workbench.session.lesson.holds import Held
from workbench.session.lesson.page import Piece
from workbench.session.lesson.player import LessonPlayer
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.layout import arrange


def opened(folder: Path, lesson: Lesson, at: int, size: tuple[int, int] = (160, 45)) -> Bench:
    """A bench on which the lesson is open at a step."""
    bench = Bench(folder, size=size)
    bench.ui.lesson, bench.ui.focus = True, "lesson"
    player = LessonPlayer(lesson, Labs(folder), lambda _lab: None, progress_folder=folder)
    bench.host.player, player.at = player, at
    bench.commands.lesson.show_page()
    draw_screen(*size, bench.ui)
    return bench


@pytest.mark.parametrize("command", ["do", "retry", "terms"])
def test_without_a_lesson_each_says_so(tmp_path: Path, command: str) -> None:
    bench = Bench(tmp_path)
    bench.commands.run(command)
    assert bench.said == "no lesson is open: workbench learn"


def test_on_the_last_page_c_opens_the_challenge_and_leaves(tmp_path: Path) -> None:
    bench = opened(tmp_path, steps_lesson(tmp_path), at=4)
    assert bench.ui.page.button == "enter: next, c: challenge 1"
    bench.press("c")
    assert bench.host.next_challenge == 1
    bench.host.finish()
    assert bench.host.left == 0 and bench.lab.left


def test_a_lesson_without_a_challenge_says_so(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=3)
    bench.press("c")
    assert (bench.said, bench.host.next_challenge) == ("this lesson has no challenge", 0)


def test_letters_answer_only_a_question_that_is_in_sight(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path), at=1)
    bench.press("b")
    assert bench.ui.page.answered == "b", "b is an answer while a question is open"
    bench.ui.zoom = "logs"
    draw_screen(160, 45, bench.ui)
    bench.press("a")
    assert bench.ui.page.answered == "b" and bench.said == "the question is not in sight: l shows it"
    bench.press("b")
    assert bench.ui.page.step == 1, "then it goes back"


def test_another_step_begins_at_its_first_line_and_knows_its_terms(tmp_path: Path) -> None:
    bench = opened(tmp_path, write_lesson(tmp_path, prose="A voter votes."), at=0)
    assert [term.name for term in bench.ui.terms] == ["voter"]
    bench.ui.page_scroll = 5
    assert bench.host.player is not None
    bench.host.player.at = 2
    bench.commands.lesson.show_page()
    assert bench.ui.page_scroll == 0 and bench.ui.terms == ()


def test_a_pane_beside_the_map_that_lights_up_stays_while_the_reveal_is_read(tmp_path: Path) -> None:
    bench = opened(tmp_path, steps_lesson(tmp_path), at=0)
    for pane, side in (("clients", "quorum"), ("quorum", "quorum")):
        bench.commands.lesson.light(Held(None, pane), 0)
        assert bench.ui.side == side, "no group is known, and nothing to show"
    bench.ui.view.groups["readers"] = GroupState("readers")
    bench.commands.lesson.light(Held(None, "clients"), 0)
    assert bench.ui.side == "clients"
    small = arrange(80, 24, main="lesson", lesson=True, side="clients")
    assert "clients" in small and "logs" not in small
    assert "logs" in arrange(80, 24, main="lesson", lesson=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_whoever_reads_page_by_page_reads_every_line(tmp_path: Path, size: tuple[int, int]) -> None:
    """A verdict that stays in sight covers a line, so a page is shorter than the pane."""
    bench = opened(tmp_path, steps_lesson(tmp_path), 1, size)
    page, told = bench.ui.page, "\n\n".join(f"line {number:02}" for number in range(40))
    assert page.question
    said = "You said a. In this run b is right."
    bench.ui.page = replace(page, asks=False, verdict=said, answered="a", after=(Piece("prose", told),))
    bench.ui.page_scroll, read = -1, set[str]()
    for _ in range(20):
        shown = [row[1 : 34 if size[0] == 120 else 79] for row in draw_screen(*size, bench.ui).text_rows()]
        read |= {word for row in shown for word in re.findall(r"line \d\d", row)}
        assert said in " ".join(" ".join(shown).split()), "it stays in sight, whole"
        bench.press("pagedown")
    assert len(read) == 40
    end = bench.ui.page_scroll
    bench.press("pageup")
    assert bench.ui.page_scroll < end


def test_a_hint_that_comes_is_scrolled_into_sight(tmp_path: Path) -> None:
    bench = opened(tmp_path, steps_lesson(tmp_path, ("Which one is down?", "Which one is down? " * 30)), 2, (80, 24))
    assert bench.host.player is not None and bench.ui.page_scroll == 0
    bench.host.player.own.hints = 1
    bench.commands.lesson.show_page()
    draw_screen(80, 24, bench.ui)
    assert bench.ui.page_scroll > 0


@pytest.mark.parametrize("at", [4, 5])
def test_at_80x24_the_question_stands_below_its_figure_and_both_are_seen_together(tmp_path: Path, at: int) -> None:
    bench = opened(tmp_path, find_lesson("5"), at, size=(80, 24))
    bench.ui.main = "lesson"
    shown = bench.drawn()
    assert "broker 2  " in shown, "the row that decides"
    for _ in range(20):
        if not bench.ui.is_question_in_sight:
            bench.press("down")
            shown = bench.drawn()
    assert bench.ui.is_question_in_sight and "broker 2  " in shown
