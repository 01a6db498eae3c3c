"""What a lesson promises to break."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lesson_world import write_lesson

from workbench.course.launch import simulated_launcher
from workbench.course.lesson import Lesson, LessonError, read_lesson
from workbench.course.library import LESSONS, find_lesson, lesson_names
from workbench.course.play import FAILED, PASSED, minimums, play, promises


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


def test_a_lesson_in_which_too_little_happens_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = find_lesson("2", LESSONS)
    asking = replace(lesson, minimum={lesson.script.sections[0].name: {"elections": 99}})
    assert play([asking], simulated_launcher(tmp_path, 1)) == FAILED
    assert "1 run in which too little happened (T8)" in capsys.readouterr().out


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


def test_promises_go_to_the_run_in_which_their_section_plays() -> None:
    lesson = find_lesson("4", LESSONS)
    folders = [Path(f"run{number}") for number in range(5)]
    found = promises(lesson, folders)
    assert found[folders[0]] == ["P1", "P2", "P15", "C1"]
    assert found[folders[1]] == []
    assert found[folders[4]] == ["P1", "P21", "C1"]
    assert len(lesson_names()) >= 4


def test_a_promise_that_is_not_kept_fails_the_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = find_lesson("2", LESSONS)
    promising = replace(lesson, breaks={lesson.script.sections[0].name: ("P1",)})
    launcher = simulated_launcher(tmp_path, 1)
    assert play([lesson], launcher) == PASSED
    assert play([promising], launcher) == FAILED
    told = capsys.readouterr().out.splitlines()
    line = next(line for line in told if line.startswith("rules:") and "UNEXPECTED-PASS" in line)
    assert "1 UNEXPECTED-PASS, held against the promise (P1)" in line
    assert ", seed 2; see workbench check " in line, "the second cluster of this launcher"
    assert told[-1] == "0 lessons passed, 1 failed"
