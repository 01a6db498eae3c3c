"""Mistakes in moving replicas."""

from __future__ import annotations

from typing import Any

from cluster.controller import partition_changes
from cluster.controller.rules.reassignment import Assignment, Completed
from cluster.model.identifiers import TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.node.hosted_partitions import HostedPartitions
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


def _keeps_the_log(_move_away: Any) -> Any:
    """Who is no replica any more leaves the partition, and its files stay."""

    def move_away(self: HostedPartitions, where: TopicPartition, state: PartitionState, now_ms: int) -> Any:
        return [*self.coordinators.publish(where, state, now_ms), *self.leave(where)]

    return move_away


REASSIGNMENT_BUGS = (
    PlantedBug("moves-with-one", "replication", "a reassignment is done when one replica of the target is in sync",
               frozenset({"P41"}), ((partition_changes, "complete_reassignment", _done_with_one),), seeds=(7,)),
    PlantedBug("moves-in-one-epoch", "replication", "the leader epoch stays when a reassignment takes replicas out",
               frozenset({"P11"}), ((partition_changes, "next_leader_epoch", _keeps_the_epoch),), seeds=(7,)),
    PlantedBug("moves-and-keeps", "replication", "a replica that was moved away leaves its log behind",
               frozenset({"L14"}), ((HostedPartitions, "move_away", _keeps_the_log),), seeds=(33,)),
)  # fmt: skip
