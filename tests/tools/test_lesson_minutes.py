"""The minutes that a lesson says, against what it has to read, to see, to answer and to wait for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import steps_lesson
from tools.lesson_minutes import HOLD_S, TOLERANCE, VOTE_S, WORDS_PER_MINUTE, Measure, measure
from workbench.course.library import find_lesson, lesson_names


@pytest.mark.first(name=lesson_names()[:1])
@pytest.mark.parametrize("name", lesson_names())
def test_a_lesson_says_minutes_that_its_content_takes(tmp_path: Path, name: str) -> None:
    lesson = find_lesson(name)
    found = measure(lesson, tmp_path)
    assert abs(found.minutes - lesson.minutes) <= TOLERANCE * lesson.minutes, f"{name}: {found.minutes:.1f}, {found}"


def test_each_part_of_a_lesson_has_its_time(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path)
    found = measure(lesson, tmp_path / "runs")
    assert (found.questions, found.holds, found.trying_s) == (2, 2, 30.0) and found.waiting_s > 0
    longer = replace(lesson, steps=(*lesson.steps[:-1], replace(lesson.steps[-1], heading="three words more")))
    words = len(lesson.steps[-1].heading.split())
    assert measure(longer, tmp_path / "more").words == found.words - words + 3
    assert Measure(WORDS_PER_MINUTE, 3, 2, 30.0, 6.0).minutes == 1 + (3 * HOLD_S + 2 * VOTE_S + 36.0) / 60
