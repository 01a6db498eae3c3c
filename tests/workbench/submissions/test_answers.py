"""The right answer of each question is computed from the events of a run, and needs nothing else of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.worlds.shared_runs import watched_lesson
from workbench.course.content import RIGHT
from workbench.course.library import find_lesson, lesson_names
from workbench.submissions.answers import answers_in


@pytest.mark.first(name=[name for name in lesson_names() if name[:2] in ("08", "09")])
@pytest.mark.parametrize("name", lesson_names())
def test_what_was_right_is_found_in_the_events_alone(tmp_path: Path, name: str) -> None:
    """Lessons 8 and 9 remember values behind commands and behind expectations, and ask for them."""
    lesson = find_lesson(name)
    folders = asyncio.run(watched_lesson(tmp_path, name))
    answers = [answer for folder in folders for answer in answers_in(folder, lesson)]
    assert [answer.question for answer in answers] == [question.id for _, question in lesson.questions]
    assert {(answer.right, answer.claimed, answer.is_on_its_way) for answer in answers} == {(RIGHT, RIGHT, True)}
    for answer in answers:
        (question,) = (question for _, question in lesson.questions if question.id == answer.question)
        assert answer.answer in {option.misconception or RIGHT for option in question.options}


def test_a_run_of_another_lesson_has_no_right_answer(tmp_path: Path) -> None:
    """Lessons 1 and 19 have a question of the same name."""
    folders = asyncio.run(watched_lesson(tmp_path, "1"))
    answers = [answer for folder in folders for answer in answers_in(folder, find_lesson("19"))]
    assert [(answer.question, answer.right, answer.is_on_its_way) for answer in answers] == [("elsewhere", "", False)]
