"""Submissions as learners make them, and as they are tampered with."""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from cluster.simulation.lab.journal import Outside
from tests.support.worlds.shared_runs import watched_lesson
from workbench.course.content import Question
from workbench.course.library import find_lesson
from workbench.session.sharing.shared_run import SharedRun, shared_in, text_of
from workbench.submissions.collecting import lesson_part
from workbench.submissions.form import LessonPart, Recording, Submission, read_submission, write_submission

Tamper = Callable[[Submission], Submission]


def handed_in(folder: Path, learner: str, lesson: str = "1", seed: int = 5, wrong: int = 2) -> Path:
    """The file of a learner who took a lesson and gave so many wrong answers, then right ones."""
    asked: list[str] = []

    def choose(question: Question) -> str:
        asked.append(question.id)
        believed = next(option.misconception for option in question.options if option.misconception)
        return believed if len(asked) <= wrong else ""

    home = folder / f"home-{learner}"
    asyncio.run(watched_lesson(home, lesson, seed=seed, choose=choose))
    path = folder / f"{learner}.json"
    write_submission(str(path), learner, (lesson_part(find_lesson(lesson), home),))
    return path


def tampered(path: Path, change: Tamper, to: Path, *, hides: bool = True) -> Path:
    """The file changed; hides: by somebody who makes its sum anew."""
    changed = change(read_submission(path))
    if hides:
        to.unlink(missing_ok=True)
        write_submission(str(to), changed.learner, changed.parts)
        changed = msgspec.structs.replace(read_submission(to), program=changed.program)
        changed = msgspec.structs.replace(changed, sum=changed.right_sum)
    to.write_bytes(msgspec.json.encode(changed))
    return to


def in_lesson(change: Callable[[LessonPart], LessonPart]) -> Tamper:
    """A change of the first part."""

    def tamper(submission: Submission) -> Submission:
        first, *others = submission.parts
        assert isinstance(first, LessonPart)
        return msgspec.structs.replace(submission, parts=(change(first), *others))

    return tamper


def in_run(change: Callable[[SharedRun], SharedRun]) -> Tamper:
    """A change of the text of the first run."""

    def tamper(part: LessonPart) -> LessonPart:
        first, *others = part.runs
        assert isinstance(first, str)
        return msgspec.structs.replace(part, runs=(text_of(change(shared_in(first))), *others))

    return in_lesson(tamper)


def in_notes(change: Callable[[Outside], Outside]) -> Tamper:
    """A change of each answer in the first run that has one."""
    return in_run(
        lambda run: replace(run, outside=tuple(change(item) if item.note is not None else item for item in run.outside))
    )


def in_recording(name: str, change: Callable[[bytes], bytes | None]) -> Tamper:
    """A change of one trace file of the first recording; None takes it out."""

    def tamper(part: LessonPart) -> LessonPart:
        first, *others = part.runs
        assert isinstance(first, Recording)
        files = dict(first.files)
        content = change(zlib.decompress(base64.b64decode(files.pop(name))))
        if content is not None:
            files[name] = base64.b64encode(zlib.compress(content)).decode()
        return msgspec.structs.replace(part, runs=(msgspec.structs.replace(first, files=files), *others))

    return in_lesson(tamper)


def with_fields(note: Any, **fields: str) -> Any:
    """An event with other fields."""
    return msgspec.structs.replace(note, **fields)
