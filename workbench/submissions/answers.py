"""The answers that a run of a lesson tells of, and which of them its own events make right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cluster.model.events import ExpectationChecked, LessonStep, PredictionAnswered
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import value_of
from cluster.scenario.event_pattern import EventBook
from cluster.scenario.runner import wanted_events
from cluster.scenario.script import Do, Expect, Keep, Remember, Step
from cluster.scenario.terms import NAME, Memory
from cluster.trace.reader import TraceStream
from workbench.course.asked_events import asked_events
from workbench.course.content import RIGHT, Lesson, Question

COMMAND_MAX = 200
"""Characters of a command that the event of its step has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that a run tells of."""

    question: str
    answer: str
    """The misconception that was chosen, or right."""
    right: str
    """What the events of the run make right; empty where no option holds, or several do."""
    claimed: str
    """What the run says was right."""
    is_on_its_way: bool
    """Whether the run had done by then all that the script does before it asks."""


def answers_in(run_folder: Path, lesson: Lesson) -> list[Answer]:
    """In the order in which they were given. TraceError for a trace that cannot be trusted."""
    wanted = wanted_events(lesson.script)
    state, book = ClusterState(), EventBook(None if wanted is None else wanted | asked_events(lesson))
    ways = list(_ways(lesson))
    answers: list[Answer] = []
    for entry in TraceStream(run_folder / "trace"):
        event = entry.event
        if isinstance(event, LessonStep):
            book.mark()
        for way in ways:
            way.hear(event, state, book)
        state.apply(entry)
        book.note(entry)
        for way in ways:
            way.remember(state, book)
        if isinstance(event, PredictionAnswered):
            answers += [_answer(event, way, state, book) for way in ways if event.question in way.questions]
    return answers


def _answer(event: PredictionAnswered, way: Way, state: ClusterState, book: EventBook) -> Answer:
    way.remember(state, book, at_last=True)
    question, section = way.questions[event.question]
    held = [
        option.misconception or RIGHT
        for option in question.options
        if all(condition.check(state, way.memory, book)[0] for condition in option.when)
    ]
    right = held[0] if len(held) == 1 else ""
    return Answer(event.question, event.answer, right, event.right_answer, way.is_past(section))


class Way:
    """How far a run has come on the way of the script of one cluster, and what the script had remembered by then.

    A script notes commands and expectations in the trace, and nothing of what it remembers: that is read once more
    where the script read it. Behind an expectation this is as soon as the value is known. Behind a command it is just
    before the next note: only then has the command been carried out.
    """

    def __init__(self) -> None:
        self.questions: dict[str, tuple[Question, str]] = {}
        """By id, with the section before whose end they are answered."""
        self.memory: Memory = {}
        self._steps: list[tuple[str, bool, Step]] = []
        """Each with its section, and whether the learner may have done it in another way."""
        self._at = 0
        self._is_after_command = False

    def add(self, section: str, steps: tuple[Step, ...], *, is_task: bool) -> None:
        """One more section of this cluster."""
        self._steps += [(section, is_task, step) for step in steps]

    def is_past(self, section: str) -> bool:
        """Whether all of a section was done, but for what notes nothing."""
        rest = self._steps[self._at :]
        return not any(name == section and not is_task and _is_noted(step) for name, is_task, step in rest)

    def hear(self, event: object, state: ClusterState, book: EventBook) -> None:
        """A note may be that of the next step, or of one behind what a learner did alone."""
        if not isinstance(event, LessonStep | ExpectationChecked):
            return
        self.remember(state, book, at_last=True)
        for place in range(self._at, len(self._steps)):
            _, is_task, step = self._steps[place]
            if _is_noted_by(step, event):
                self._at, self._is_after_command = place + 1, isinstance(step, Do)
                return
            if _is_noted(step) and not is_task:
                return

    def remember(self, state: ClusterState, book: EventBook, *, at_last: bool = False) -> None:
        """Take in what the script remembers here."""
        while self._at < len(self._steps) and (at_last or not self._is_after_command):
            step = self._steps[self._at][2]
            if _is_noted(step):
                return
            if isinstance(step, Remember):
                value = value_of(step.term, state, self.memory, book)
                if value in (None, -1) and not at_last:
                    return
                self.memory[step.name] = value
            self._at += 1


def _ways(lesson: Lesson) -> Iterator[Way]:
    """One for each cluster of a lesson."""
    steps = {step.do.section: step for step in lesson.steps if step.do is not None}
    way = Way()
    for section in lesson.script.sections:
        if section.plan is not None:
            yield way
            way = Way()
        step = steps.get(section.name)
        way.add(section.name, section.steps, is_task=step is not None and step.do is not None and bool(step.do.task))
        if step is not None and step.question is not None:
            way.questions[step.question.id] = step.question, section.name
    yield way


def _is_noted(step: Step) -> bool:
    return isinstance(step, Do | Expect | Keep)


def _is_noted_by(step: Step, event: LessonStep | ExpectationChecked) -> bool:
    """A command is noted with the values that were remembered; which these were does not matter here."""
    if isinstance(event, ExpectationChecked):
        return isinstance(step, Expect | Keep) and event.held and event.text == step.text
    if not isinstance(step, Do):
        return False
    parts = [re.escape(part) for part in NAME.split(step.text)[::2]]
    return re.fullmatch(".*".join(parts), event.text) is not None or event.text == step.text[:COMMAND_MAX]
