"""A lesson on the screen: keys, hold points, what is in sight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.screens.screen_app import rows, shows
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import letter_of, write_lesson
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.library import find_lesson
from workbench.session.event_list import CLUSTER
from workbench.session.lesson.page import LessonPage, Piece
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.lesson_app import lesson_app, simulated_lesson_app
from workbench.tui.ui_state import UiState


async def test_a_lesson_is_played_with_keys(tmp_path: Path) -> None:
    labs, lesson = Labs(tmp_path / "runs"), write_lesson(tmp_path)
    app = lesson_app(lesson, labs, progress_folder=tmp_path / "state")
    wrong, right = letter_of(lesson, "nobody"), letter_of(lesson)

    async with app.run_test(size=(120, 40)) as pilot:
        assert "step 1/3" in rows(app) and "enter: do it" in rows(app)
        await pilot.press("n")
        assert "do this step first" in rows(app)
        await pilot.press("enter")
        await shows(pilot, app, "enter: next step")
        await pilot.press("enter", "enter")
        assert "predict first: a, b, c" in rows(app)
        assert "\u2190 back" in rows(app) and "n b next" not in rows(app), "b is an answer"
        await pilot.press("left")
        assert "step 1/3" in rows(app), "one can go back from an open question: the arrow is no answer, as b would be"
        await pilot.press("right")
        await pilot.press(str("abc".index(wrong) + 1))
        assert f"\u25b8{wrong}  Nobody." in rows(app)
        await pilot.press(right, "enter")
        await shows(pilot, app, f"\u2713{right}  Another one.", f"{right} is right.", "Two of three are enough.",
                    "A dead node hears", "checked 2")  # fmt: skip
        await pilot.press("j")
        await shows(pilot, app, "Terms of this step", "this step names no term")
        await pilot.press("escape", "left")
        await pilot.press("j")
        await shows(pilot, app, "voter", "A controller that may vote.")
        await pilot.press("escape", "right", "right", "right")
        await shows(pilot, app, "last page", "1 of 1 questions right.", "1. Two of three elect.", "enter: leave")
    assert labs.made[0].closed


@pytest.mark.slow
@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24)], ids=str)
async def test_a_hold_point_lights_one_pane_with_its_words_and_enter_goes_on(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    lesson = steps_lesson(tmp_path / "lessons")
    app = simulated_lesson_app(lesson, tmp_path / "home", 3, progress_folder=tmp_path / "state")
    async with app.run_test(size=size) as pilot:
        shown = await shows(pilot, app, "held 1 of 2", "\u250f\u2501 4 Logs", "\u25b4 Broker 1 leads with 0 records.")
        assert "HELD" in shown and "enter: go on" in shown and "There are 2 records." not in shown
        app.ui.events.set_filter("votes and epochs", 0)
        await pilot.press("enter")
        await shows(pilot, app, "held 2 of 2", "\u250f\u2501 [6] Events", "\u25b4 Two records.")
        assert app.ui.events.filter == CLUSTER, "a filter does not hide what is held"
        assert "held: expect" not in rows(app), "what the script checks is not what is to be seen"
        await pilot.press("enter")
        await shows(pilot, app, "There are 2 records.", "enter: next step")
        assert app.ui.events.filter == "votes and epochs" and "\u250f\u2501" not in rows(app).split("\n", 20)[20]
        assert not app.ui.recording.follows, "its numbers stay on the screen"
        await pilot.press("enter")
        await shows(pilot, app, "Who leads?")
        assert app.ui.recording.follows


@pytest.mark.slow
async def test_a_wrong_answer_is_right_in_another_world_which_one_key_plays(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path / "lessons")
    app = simulated_lesson_app(lesson, tmp_path / "home", 3, progress_folder=tmp_path / "state")
    async with app.run_test(size=(160, 45)) as pilot:
        await shows(pilot, app, "held 1 of 2")
        await pilot.press("enter")
        await shows(pilot, app, "held 2 of 2")
        await pilot.press("enter")
        await shows(pilot, app, "enter: next step")
        await pilot.press("enter", "o")
        await shows(pilot, app, "after a wrong answer this plays")
        assert app.player is not None
        letter = next(key for key, option in app.player.options.items() if option.misconception == "dead-leads")
        await pilot.press(letter, "enter")
        await shows(pilot, app, f"You said {letter}.", "o: when would your answer be right?")
        await pilot.press("o")
        await shows(pilot, app, "is right in B, with: without kill 1", "where you are right")


@pytest.mark.slow
async def test_while_a_step_waits_that_begins_another_cluster_no_pane_shows_the_last_one(tmp_path: Path) -> None:
    labs, lesson = Labs(tmp_path / "runs"), write_lesson(tmp_path)
    app = lesson_app(lesson, labs, progress_folder=tmp_path / "state")
    async with app.run_test(size=(120, 40)) as pilot:
        assert rows(app).count("The cluster of this step") == 5, "the headline and each pane"
        await pilot.press("enter")
        await shows(pilot, app, "enter: next step")
        assert "The cluster of this step" not in rows(app)
        await pilot.press("enter")
        shown = rows(app)
        assert "The cluster of this step" not in shown and "Not played yet." in shown, "it goes on with its cluster"


def asking(**changes: object) -> UiState:
    ui = UiState(Recording(), lesson=True, focus="lesson")
    ui.main = "lesson"
    page = LessonPage("t", step=1, steps=2, heading="h", before=(Piece("prose", "word " * 400),), asks=True)
    page.question, page.choices, page.button = "Who leads?", ("Nobody", "The one that was killed"), "choose: a b"
    ui.page = replace(page, **changes)  # type: ignore[arg-type]
    return ui


@pytest.mark.parametrize("words", [60, 90, 150])
def test_on_a_small_screen_nothing_of_an_open_question_is_hidden_for_a_picture_of_what_was_before(words: int) -> None:
    ui = asking(before=(Piece("prose", "before " + "word " * words + "after"),))
    shown = "\n".join(draw_screen(80, 24, ui).text_rows())
    assert all(wanted in shown for wanted in ("before", "after", "Who leads?", "b  The one that was killed"))
    assert ("4 Logs" in shown) is (words == 60), "the log of the step before has what is left over"


def test_a_verdict_that_is_kept_in_sight_leaves_nothing_of_what_it_covers() -> None:
    long = tuple(Piece("wrong", f"reason {place}, told at length: " + "word " * 30) for place in range(9))
    ui = asking(asks=False, answered="a", right="b", verdict="You said a.", whys=long)
    ui.page_scroll = 40
    (row,) = (row for row in draw_screen(80, 24, ui).text_rows() if "You said a." in row)
    assert row.strip() == "\u25b8 You said a."


def test_on_a_small_screen_an_open_question_stays_in_sight_below_long_prose() -> None:
    ui = asking()
    shown = draw_screen(80, 24, ui).text_rows()
    assert sum("word" in row for row in shown) > 4 and ui.is_question_in_sight
    for wanted in ("Who leads?", "a  Nobody", "b  The one that was killed", "choose: a b"):
        assert any(wanted in row for row in shown), wanted
    ui.page = replace(ui.page, asks=False, answered="a", right="b")
    assert not any("Who leads?" in row for row in draw_screen(80, 24, ui).text_rows()), "answered: it scrolls"


def test_a_question_that_is_not_in_sight_says_how_to_get_there() -> None:
    ui = asking(choices=("word " * 60, "word " * 60, "word " * 60))
    shown = "\n".join(draw_screen(80, 24, ui).text_rows())
    assert not ui.is_question_in_sight and "on to the question" in shown and "choose" not in shown
    ui.page_scroll = 10_000
    draw_screen(80, 24, ui)
    ui.page = replace(ui.page, choices=("one", "two", "three"))
    draw_screen(80, 24, ui)
    assert ui.is_question_in_sight


def test_after_the_answer_the_page_begins_at_the_question_and_its_verdict_stays_pinned() -> None:
    ui = asking(asks=False, answered="a", right="b", verdict="You said a. In this run b is right.",
                after=(Piece("prose", "word " * 400),))  # fmt: skip
    ui.page_scroll = -1
    shown = draw_screen(120, 40, ui).text_rows()
    top = next(y for y, row in enumerate(shown) if "Who leads?" in row)
    assert "You said a." in shown[top + 1]
    ui.page_scroll += 20
    assert any("You said a." in row for row in draw_screen(120, 40, ui).text_rows()[:8])


@pytest.mark.parametrize("glyphs", ["full", "ascii"])
def test_a_figure_is_kept_as_it_is_and_has_a_form_without_utf_8(glyphs: str) -> None:
    figure = " n1  \u25cf\u25cf\u25cb \u2500\u2500\u25b6 n2\n \u2502   \u2588\u2591\u00b7"
    ui = asking(before=(Piece("figure", figure),), question="", figure_width=18)
    ui.glyphs = glyphs
    shown = draw_screen(120, 40, ui).text_rows()
    plain = [" n1  **o --> n2", " |   #.."]
    wanted = figure.split("\n") if glyphs == "full" else plain
    assert all(any(line in row for row in shown) for line in wanted), shown[5:9]


def test_a_wide_figure_widens_the_words_where_the_pictures_have_room_else_says_how_to_see_it() -> None:
    ui = asking(before=(Piece("figure", "x" * 60),), question="", figure_width=60)
    for size in ((160, 45), (120, 40)):
        assert any("x" * 60 in row for row in draw_screen(*size, ui).text_rows())
    narrow = draw_screen(118, 40, ui).text_rows()
    assert any("a figure: l shows it" in row for row in narrow) and not any("xxx" in row for row in narrow)
    ui.zoom = "lesson"
    assert any("x" * 60 in row for row in draw_screen(118, 40, ui).text_rows())


def test_a_pane_in_full_lets_no_key_answer_what_is_not_seen() -> None:
    ui = asking()
    draw_screen(120, 40, ui)
    ui.zoom = "logs"
    draw_screen(120, 40, ui)
    assert not ui.is_question_in_sight


def test_on_a_small_screen_the_task_and_its_newest_hint_stay_in_sight_below_long_prose() -> None:
    task = (Piece("task", "Save the shop."), Piece("hint", "Think."), Piece("hint", "Press r."))
    ui = asking(question="", choices=(), task=task, button="your turn")
    shown = draw_screen(80, 24, ui).text_rows()
    assert sum("word" in row for row in shown) > 4
    assert any("Save the shop." in row for row in shown) and any("hint: Press r." in row for row in shown)
    assert not any("Think." in row for row in shown), "an older hint scrolls"


@pytest.mark.slow
async def test_where_a_leader_does_not_know_that_it_was_replaced_two_marks_of_a_leader_are_on_the_screen(
    tmp_path: Path,
) -> None:
    lesson = find_lesson("14")
    app = simulated_lesson_app(lesson, tmp_path / "home", 7, progress_folder=tmp_path / "state")
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "held 1 of 2")
        await pilot.press("enter")
        shown = await shows(pilot, app, "held 2 of 2", "n1 \u2606 still leads", "n2 \u2605", "\u2606 n1 still e0")
        assert "n1 out" not in shown
