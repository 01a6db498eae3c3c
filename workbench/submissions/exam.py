"""An exam: questions of lessons, each in a world of its own for each student, and the key that is played anew."""

from __future__ import annotations

import hashlib
import hmac
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from cluster.ordinary_file import read_ordinary
from cluster.scenario.script import At, Do, Expect, Remember, Script, Step, When
from workbench.course.content import RIGHT, Lesson, Option, OtherWorld, Question
from workbench.course.content import Step as LessonStep
from workbench.course.library import UnknownLesson, find_lesson
from workbench.course.other_world import clusters_before, other_script, play_other_world
from workbench.runs.launch import simulated_launcher
from workbench.support.platform import run_to_end
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

FILE_MAX = 1 << 16
EXAMPLE = 'title = "First test"\nkey = "any secret words"\nminutes = 20\nquestions = ["2/silent", "6/old"]'
SWITCH: dict[object, str] = {True: "on", False: "off"}
SETUP = ("events", "unfenced")
"""What a script waits for before it begins: of no interest to whoever reads what is done."""


class ExamFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """As the teacher writes it."""

    title: str
    key: str
    """Draws the worlds: another key, other worlds."""
    minutes: float
    questions: list[str]
    """Each as LESSON/QUESTION."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of one student."""

    id: str
    """2/silent."""
    lesson: Lesson
    step: LessonStep
    question: Question
    world: OtherWorld
    """Its own world is one without a change."""

    @property
    def commands(self) -> list[str]:
        """What is done in this cluster, in order; the same form whether something is other than in the lesson."""
        assert self.step.do is not None
        script = other_script(self.lesson.scenario, self.step.do.section, self.world)
        plan = script.sections[0].plan
        assert plan is not None
        settings = [f"{name}={SWITCH.get(value, value)}" for name, value in sorted(plan.overrides)]
        head = f"{plan.controllers} controllers, {plan.brokers} brokers"
        return [", ".join([head, *settings]), *plan.given_lines, *_done(script)]


@dataclass(frozen=True, slots=True)
class Exam:
    """An exam as it was read and checked."""

    file: ExamFile
    digest: str
    """Of the file: answers are to this exam and no other."""
    questions: tuple[tuple[str, Lesson, LessonStep, Question], ...]

    def of(self, student: str) -> list[Asked]:
        """The questions as this student gets them: the key and the student draw the world of each."""
        return [Asked(*each, self._drawn(student, each[0], each[3])) for each in self.questions]

    def _drawn(self, student: str, name: str, question: Question) -> OtherWorld:
        """Each option that has a world is the right one as often as any other. Source: HMAC, RFC 2104."""
        said = hmac.digest(self.file.key.encode(), f"{student}\0{name}".encode(), "sha256")
        number = int.from_bytes(said[:8])
        options = [option for option in question.options if option.would or not option.misconception]
        chosen = options[number % len(options)]
        worlds = chosen.would or (OtherWorld("", ()),)
        return worlds[number // len(options) % len(worlds)]


def read_exam(path: Path) -> Exam:
    """The exam in a file. Refusal says what is wrong with it."""
    name = safe_text(str(path), 200)
    try:
        data = read_ordinary(path, FILE_MAX, follow=True)
        file = msgspec.convert(tomllib.loads(data.decode("utf-8")), ExamFile)
        questions = tuple(_question(each) for each in file.questions)
    except OSError as error:
        raise Refusal(BAD_DATA, f"cannot read '{name}': {error.strerror}") from error
    except (ValueError, msgspec.ValidationError, UnknownLesson, RecursionError) as error:
        raise Refusal(
            BAD_DATA, f"'{name}': {safe_text(str(error), 300)}; an exam looks like this: {EXAMPLE!r}"
        ) from error
    if not questions or not file.key or not 0 < file.minutes <= 600:
        raise Refusal(BAD_DATA, f"'{name}': it needs a key, questions, and 1 to 600 minutes")
    return Exam(file, hashlib.sha256(data).hexdigest(), questions)


def _question(name: str) -> tuple[str, Lesson, LessonStep, Question]:
    """ValueError or UnknownLesson for one that is none."""
    number, _, wanted = name.partition("/")
    lesson = find_lesson(number)
    pair = next((pair for pair in lesson.questions if pair[1].id == wanted), None)
    if pair is None:
        known = ", ".join(f"{number}/{question.id}" for _, question in lesson.questions)
        raise ValueError(f"there is no question '{name[:60]}'; lesson {number} has {known}")
    return name, lesson, *pair


def right_answer(asked: Asked) -> str:
    """What holds in its world, which is played for it: a misconception, or right; empty when no one option does."""
    return _right(asked.lesson.name, asked.question.id, asked.world)


@lru_cache(maxsize=1024)
def _right(lesson_name: str, question_id: str, world: OtherWorld) -> str:
    lesson = find_lesson(lesson_name)
    step, question = next(pair for pair in lesson.questions if pair[1].id == question_id)
    meant = next((option for option in question.options if world in option.would), _own(question))
    with TemporaryDirectory(prefix="workbench-exam-") as home:
        launch = simulated_launcher(Path(home), clusters_before(lesson, step))
        held = run_to_end(play_other_world(lesson, step, meant, world, launch)).held
    return (held[0].misconception or RIGHT) if len(held) == 1 else ""


def _own(question: Question) -> Option:
    return next(option for option in question.options if not option.misconception)


def _done(script: Script) -> list[str]:
    return [step.text for section in script.sections for step in section.steps if _is_shown(step)]


def _is_shown(step: Step) -> bool:
    """Commands and what they wait for; what a script expects would tell the answer."""
    if isinstance(step, Expect):
        return step.wait_only and not any(word in step.text.split() for word in SETUP)
    return isinstance(step, Do | At | When | Remember)
