"""What a lesson promises of the runs it leaves: which rules each breaks, and what must have happened in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.course.content import Lesson


def promises(lesson: Lesson, folders: Sequence[Path]) -> dict[Path, list[str]]:
    """Which rules each run was to break: what its sections promise."""
    by_folder: dict[Path, list[str]] = {}
    for folder, section in _sections(lesson, folders):
        by_folder.setdefault(folder, []).extend(lesson.breaks.get(section, ()))
    return by_folder


def minimums(lesson: Lesson, folders: Sequence[Path]) -> dict[Path, dict[str, int]]:
    """What must have happened in each run: the most that one of its sections asks for."""
    by_folder: dict[Path, dict[str, int]] = {}
    for folder, section in _sections(lesson, folders):
        wanted = by_folder.setdefault(folder, {})
        for what, count in lesson.minimum.get(section, {}).items():
            wanted[what] = max(count, wanted.get(what, 0))
    return by_folder


def _sections(lesson: Lesson, folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Each section that was played, with its run. A section with a cluster begins a run."""
    runs = iter(folders)
    folder: Path | None = None
    for section in lesson.script.sections:
        if section.plan is not None:
            folder = next(runs, None)
        if folder is not None:
            yield folder, section.name
