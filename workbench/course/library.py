"""The lessons there are: by name, by number, by the beginning of a name. Nothing outside the folder is opened."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from workbench.course.content import Lesson
from workbench.course.lesson_error import LessonError
from workbench.course.needs import check_needs
from workbench.course.reading.lesson_folder import read_folder
from workbench.support.shipped import shipped

LESSONS = shipped("lessons")
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class UnknownLesson(Exception):
    """No such lesson; str() says which there are."""


def lesson_names(folder: Path = LESSONS) -> tuple[str, ...]:
    """Names of all lessons, in order. LessonError when two have one number."""
    names = [item.parent.name for item in sorted(folder.glob("*/lesson.md")) if NAME.fullmatch(item.parent.name)]
    numbers: dict[str, str] = {}
    for name in names:
        number = name.partition("_")[0]
        if number in numbers:
            both = f"{folder / numbers[number]} and {folder / name}"
            raise LessonError(folder / name / "lesson.md", 1, f"two lessons have the number {number}: {both}")
        numbers[number] = name
    return tuple(names)


def find_lesson(wanted: str, folder: Path = LESSONS) -> Lesson:
    """The lesson of that name, number (1 or 01) or unique beginning, or in the folder of that path (it has a slash).

    UnknownLesson when there is none.
    """
    if "/" in wanted or wanted in (".", ".."):
        return read_folder(Path(wanted).expanduser().resolve())
    shown = "".join(char if char.isprintable() else "\ufffd" for char in wanted[:80])
    if not NAME.fullmatch(wanted):
        raise UnknownLesson(f"not a lesson name: '{shown}'; allowed: a-z 0-9 . _ -, at most 64")
    names = lesson_names(folder)
    if wanted in names:
        return _checked(folder, wanted)
    if wanted.isdigit():
        fitting = [name for name in names if name.partition("_")[0].lstrip("0") == wanted.lstrip("0")]
    else:
        fitting = [name for name in names if name.startswith(wanted) or name.partition("_")[2].startswith(wanted)]
    if len(fitting) == 1:
        return _checked(folder, fitting[0])
    near = fitting or get_close_matches(wanted, names, n=3, cutoff=0.4) or list(names)
    what = "means several lessons" if fitting else "is no lesson"
    raise UnknownLesson(f"'{shown}' {what}; there are: {', '.join(near)}")


def all_lessons(folder: Path = LESSONS) -> list[Lesson]:
    """Of the course, in order. LessonError for the first that cannot be read."""
    return [read_folder(folder / name) for name in lesson_names(folder)]


def _checked(folder: Path, name: str) -> Lesson:
    check_needs(folder, name)
    return read_folder(folder / name)
