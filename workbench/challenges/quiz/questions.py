"""The twelve questions: each is the last one of a lesson, word for word; who took the lesson has met it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.challenges.quiz.recorded_question import digest, make, right_option
from workbench.course.content import Figure, Lesson, Option, Prose, Question, Step
from workbench.course.library import LESSONS, lesson_names
from workbench.course.reading.lesson_folder import read_folder
from workbench.course.timing import settings_at
from workbench.course.values import told_timers
from workbench.support.refusal import BAD_DATA, Refusal

FOLDER = LESSONS / "quiz"
INDEX = "quiz.json"
CHOSEN = ("01", "02", "04", "05", "06", "07", "09", "10", "11", "18", "19", "20")
"""Numbers of the lessons: six of part I, three each of parts II and III."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question of the quiz."""

    id: str
    """Number of its lesson."""
    lesson: Lesson
    step: Step
    question: Question
    recording: Path
    digest: str
    """Of the recording."""

    @property
    def right(self) -> Option:
        """The right option, computed from the recording."""
        return right_option(self.recording, self.digest, self.lesson, self.question)

    @property
    def setting(self) -> str:
        """What is told before the question, as text."""
        return case_of(self.step, next(reversed(self.lesson.script.sections)).name, self.lesson)


def case_of(step: Step, section: str, lesson: Lesson) -> str:
    """What a step tells before its question, as text; timers are those of the cluster of that section."""
    settings = settings_at(lesson.script, section)
    told = (
        _flowing(told_timers(block.text, settings)) if isinstance(block, Prose) else "\n".join(block.lines)
        for block in step.before
        if isinstance(block, Prose | Figure)
    )
    return "\n\n".join(told)


def _flowing(text: str) -> str:
    """Each paragraph on one line; what begins a list or a table keeps its own."""
    return re.sub(r"(?<!\n)\n(?![\n\-*|0-9])", " ", text)


@cache
def items(folder: Path = FOLDER, lessons: Path = LESSONS) -> tuple[Item, ...]:
    """All twelve. Refusal when the index cannot be read."""
    path = folder / INDEX
    try:
        texts = json.loads(path.read_text("utf-8"))
        return tuple(_item(number, lessons, folder, str(texts[number])) for number in CHOSEN)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(BAD_DATA, f"quiz: '{path}' cannot be used: {error}; install the workbench anew") from error


def _item(number: str, lessons: Path, folder: Path, known: str) -> Item:
    lesson, step, question = _asked(number, lessons)
    return Item(number, lesson, step, question, folder / f"{number}.rec", known)


def _asked(number: str, lessons: Path) -> tuple[Lesson, Step, Question]:
    name = next(name for name in lesson_names(lessons) if name.startswith(f"{number}_"))
    lesson = read_folder(lessons / name)
    step, question = next((step, question) for step, question in lesson.questions if question.is_transfer)
    return lesson, step, question


def write_recordings() -> None:
    """Make all recordings anew, with their index."""
    index = {}
    for number in CHOSEN:
        lesson, _, question = _asked(number, LESSONS)
        data = make(lesson, question)
        (FOLDER / f"{number}.rec").write_bytes(data)
        index[number] = digest(data)
    (FOLDER / INDEX).write_text(json.dumps(index, indent=1) + "\n", "utf-8")
