"""What a lesson promises to break."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.lesson_world import write_lesson
from workbench.course.lesson import Lesson, LessonError, read_lesson
from workbench.course.promises import minimums, promises


def with_breaks(folder: Path, table: str, key: str = "breaks") -> Lesson:
    write_lesson(folder)
    path = folder / "01_small" / "lesson.md"
    head, _, rest = path.read_text().removeprefix("+++\n").partition("+++\n")
    path.write_text(f"+++\n{head}{key} = {table}\n+++\n{rest}")
    return read_lesson(path.parent)


def test_a_lesson_says_what_must_have_happened_in_a_section(tmp_path: Path) -> None:
    section = write_lesson(tmp_path / "first").script.sections[0].name
    lesson = with_breaks(tmp_path / "second", f'{{ {section} = {{ "ISR changes" = 2 }} }}', "minimum")
    assert lesson.minimum == {section: {"ISR changes": 2}}
    run = tmp_path / "run"
    assert minimums(lesson, [run]) == {run: {"ISR changes": 2}}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("{ nowhere = { faults = 1 } }", "no section 'nowhere'"),
        ("[1]", "expected a table of tables"),
        ("{ SECTION = 3 }", "expected a table of tables"),
        ("{ SECTION = { wonders = 1 } }", "'wonders' is no number of"),
        ('{ SECTION = { faults = "1" } }', "'faults' is no number of"),
    ],
)
def test_a_minimum_that_makes_no_sense_is_refused(tmp_path: Path, table: str, says: str) -> None:
    section = write_lesson(tmp_path / "first").script.sections[0].name
    with pytest.raises(LessonError, match=says):
        with_breaks(tmp_path / "second", table.replace("SECTION", section), "minimum")


def test_a_lesson_names_the_rules_that_a_section_breaks(tmp_path: Path) -> None:
    section = write_lesson(tmp_path / "first").script.sections[0].name
    lesson = with_breaks(tmp_path / "second", f'{{ {section} = ["P1", "C1"] }}')
    assert lesson.breaks == {section: ("P1", "C1")}
    run = tmp_path / "run"
    assert promises(lesson, [run])[run] == ["P1", "C1"]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('{ nowhere = ["P1"] }', "no section 'nowhere'"),
        ('["P1"]', "expected a table"),
        ('{ SECTION = ["P99"] }', "no rule 'P99'"),
        ("{ SECTION = [1] }", "no rule '1'"),
        ('{ SECTION = "P1" }', "expected a table"),
    ],
)
def test_a_promise_that_makes_no_sense_is_refused(tmp_path: Path, table: str, says: str) -> None:
    section = write_lesson(tmp_path / "first").script.sections[0].name
    with pytest.raises(LessonError, match=says):
        with_breaks(tmp_path / "second", table.replace("SECTION", section))
