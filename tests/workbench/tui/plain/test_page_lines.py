"""The page of a lesson as lines: in order, marks in words, no line too wide."""

from __future__ import annotations

from workbench.session.lesson.page import LessonPage, Piece
from workbench.tui.plain.page_lines import WIDTH, end_lines, held_lines, paragraphs, step_lines

PAGE = LessonPage(
    title="One record", step=2, steps=7, heading="The phone rings",
    before=(Piece("prose", "A **broker** dies.\n\nThen:"), Piece("figure", " 1 \u2500\u25b6 2")),
    question="Who leads?", choices=("Nobody.", "Broker 2."), task=(Piece("hint", "kill 1"),),
    look="One *cell*.", look_at="logs", held="1 of 2", status="step 2: not reached", verdict="b is right.",
    whys=(Piece("wrong", "It did die."), Piece("right", "It was in the ISR.")), after=(Piece("heading", "So"),),
)  # fmt: skip


def test_what_is_read_first_comes_first_and_the_question_after_it() -> None:
    assert [*step_lines(PAGE)] == [
        "One record, step 2/7: The phone rings", "A broker dies.", "", "Then:", " 1 -> 2", "Who leads?", "  a: Nobody.",
        "  b: Broker 2.", "hint: kill 1",
    ]  # fmt: skip


def test_the_end_of_a_step_says_right_and_wrong_in_signs_that_are_read_out() -> None:
    assert [*end_lines(PAGE)] == ["step 2: not reached", "b is right.", "x It did die.", "+ It was in the ISR.", "# So"]


def test_a_held_view_says_where_to_look() -> None:
    assert [*held_lines(PAGE)] == ["held, 1 of 2, logs: One cell."]


def test_no_line_is_wider_than_a_terminal_and_nothing_gives_no_line() -> None:
    assert max(map(len, paragraphs("word " * 100))) <= WIDTH
    assert [*paragraphs("")] == []
