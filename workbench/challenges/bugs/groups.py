"""Bugs of the group coordinator that a hunt seals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.groups.classic import rules as classic_rules
from cluster.groups.consumer import step as consumer_step
from cluster.groups.consumer.state import NOTHING, ConsumerMember, Parts
from cluster.model.errors import ErrorCode
from workbench.challenges.bugs.planted_bug import PlantedBug, answering


def _gives_what_others_have(reconcile: Callable[..., Any]) -> Callable[..., Any]:
    def given(
        member: ConsumerMember, epoch: int, target: Parts, subscribed: Parts, _held: Parts, owned: Parts | None
    ) -> Any:
        return reconcile(member, epoch, target, subscribed, NOTHING, owned)

    return given


def _takes_any_commit(may_commit: Any) -> Any:
    return answering(may_commit, value=ErrorCode.NONE, granted=True)


GROUPS = (
    PlantedBug(
        "gives-what-others-have",
        "groups",
        "the coordinator gives a partition before its owner has given it up",
        frozenset(("GR11",)),
        ((consumer_step, "reconcile", _gives_what_others_have),),
    ),
    PlantedBug(
        "takes-any-commit",
        "groups",
        "the coordinator takes a commit of an older generation",
        frozenset(("GR5",)),
        ((classic_rules, "may_commit", _takes_any_commit),),
    ),
)  # fmt: skip
