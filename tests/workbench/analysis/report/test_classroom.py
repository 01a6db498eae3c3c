"""The class on the page: what was answered, what was wrong, who broke what."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from tests.support.traces.made_report import made_run
from workbench.analysis.report.classroom import (
    Question,
    class_sections,
    histogram,
    known_questions,
    misconception_rows,
)
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import ClassRows, split

BELIEF = "what-is-confirmed-stays"
CLASS: dict[str, list[dict[str, Any]]] = {
    "class_questions": [
        {"title": "The leader dies", "question": "dies", "answer": BELIEF, "learners": 3, "share": 0.75,
         "right_learners": 0, "unclear_learners": 0},
        {"title": "The leader dies", "question": "dies", "answer": "right", "learners": 1, "share": 0.25,
         "right_learners": 1, "unclear_learners": 0},
    ],
    "class_misconceptions": [
        {"title": "The leader dies", "question": "dies", "answer": BELIEF, "learners_before": 3, "asked_again": 2,
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
    for told in (
        "4 learners",
        "How many orders does the next leader",
        "Eight. A confirmed order is a promise. (what-is-confirmed-stays)",
        "Misconceptions",
        "1.5",
        "2 of 3",
        "Kill",
    ):
        assert told in text
    assert "<b>ada" not in text and "&lt;b&gt;ada" in text


def test_an_answer_that_nobody_gave_has_its_line_too() -> None:
    question = Question("q", {BELIEF: "one", "right": "two", "c": "three"})
    svg = histogram(CLASS["class_questions"], question)
    assert ">three<" in svg and "nobody" in svg
    assert "3 of 4  (75 %)  wrong" in svg and "1 of 4  (25 %)  right" in svg


def test_a_long_answer_is_shown_whole() -> None:
    long = "all eight records, because each of them was acknowledged by every replica that was in sync at that time"
    svg = histogram(CLASS["class_questions"], Question("q", {BELIEF: long, "right": "two"}))
    shown = " ".join(re.findall(r">([^<>]+)</text>", svg))
    assert all(word in shown for word in long.split())


def test_questions_stand_in_the_order_of_the_lessons_and_say_which_of_how_many() -> None:
    known = list(known_questions())
    title = "The leader dies"
    own = [question for lesson, question in known if lesson == title]
    assert len(own) > 1 and own != sorted(own), "the order of the lesson is not that of the names"
    asked = [*reversed(known), ("Elsewhere", "foreign")]
    tables = {name: list[dict[str, Any]]() for name in CLASS}
    tables["class_questions"] = [
        {**CLASS["class_questions"][0], "title": lesson, "question": question} for lesson, question in asked
    ]
    tables["class_misconceptions"] = [
        {**CLASS["class_misconceptions"][0], "title": lesson, "question": question} for lesson, question in asked
    ]
    rows = ClassRows(tables, 4)
    text = "".join(class_sections(rows))
    places = [text.index(f"{title}, question {number} of {len(own)}: ") for number in range(1, len(own) + 1)]
    assert places == sorted(places) and text.index("Elsewhere: foreign") > places[-1]
    assert "3 of 4 learners answered" in text
    order = [(row["lesson"], row["question"]) for row in misconception_rows(rows, known_questions())]
    assert order == [*known, ("Elsewhere", "foreign")]


def test_a_class_that_answered_nothing_says_so() -> None:
    nothing = {name: list[dict[str, Any]]() for name in CLASS}
    assert "Nobody answered a prediction" in "".join(class_sections(ClassRows(nothing, 2)))


def test_the_questions_of_all_lessons_are_known() -> None:
    assert ("The leader dies", "dies") in known_questions()
