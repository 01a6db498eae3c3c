"""Lessons by name, number and path."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import NAME, steps_lesson
from workbench.course.lesson_error import LessonError
from workbench.course.library import UnknownLesson, find_lesson, lesson_names


@pytest.mark.parametrize("wanted", ["1", "01", "01_small", "01_s", "small"])
def test_a_lesson_is_found_by_its_name_its_number_or_a_beginning(tmp_path: Path, wanted: str) -> None:
    steps_lesson(tmp_path)
    assert find_lesson(wanted, tmp_path).name == NAME


def test_a_lesson_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps_lesson(tmp_path)
    assert find_lesson(f"{tmp_path}/{NAME}/").name == NAME
    monkeypatch.chdir(tmp_path / NAME)
    assert find_lesson(".").name == NAME


@pytest.mark.parametrize(("wanted", "told"), [("2", "'2' is no lesson; there are: 01_small"), ("A b", "not a lesson")])
def test_what_is_no_lesson_says_which_there_are(tmp_path: Path, wanted: str, told: str) -> None:
    steps_lesson(tmp_path)
    with pytest.raises(UnknownLesson, match=told):
        find_lesson(wanted, tmp_path)


def test_a_path_without_a_lesson_says_so(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r"99_x/lesson\.md:1: cannot be read: No such file"):
        find_lesson(f"{tmp_path}/99_x")


def test_two_lessons_of_one_number_are_refused(tmp_path: Path) -> None:
    steps_lesson(tmp_path)
    (tmp_path / "01_other").mkdir()
    (tmp_path / "01_other" / "lesson.md").touch()
    with pytest.raises(LessonError, match="two lessons have the number 01"):
        lesson_names(tmp_path)
