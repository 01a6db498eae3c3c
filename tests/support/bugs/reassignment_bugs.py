"""Mistakes in moving replicas."""

from __future__ import annotations

from typing import Any

from cluster.controller import partition_changes
from cluster.controller.rules.reassignment import Assignment, Completed
from tests.support.bugs.planted import PlantedBug


def _done_with_one(complete_reassignment: Any) -> Any:
    """A move is done when one of the target is in sync."""

    def complete(assignment: Assignment, target_isr: tuple[int, ...]) -> Any:
        ruling = complete_reassignment(assignment, target_isr)
        staying = tuple(node for node in assignment.replicas if node not in assignment.removing)
        isr = tuple(node for node in target_isr if node in staying)
        if isr and (assignment.adding or assignment.removing):
            ruling.value, ruling.granted = Completed(Assignment(staying), isr), True
        return ruling

    return complete


def _keeps_the_epoch(next_leader_epoch: Any) -> Any:
    """Replicas that leave do not raise the leader epoch."""
    return lambda state, leader, _replicas: next_leader_epoch(state, leader, state.replicas)


REASSIGNMENT_BUGS = (
    PlantedBug("moves-with-one", "replication", "a reassignment is done when one replica of the target is in sync",
               frozenset({"P41"}), ((partition_changes, "complete_reassignment", _done_with_one),), seeds=(7,)),
    PlantedBug("moves-in-one-epoch", "replication", "the leader epoch stays when a reassignment takes replicas out",
               frozenset({"P11"}), ((partition_changes, "next_leader_epoch", _keeps_the_epoch),), seeds=(7,)),
)  # fmt: skip
