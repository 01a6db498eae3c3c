"""Each of the ten challenges is solved by a script that ships as a test; without what it does, none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.catalogue import CHALLENGES, Listed
from workbench.challenges.grade import Grade
from workbench.runs.launch import WorldChoice

SOLUTIONS = sorted((Path(__file__).parent / "solutions").glob("*.txt"))
LISTED = {listed.number: listed for listed in CHALLENGES}
SIMULATED = WorldChoice(simulated=True, seed=0)
LONG = (8,)
"""Played in 20 nights."""


def number_of(path: Path) -> int:
    return int(path.name[:2])


def test_every_challenge_that_grades_a_file_has_a_solution() -> None:
    assert list(map(number_of, SOLUTIONS)) == [listed.number for listed in CHALLENGES if listed.grade is not None]


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] if number_of(path) in LONG else []) for path in SOLUTIONS],
    ids=lambda path: path.stem,
)
def test_a_solution_solves_its_challenge(path: Path, tmp_path: Path) -> None:
    grade = _grade(LISTED[number_of(path)], path, tmp_path)
    assert grade.solved, grade.what


SCRIPTED = [path for path in SOLUTIONS if LISTED[number_of(path)].on_screen is not None]


@pytest.mark.parametrize("path", SCRIPTED, ids=lambda path: path.stem)
def test_without_its_last_command_it_does_not(path: Path, tmp_path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    checks = ("#", "wait", "expect", "keep", "remember")
    last = max(place for place, line in enumerate(lines) if not line.startswith(checks))
    less = tmp_path / "less.txt"
    less.write_text("\n".join(line for line in lines[:last] if not line.startswith("expect")), "utf-8")
    assert not _grade(LISTED[number_of(path)], less, tmp_path).solved


def _grade(listed: Listed, path: Path, home: Path) -> Grade:
    assert listed.grade is not None
    return listed.grade(path, 0, home, SIMULATED)
