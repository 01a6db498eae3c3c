"""The class on the page: what was answered, what was wrong, who broke what."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from made_report import made_run

from workbench.analysis.report.classroom import Question, class_sections, histogram, known_questions
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import ClassRows, split

CLASS: dict[str, list[dict[str, Any]]] = {
    "class_questions": [
        {"title": "The leader dies", "question": "lone", "answer": "a", "learners": 3, "share": 0.75,
         "right_learners": 0, "unclear_learners": 0},
        {"title": "The leader dies", "question": "lone", "answer": "b", "learners": 1, "share": 0.25,
         "right_learners": 1, "unclear_learners": 0},
    ],
    "class_misconceptions": [
        {"title": "The leader dies", "question": "lone", "answer": "a", "learners_before": 3, "asked_again": 2,
         "right_after": 1, "same_after": 1, "other_after": 0}
    ],
    "class_effort": [
        {"learner": "<b>ada</b>", "title": "The leader dies", "runs": 1, "simulated_runs": 0, "active_ms": 90_000.0,
         "span_ms": 120_000.0, "steps": 4, "answers": 3, "right_answers": 2, "faults": 2}
    ],
    "class_breakage": [{"learner": "ada", "what": "fault", "name": "Kill", "times": 2, "runs": 1}],
}  # fmt: skip


def test_the_page_of_a_class_says_what_was_asked_in_the_lesson_s_own_words() -> None:
    text = page(split(made_run()), datetime.now(UTC), ClassRows(CLASS, 4))
    for told in ("4 learners", "Eight records were acknowledged", "a) All eight", "Misconceptions", "1.5", "Kill"):
        assert told in text
    assert "<b>ada" not in text and "&lt;b&gt;ada" in text


def test_an_answer_that_nobody_gave_has_its_line_too() -> None:
    question = Question("q", {"a": "one", "b": "two", "c": "three"})
    svg = histogram(CLASS["class_questions"], question)
    assert "c) three" in svg and "nobody" in svg
    assert "3  (75 %)  wrong" in svg and "1  (25 %)  right" in svg


def test_a_class_that_answered_nothing_says_so() -> None:
    nothing = {name: list[dict[str, Any]]() for name in CLASS}
    assert "Nobody answered a prediction" in "".join(class_sections(ClassRows(nothing, 2)))


def test_the_questions_of_all_lessons_are_known() -> None:
    assert ("The leader dies", "lone") in known_questions()
