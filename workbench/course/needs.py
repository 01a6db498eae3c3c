"""Which lessons to take before a lesson: they have to be there, and none leads back to itself."""

from __future__ import annotations

from pathlib import Path

from workbench.course.lesson import LessonError, read_needs

FILE = "lesson.md"


def check_needs(folder: Path, name: str) -> None:
    """LessonError, with file and line, when what a lesson needs is not there, or leads back to it."""
    _follow(folder, (name,), set())


def _follow(folder: Path, way: tuple[str, ...], seen: set[str]) -> None:
    path = folder / way[-1] / FILE
    needs, line = read_needs(path)
    for wanted in needs:
        if wanted in way:
            circle = " -> ".join((*way[way.index(wanted) :], wanted))
            raise LessonError(path, line, f"needs: a circle, {circle}")
        names = sorted(item.parent.name for item in folder.glob(f"*/{FILE}"))
        if wanted not in names:
            raise LessonError(path, line, f"needs: no lesson {wanted[:60]!r}; there are {', '.join(names)}")
        if wanted not in seen:
            seen.add(wanted)
            _follow(folder, (*way, wanted), seen)
