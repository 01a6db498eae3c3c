"""Bugs of the group coordinator to plant: what members of the newer protocol are to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.groups import offsets
from cluster.groups.consumer import step as consumer_step
from cluster.groups.consumer.state import NOTHING, Parts
from tests.support.bugs.planted import PlantedBug
from workbench.challenges.bugs.sealed import sealed_bug


def _gives_nothing(_assignors: object) -> Any:
    def nobody(wanted: Mapping[str, Parts], _before: Mapping[str, Parts]) -> dict[str, Parts]:
        return dict.fromkeys(wanted, NOTHING)

    return dict.fromkeys(("uniform", "range"), nobody)


def _before_it_is_committed(write: Callable[..., Any]) -> Callable[..., Any]:
    """What is written is shown at once, under the offset that it would have far ahead."""

    def written(shared: Any, shard: Any, records: Any, apply: Any, *given: Any) -> Any:
        return [*apply(1_000_000), *write(shared, shard, records, lambda _offset: [], *given)]

    return written


COMMIT_BUGS = (
    ("g06_stale_commit", sealed_bug("groups/takes-any-commit")),
    (
        "g04_consumer_killed",
        PlantedBug(
            "shows-what-is-not-committed",
            "groups",
            "an offset is shown before its commit is committed",
            frozenset(("GR13",)),
            ((offsets, "write", _before_it_is_committed),),
        ),
    ),
)
"""With the scenario that shows each."""
GROUP_BUGS = (
    sealed_bug("groups/gives-what-others-have"),
    PlantedBug(
        "gives-nothing",
        "groups",
        "the coordinator's target leaves a whole topic out",
        frozenset(("GR2",)),
        ((consumer_step, "ASSIGNORS", _gives_nothing),),
    ),
)
