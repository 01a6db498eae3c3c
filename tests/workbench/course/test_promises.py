"""Which run a lesson's promises are about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.promises import minimums, promises


def test_promises_go_to_the_run_in_which_their_section_plays(tmp_path: Path) -> None:
    lesson = replace(steps_lesson(tmp_path), breaks={"kill": ("P1",), "back": ("C1",), "other": ("P2",)})
    runs = [Path("run0"), Path("run1")]
    assert promises(lesson, runs) == {runs[0]: ["P1", "C1"], runs[1]: ["P2"]}
    assert minimums(lesson, runs) == {runs[0]: {"faults": 1}, runs[1]: {}}
    assert promises(lesson, runs[:1]) == {runs[0]: ["P1", "C1"]}, "a run that was never begun promises nothing"
