"""What stands above a lesson's text."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.course.front_matter import toml_of
from workbench.course.lesson_error import LessonError
from workbench.support.refusal import VERSION

PATH = Path("01_x/lesson.md")


def test_it_ends_at_the_second_mark() -> None:
    assert toml_of(PATH, ["+++", "schema = 1", "+++", "## A", "+++"], 2) == ({"schema": 1}, 3)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], ":1: the front matter must stand between two lines"),
        (["+++", "schema = 1"], ":1: the front matter must stand between two lines"),
        (["", "+++", "schema = 1", "+++"], ":1: the front matter must stand between two lines"),
        (["+++", "schema = 1", "title = x", "+++"], ":3: front matter: Invalid value$"),
        (["+++", "schema = 1", "title =", "+++"], ":3: front matter: Invalid value"),
        (["+++", "title = 1", "+++"], ":2: no schema version; write: schema = 2"),
    ],
)
def test_what_is_none_is_told_with_its_line(lines: list[str], says: str) -> None:
    with pytest.raises(LessonError, match=says):
        toml_of(PATH, lines, 2)


def test_a_newer_schema_needs_a_newer_workbench() -> None:
    with pytest.raises(LessonError, match="schema 3 needs a newer workbench; this one reads 2") as refused:
        toml_of(PATH, ["+++", "schema = 3", "+++"], 2)
    assert refused.value.code == VERSION
