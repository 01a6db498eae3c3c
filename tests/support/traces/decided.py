"""Single decisions, written by hand, and what the checker makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from cluster.model.ruling import Decision
from tests.support.traces.traces import Trace


class Case(NamedTuple):
    """A decision that is as it should be, and changes of it that are not."""

    rule: str
    event: Any
    numbers: Mapping[str, Any]
    wrong: tuple[Mapping[str, Any], ...]
    """Each changes some numbers."""
    right: tuple[Mapping[str, Any], ...] = ()
    """The same, and nothing is wrong with them."""
    granted: bool = True


def cases(*given: Case) -> pytest.MarkDecorator:
    """One test for each."""
    return pytest.mark.parametrize("case", given, ids=[f"{one.rule}-{one.event.name}" for one in given])


def judged(invariant: str, case: Case, *, trace: Trace | None = None) -> None:
    """The decision holds, and each of its changes breaks the invariant."""
    assert not _violations(invariant, case, case.numbers, case.granted, trace)
    for changed in case.right:
        assert not _violations(invariant, case, {**case.numbers, **changed}, case.granted, trace), changed
    for changed in case.wrong:
        found = _violations(invariant, case, {**case.numbers, **changed}, case.granted, trace)
        assert len(found) == 1, f"{changed} is as good as {dict(case.numbers)}"


def is_wrong(invariant: str, case: Case, *, trace: Trace | None = None) -> None:
    """The decision breaks the invariant."""
    assert len(_violations(invariant, case, case.numbers, case.granted, trace)) == 1


def _violations(
    invariant: str,
    case: Case,
    numbers: Mapping[str, Any],
    granted: bool,
    trace: Trace | None,  # noqa: FBT001
) -> tuple[Any, ...]:
    made = Trace()
    if trace is not None:
        made.entries = list(trace.entries)
    made.add(7, case.event)
    made.entries[-1].decision = Decision(case.rule, granted, "why", "where", dict(numbers))
    return made.violations(invariant)
