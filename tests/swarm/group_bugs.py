"""Bugs of the group coordinator to plant: what members of the newer protocol are to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from planted import PlantedBug

from cluster.groups.consumer import step as consumer_step
from cluster.groups.consumer.state import NOTHING, ConsumerMember, Parts


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
