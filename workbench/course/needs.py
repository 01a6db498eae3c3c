"""Which lessons to take before a lesson: none leads back to itself."""

from __future__ import annotations

from pathlib import Path

from workbench.course.front_matter import text_of
from workbench.course.lesson_error import LessonError
from workbench.course.reading.facts import read_facts

FILE = "lesson.md"


def check_needs(folder: Path, name: str) -> None:
    """LessonError, with file and line, when what a lesson needs is unknown, or leads back to it."""
    _follow(folder, (name,), set())


def _follow(folder: Path, way: tuple[str, ...], seen: set[str]) -> None:
    path = folder / way[-1] / FILE
    facts = read_facts(path, text_of(path).splitlines())
    line = facts.line_of("needs")
    for wanted in facts.needs:
        if wanted in way:
            circle = " -> ".join((*way[way.index(wanted) :], wanted))
            raise LessonError(path, line, f"needs: a circle, {circle}")
        if wanted not in seen and (folder / wanted / FILE).is_file():
            seen.add(wanted)
            _follow(folder, (*way, wanted), seen)
