"""A bug of the group coordinator to plant: members of the newer protocol get what others still have."""

from __future__ import annotations

from collections.abc import Callable
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


GROUP_BUGS = (
    PlantedBug(
        "gives-what-others-have",
        "groups",
        "the coordinator gives a partition before its owner has given it up",
        frozenset(("GR11",)),
        ((consumer_step, "reconcile", _gives_what_others_have),),
    ),
)
