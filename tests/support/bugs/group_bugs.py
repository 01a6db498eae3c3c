"""Bugs of the group coordinator to plant: what members of the newer protocol are to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.groups import offsets
from cluster.groups.classic import rules as classic_rules
from cluster.groups.consumer import step as consumer_step
from cluster.groups.consumer.state import NOTHING, ConsumerMember, Parts
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Ruling, error_or_none, rule
from tests.support.bugs.planted import PlantedBug


def _gives_what_others_have(reconcile: Callable[..., Any]) -> Callable[..., Any]:
    def planted(
        member: ConsumerMember, epoch: int, target: Parts, subscribed: Parts, _held: Parts, owned: Parts | None
    ) -> Any:
        return reconcile(member, epoch, target, subscribed, NOTHING, owned)

    return planted


def _gives_nothing(_assignors: object) -> Any:
    def nobody(wanted: Mapping[str, Parts], _before: Mapping[str, Parts]) -> dict[str, Parts]:
        return dict.fromkeys(wanted, NOTHING)

    return dict.fromkeys(("uniform", "range"), nobody)


def _takes_any_commit(_may_commit: object) -> Any:
    @rule(source="planted")
    def may_commit(*_facts: object) -> Ruling[ErrorCode]:
        return error_or_none(ErrorCode.NONE, "planted")

    return may_commit


def _before_it_is_committed(write: Callable[..., Any]) -> Callable[..., Any]:
    """What is written is shown at once, under the offset that it would have far ahead."""

    def written(shared: Any, shard: Any, records: Any, apply: Any, *given: Any) -> Any:
        return [*apply(1_000_000), *write(shared, shard, records, lambda _offset: [], *given)]

    return written


COMMIT_BUGS = (
    (
        "g06_stale_commit",
        PlantedBug(
            "takes-any-commit",
            "groups",
            "the coordinator takes a commit of an older generation",
            frozenset(("GR5",)),
            ((classic_rules, "may_commit", _takes_any_commit),),
        ),
    ),
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
    PlantedBug(
        "gives-what-others-have",
        "groups",
        "the coordinator gives a partition before its owner has given it up",
        frozenset(("GR11",)),
        ((consumer_step, "reconcile", _gives_what_others_have),),
    ),
    PlantedBug(
        "gives-nothing",
        "groups",
        "the coordinator's target leaves a whole topic out",
        frozenset(("GR2",)),
        ((consumer_step, "ASSIGNORS", _gives_nothing),),
    ),
)
