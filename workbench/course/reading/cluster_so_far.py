"""What a lesson's text may speak of in a step: the cluster there is by then, its topics, what was remembered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.scenario.conditions import Condition, parse_state_condition, parse_value
from cluster.scenario.event_pattern import EventPattern, parse_pattern
from cluster.scenario.given import GivenTopic
from cluster.scenario.script import At, Do, Remember, Section, When
from cluster.scenario.terms import GrammarError
from cluster.scenario.validate import Known
from workbench.course.content import Conditions
from workbench.course.lesson_error import LessonError
from workbench.course.values import TIMERS, parsed, values_in


class ClusterSoFar:
    """The script as far as the steps have played it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """Of the lesson.md, for errors."""
        self._known: Known | None = None
        self._names: set[str] = set()

    def play(self, section: Section) -> None:
        """Take in one section."""
        if section.plan is not None:
            self._known, self._names = Known(section.plan), set()
            for given in section.plan.given:
                if isinstance(given, GivenTopic):
                    self._known.topics[given.topic] = 1
        assert self._known is not None, "a script begins with a cluster"
        for step in section.steps:
            match step:
                case Remember():
                    self._names.add(step.name)
                case Do(text=command) | At(command=command) | When(command=command):
                    self._known.check_command(command, self.names)
                case _:
                    pass

    @property
    def names(self) -> frozenset[str]:
        """What has been remembered."""
        return frozenset(self._names)

    def conditions(self, line: int, text: str, what: str) -> Conditions:
        """The conditions of a line, all of which must hold. LessonError says what is allowed."""
        try:
            return tuple(self._condition(part) for part in text.split(" and "))
        except GrammarError as error:
            raise LessonError(self.path, line, f"{what}: {error}") from error

    def _condition(self, text: str) -> Condition:
        condition = parse_state_condition(text.split(), self.names, parse_value)
        self._there().check_condition(condition)
        return condition

    def pattern(self, line: int, text: str) -> EventPattern:
        """The events that a hold waits for."""
        try:
            pattern = parse_pattern(text.split(), self.names)
            self._there().check_pattern(pattern)
        except GrammarError as error:
            raise LessonError(self.path, line, f"hold at: {error}") from error
        return pattern

    def check_values(self, numbered: Iterable[tuple[int, str]]) -> None:
        """Each {value} of these lines is a timer, or can be asked of the run."""
        lines = list(numbered)
        for value, line in _placed(lines):
            try:
                cluster, term = self._there(), parsed(value, self.names)
                if term is not None:
                    cluster.check_value(term)
            except GrammarError as error:
                raise LessonError(self.path, line, str(error)) from error

    def check_timers(self, numbered: Iterable[tuple[int, str]]) -> None:
        """Each {value} of these lines, which are read before anything has happened, is a timer of the cluster."""
        for value, line in _placed(list(numbered)):
            if value not in TIMERS:
                wrong = f"{{{value[:60]}}}: nothing has happened yet; prose knows timers only, such as"
                raise LessonError(self.path, line, f"{wrong} {{broker_session_timeout_ms}}")
            if self._known is None:
                raise LessonError(self.path, line, f"{{{value}}} before the first step with a cluster")

    def _there(self) -> Known:
        if self._known is None:
            raise GrammarError("there is no cluster yet: this is before the first step with a do")
        return self._known


def _placed(lines: list[tuple[int, str]]) -> list[tuple[str, int]]:
    """Each value with the line in which it begins; it may go on in the next line."""
    placed: list[tuple[str, int]] = []
    whole = "\n".join(text for _, text in lines)
    place = 0
    for value in values_in(whole):
        place = whole.index("{", place)
        placed.append((value, lines[whole.count("\n", 0, place)][0]))
        place += 1
    return placed
