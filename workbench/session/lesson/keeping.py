"""What is kept of a learner's way through a lesson, so that it goes on where it was left."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from workbench.course.content import Lesson
from workbench.course.progress import lesson_record, record_lesson
from workbench.session.lesson.page import Piece
from workbench.session.lesson.telling import Told
from workbench.support.safe_text import safe_text

TEXT_MAX = 8000


class Score(NamedTuple):
    """How a learner answered in a lesson."""

    right: int
    asked: int
    """Questions of the lesson; the one in another setting is counted apart."""
    transfer: bool | None
    """Whether that one was right; None while it is open."""
    missed: dict[str, str]
    """Misconceptions that were chosen, each once, in order, with the reason of what was right instead."""
    when_s: float = 0.0
    """Unix time of the newest answer or step."""
    is_finished: bool = False
    at: int = 0
    """Index of the step that was on screen last."""


@dataclass(frozen=True, slots=True)
class KeptStep:
    """How far one step was, and what the learner chose there."""

    is_done: bool
    answer: int
    """Index of the option as written; -1 for none."""
    checked: int
    told: Told | None
    """What it said at its end."""
    refused: dict[int, str] = field(default_factory=dict)
    """By its place in the script: a command that may fail, and why it did."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A lesson as it was left."""

    at: int
    steps: tuple[KeptStep, ...]

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.open_place == len(self.steps)

    @property
    def open_place(self) -> int:
        """Index of the first step that is not done; how many there are when all are."""
        return next((place for place, step in enumerate(self.steps) if not step.is_done), len(self.steps))


def score_of(lesson: Lesson, kept: Kept, when_s: float = 0.0) -> Score:
    """What the answers were worth."""
    right, asked, transfer = 0, 0, None
    missed: dict[str, str] = {}
    for step, own in zip(lesson.steps, kept.steps, strict=True):
        if step.question is None or own.told is not None and own.answer < 0:
            continue  # nothing was asked, or it was asked of a class and not of this keyboard
        is_right = own.told is not None and own.answer == own.told.right >= 0
        if step.question.is_transfer:
            transfer = is_right if own.told is not None else None
        else:
            asked, right = asked + 1, right + is_right
        if own.told is not None and own.told.right >= 0 and own.answer >= 0 and not is_right:
            believed = step.question.options[own.answer].misconception
            missed.setdefault(believed, next((why.text for why in own.told.whys if why.kind == "right"), ""))
    missed.pop("", None)
    return Score(right, asked, transfer, missed, when_s, kept.is_finished, kept.at)


def keep(lesson: Lesson, kept: Kept, folder: Path | None) -> None:
    """Write it; what cannot be written is not: the lesson goes on without."""
    steps = [
        {
            "done": step.is_done, "answer": step.answer, "checked": step.checked, "refused": list(step.refused.items()),
            "right": step.told.right if step.told is not None else None,
            "whys": step.told.whys if step.told is not None else [],
            "after": step.told.after if step.told is not None else [],
        }
        for step in kept.steps
    ]  # fmt: skip
    content = {"at": kept.at, "when_s": round(time.time()), "headings": _headings(lesson), "steps": steps}
    with suppress(OSError):
        record_lesson(lesson.name, content, folder)


def kept_of(lesson: Lesson, folder: Path | None = None) -> Kept | None:
    """As the lesson was left; None when it never was, or is another lesson by now."""
    return _read(lesson, lesson_record(lesson.name, folder))


def last_score(lesson: Lesson, folder: Path | None = None) -> Score | None:
    """Of the newest time that the lesson was taken; None when it never was."""
    record = lesson_record(lesson.name, folder)
    kept, when_s = _read(lesson, record), record.get("when_s", 0)
    if kept is None or not isinstance(when_s, int | float):
        return None
    return score_of(lesson, kept, float(when_s))


def _headings(lesson: Lesson) -> list[str]:
    return [step.heading for step in lesson.steps]


def _read(lesson: Lesson, record: dict[str, Any]) -> Kept | None:
    if record.get("headings") != _headings(lesson):
        return None
    try:
        at = int(record["at"])
        pairs = zip(lesson.steps, record["steps"], strict=True)
        steps = tuple(
            _step(plain, len(step.question.options) if step.question is not None else 0) for step, plain in pairs
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return Kept(max(0, min(at, len(steps))), steps)


def _step(plain: dict[str, Any], options: int) -> KeptStep:
    """ValueError and its like when it is damaged."""
    answer, right = int(plain["answer"]), plain["right"]
    if not -1 <= answer < options or right is not None and not -1 <= int(right) < options:
        raise ValueError("no such option")
    step_told = None
    if right is not None:
        whys, after = ([_piece(*item) for item in plain[name]] for name in ("whys", "after"))
        step_told = Told(int(right), whys, after)
    refused = {int(place): safe_text(str(why), TEXT_MAX) for place, why in plain.get("refused", [])}
    return KeptStep(plain["done"] is True, answer, int(plain["checked"]), step_told, refused)


def _piece(kind: str, text: str) -> Piece:
    lines = str(text)[:TEXT_MAX].split("\n")
    return Piece(str(kind), "\n".join(safe_text(line, TEXT_MAX) for line in lines))
