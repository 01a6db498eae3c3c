"""Bugs to plant: each is one small patch of one rule. About half of them come along, sealed, for the bug hunt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from cluster.invariants.verdicts.report import Tally
from cluster.model.settings import KRAFT
from cluster.simulation.swarm.seed import run_seed
from workbench.challenges.bugs.planted_bug import PlantedBug as PlantedBug
from workbench.challenges.bugs.planted_bug import planted as planted


class _Seen(BaseException):
    """A rule is broken that the bug is known by; no handler of a node may take this for a crash of its own."""


def hunt(
    bug: PlantedBug,
    seeds: Iterable[int],
    control: str = KRAFT,
    *,
    voter_changes: bool = False,
    transactions: bool = False,
    fetch_sessions: bool = False,
) -> tuple[int | None, frozenset[str]]:
    """The first seed whose verdicts name the bug, and every rule that any seed found broken until then."""
    seen: set[str] = set()
    for seed in seeds:
        with planted(bug), _stopping_at(bug.breaks, seen):
            try:
                result = run_seed(
                    seed,
                    bug.trouble_s,
                    voter_changes=voter_changes,
                    transactions=transactions,
                    fetch_sessions=fetch_sessions,
                    control=control,
                )
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
    violated = Tally.violated

    def stop(tally: Tally, *given: Any, **named: Any) -> None:
        violated(tally, *given, **named)
        if tally.found_count:
            seen.add(tally.info.id)
            if tally.info.id in rules:
                raise _Seen

    Tally.violated = stop  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        Tally.violated = violated  # type: ignore[method-assign]
