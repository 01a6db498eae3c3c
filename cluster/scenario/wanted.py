"""Which events a script asks for: only those are kept while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from cluster.scenario.conditions import AnyCondition, Condition
from cluster.scenario.event_pattern import EventCount
from cluster.scenario.script import Expect, Keep, Remember, Script
from cluster.scenario.told import EventSeen, VerdictIs


def wanted_events(script: Script) -> frozenset[type] | None:
    """Their classes; None for all of them, when it asks for a verdict."""
    conditions = [
        step.condition for section in script.sections for step in section.steps if isinstance(step, Expect | Keep)
    ]
    if any(isinstance(condition, VerdictIs) for condition in conditions):
        return None
    found = {kind for condition in conditions for kind in _kinds(condition)}
    terms = [step.term for section in script.sections for step in section.steps if isinstance(step, Remember)]
    return frozenset(found | {term.pattern.kind for term in terms if isinstance(term, EventCount)})


def _kinds(condition: AnyCondition) -> Iterator[type]:
    match condition:
        case EventSeen(pattern=pattern):
            yield pattern.kind
        case VerdictIs():
            return
        case Condition(left=left, right=right):
            for term in (left, right):
                if isinstance(term, EventCount):
                    yield term.pattern.kind
        case _:
            assert_never(condition)
