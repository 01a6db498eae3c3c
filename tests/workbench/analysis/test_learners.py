"""Whose run is whose, with names and without."""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.learners import learners_of
from workbench.analysis.reading.ranges import RunSource

ROOT = Path("/class")


def _source(run: str, folder: str) -> RunSource:
    return RunSource(run, ROOT / folder, 0, None, {})


CLASS = [
    _source("r1", "ada/runs/r1"),
    _source("r2", "ada/runs/r2"),
    _source("r3", "bob/r3"),
    _source("r4", "r4"),
    _source("r5", "runs/r5"),
]


def test_the_first_folder_below_the_class_is_the_learner() -> None:
    found = learners_of(ROOT, CLASS, with_names=True)
    assert found == {"r1": "ada", "r2": "ada", "r3": "bob", "r4": "r4", "r5": "r5"}


def test_without_names_the_same_learner_keeps_one_number_and_no_name_is_left() -> None:
    found = learners_of(ROOT, CLASS, with_names=False)
    assert sorted(set(found.values())) == ["learner 1", "learner 2", "learner 3", "learner 4"]
    assert found["r1"] == found["r2"]
    assert learners_of(ROOT, CLASS[::-1], with_names=False) == found


def test_a_name_that_a_terminal_would_obey_is_made_safe() -> None:
    assert "\x1b" not in learners_of(ROOT, [_source("r1", "a\x1b[2Jb/r1")], with_names=True)["r1"]
