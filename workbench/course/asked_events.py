"""Which events the conditions and the values of a lesson ask for: only those are kept while it runs."""

from __future__ import annotations

from collections.abc import Iterator

from cluster.model.events import CATALOGUE
from cluster.scenario.event_pattern import EventCount
from workbench.course.content import Conditions, Lesson, Reveal, Step
from workbench.course.values import values_in


def asked_events(lesson: Lesson) -> frozenset[type]:
    """Classes of all events that conditions and texts of a lesson count, so that its runner keeps them."""
    kinds: set[type] = set()
    for step in lesson.steps:
        for condition in (one for several in _conditions(step) for one in several):
            terms = (condition.left, condition.right)
            kinds |= {term.pattern.kind for term in terms if isinstance(term, EventCount)}
        for text in _texts(step):
            asked = [value.split() for value in values_in(text)]
            kinds |= {CATALOGUE[words[1]] for words in asked if words[:1] == ["events"]}
    return frozenset(kinds)


def _conditions(step: Step) -> Iterator[Conditions]:
    if step.question is not None:
        yield from (option.when for option in step.question.options)
    if step.do is not None:
        yield from (hold.condition for hold in step.do.holds)
        if step.do.task is not None:
            yield step.do.task.done_when
    yield from (block.condition for block in step.after if isinstance(block, Reveal))


def _texts(step: Step) -> Iterator[str]:
    if step.question is not None:
        yield from (option.why for option in step.question.options)
    if step.do is not None:
        yield from (hold.look for hold in step.do.holds)
    yield from (block.text for block in step.after if isinstance(block, Reveal))
