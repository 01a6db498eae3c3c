"""A mistake in a lesson says where it stands."""

from __future__ import annotations

from pathlib import Path

from workbench.course.lesson_error import LessonError
from workbench.support.refusal import BAD_DATA


def test_it_begins_with_folder_file_and_line() -> None:
    error = LessonError(Path("/anywhere/01_x/lesson.md"), 7, "too long")
    assert (str(error), error.line, error.code) == ("01_x/lesson.md:7: too long", 7, BAD_DATA)
