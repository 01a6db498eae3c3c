"""Which run a lesson's promises are about."""

from __future__ import annotations

from pathlib import Path

from workbench.course.library import LESSONS, find_lesson, lesson_names
from workbench.course.promises import promises


def test_promises_go_to_the_run_in_which_their_section_plays() -> None:
    lesson = find_lesson("4", LESSONS)
    folders = [Path(f"run{number}") for number in range(7)]
    found = promises(lesson, folders)
    assert found[folders[0]] == ["P1", "P2", "P15", "C1"]
    assert found[folders[1]] == []
    assert found[folders[6]] == ["P1", "P21", "C1"]
    assert len(lesson_names()) >= 4
