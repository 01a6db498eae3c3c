"""Grades a solution that a test writes down."""

from __future__ import annotations

from pathlib import Path

from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.grade import Grade
from workbench.runs.launch import WorldChoice


def graded(folder: Path, number: int, text: str, seed: int = 0) -> Grade:
    """What these lines come to."""
    path = folder / "solution.txt"
    path.write_text(text, "utf-8")
    listed = next(listed for listed in CHALLENGES if listed.number == number)
    assert listed.grade is not None
    return listed.grade(path, seed, folder, WorldChoice(simulated=True, seed=seed))
