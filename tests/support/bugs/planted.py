"""Bugs to plant: each is one small patch of one rule, switched on for a run of the checks and never in the product.

A patch replaces a name where it is used, so that nothing in the product knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cluster.invariants.verdicts.report import Report
from cluster.simulation.swarm.seed import run_seed

Change = Callable[[Any], Any]
"""From what stands there to what shall stand there."""


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """One bug."""

    name: str
    """For example votes-twice."""
    part: str
    """quorum, replication, storage or clients."""
    what: str
    """What the node does wrong, one clause."""
    breaks: frozenset[str]
    """Rules of which at least one must be violated."""
    patches: tuple[tuple[Any, str, Change], ...]
    """(module or class, attribute, change)."""
    seeds: tuple[int, ...] = ()
    """Seeds of the swarm that are known to catch it, tried before all others."""
    trouble_s: float = 10.0
    """Virtual seconds of faults in each seed."""


class _Seen(BaseException):
    """A rule is broken that the bug is known by; no handler of a node may take this for a crash of its own."""


def hunt(bug: PlantedBug, seeds: Iterable[int]) -> tuple[int | None, frozenset[str]]:
    """The first seed whose verdicts name the bug, and every rule that any seed found broken until then."""
    seen: set[str] = set()
    for seed in seeds:
        with planted(bug), _stopping_at(bug.breaks, seen):
            try:
                result = run_seed(seed, bug.trouble_s)
            except _Seen:
                return seed, frozenset(seen)
        broken = {sentence.split()[0] for sentence in result.unexpected}
        seen |= broken | ({"T5"} if "exit" in broken else set())
        if seen & bug.breaks:
            return seed, frozenset(seen)
    return None, frozenset(seen)


@contextmanager
def _stopping_at(rules: frozenset[str], seen: set[str]) -> Iterator[None]:
    """The rest of a run is not played once one of these rules is broken."""
    violated = Report.violated

    def stop(report: Report, rule: str, *given: Any, **named: Any) -> None:
        violated(report, rule, *given, **named)
        if report.tally(rule).found_count:
            seen.add(rule)
            if rule in rules:
                raise _Seen

    Report.violated = stop  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        Report.violated = violated  # type: ignore[method-assign]


@contextmanager
def planted(bug: PlantedBug) -> Iterator[None]:
    """The bug is in force within the block."""
    before = [(place, name, place.__dict__[name]) for place, name, _ in bug.patches]
    try:
        for place, name, change in bug.patches:
            setattr(place, name, change(place.__dict__[name]))
        yield
    finally:
        for place, name, value in reversed(before):
            setattr(place, name, value)
