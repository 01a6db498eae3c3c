"""The front matter of schema 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake, steps_lesson
from workbench.course.lesson_error import LessonError
from workbench.support.refusal import VERSION


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("schema = 2", "schema = two", "schema = two", "front matter: Invalid value"),
        ("schema = 2\n", "", "title", "no schema version; write: schema = 2"),
        ("schema = 2", "schema = 1", "schema = 1", "schema 1 is another format"),
        ("schema = 2", "schema = 0", "schema = 0", "schema 0 is another format"),
        ('goal = "Say', 'gaol = "Say', "gaol", "unknown key 'gaol'; did you mean goal?"),
        ('goal = "Say who leads."\n', "", "+++", "goal is missing; for example: goal ="),
        ("minutes = 9", 'minutes = "9"', "minutes", "minutes: not of this form: minutes = 30"),
        ("needs = []", "needs = [1]", "needs", "needs: not of this form"),
        ("minutes = 9", "minutes = 8", "minutes = 8", "minutes = 8, but the times of the notes make 9"),
        ('title = "A small one"', 'title = " "', "title", "title is empty"),
        ('"S2"', '"S7"', "sources", "no document 'S7'; there are S0, S1, S2, S3, S4"),
        ("02_next", "02_nex", "next", "next: no lesson '02_nex'; did you mean 02_next?"),
        ("needs = []", 'needs = ["99_far"]', "needs", "needs: no lesson '99_far'"),
        ("needs = []", 'needs = ["01_small"]', "needs", "needs: the lesson itself"),
        ("challenge = 1", "challenge = 11", "challenge", "no challenge 11; there are 1 to 10"),
        ("minimum.kill", "minimum.nowhere", "minimum.nowhere", "minimum: no section 'nowhere'"),
        ("faults = 1", "wonders = 1", "minimum.kill", "'wonders' is no number of"),
        ("next = ", 'breaks = { kill = ["P99"] }\nnext = ', "breaks", "no rule 'P99'"),
    ],
)
def test_a_front_matter_that_makes_no_sense_is_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said


def test_a_newer_schema_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match="schema 3 needs a newer workbench; this one reads 2") as refused:
        steps_lesson(tmp_path, ("schema = 2", "schema = 3"))
    assert refused.value.code == VERSION


def test_a_lesson_may_name_one_that_its_course_is_still_to_have(tmp_path: Path) -> None:
    assert steps_lesson(tmp_path).next == "02_next"
