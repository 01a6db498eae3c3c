"""AlterPartitionReassignments for one partition: to other brokers, or back. Source: KIP-455, ReplicationControlManager.

All of the old replicas and of the new ones are replicas at first. The new ones copy as any follower outside of the ISR
does, and join it as any does. The change of the ISR that completes the target takes out, in the same record, who
leaves. So nothing but the metadata log knows of a move, and another controller goes on with it. Kafka's throttles are
not built.
"""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.partition_changes import decide, goes_by_majority, online_election, target_of
from cluster.controller.rules.leader_election import Election
from cluster.controller.rules.reassignment import (
    Assignment,
    begin_reassignment,
    reassign_partition,
    revert_reassignment,
)
from cluster.controller.state import ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.events import ReassignmentBegun, ReassignmentEnded
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ReassignPartitionRequest, ReassignPartitionResponse

BY_MAJORITY = "a majority of its replicas commits, and these cannot be moved"
NEEDS_UNCLEAN = "only replicas that were added are in sync: to go back needs an unclean election, which is not allowed"


def on_reassign_partition(
    state: ControllerState, batch: Batch, request: ReassignPartitionRequest
) -> ReassignPartitionResponse:
    """Begin, change or cancel the move of one partition, or say why not."""
    ruling = reassign_partition(state.image, request)
    error, reason = ruling.value, ruling.reason
    where = TopicPartition(request.topic, request.partition)
    if ruling.granted and goes_by_majority(state.image, state.settings, request.topic):
        error, reason = ErrorCode.INVALID_REQUEST, BY_MAJORITY
    if error == ErrorCode.NONE and request.replicas is None:
        error, reason = _cancel(state, batch, where)
    elif error == ErrorCode.NONE and request.replicas is not None:
        _begin(state, batch, where, request)
    words = "" if error == ErrorCode.NONE else reason
    return ReassignPartitionResponse(error=error, reason=words, leader_id=state.leader_id)


def _begin(state: ControllerState, batch: Batch, where: TopicPartition, request: ReassignPartitionRequest) -> None:
    """The new assignment; when all of it are in sync already, it is completed at once. No change is no record."""
    target = request.replicas or ()
    ruling = begin_reassignment(state.image.partitions[where], target)
    if not ruling.granted:
        return
    wanted = ruling.value
    begun = ReassignmentBegun(
        topic=where.topic,
        partition=where.partition,
        replicas=target,
        adding_replicas=wanted.adding,
        removing_replicas=wanted.removing,
    )
    batch.emit(begun, ruling.decision)
    names = ",".join(map(str, target))
    decide(batch, target_of(batch, state.settings, where, assignment=wanted), Election.ONLINE, f"reassigned to {names}")


def _cancel(state: ControllerState, batch: Batch, where: TopicPartition) -> tuple[ErrorCode, str]:
    before, election = state.image.partitions[where], online_election(state.image, state.settings, where.topic)
    ruling = revert_reassignment(before)
    back = ruling.value
    if back.unclean and (election is not Election.UNCLEAN or not back.replicas):
        return ErrorCode.INVALID_REPLICA_ASSIGNMENT, NEEDS_UNCLEAN if back.replicas else ruling.reason
    ended = ReassignmentEnded(
        topic=where.topic,
        partition=where.partition,
        how="cancelled",
        replicas=back.replicas,
        left=before.adding_replicas,
    )
    batch.emit(ended, ruling.decision)
    target = target_of(batch, state.settings, where, target_isr=back.isr, assignment=Assignment(back.replicas))
    decide(batch, target, election, "reassignment cancelled", unclean=back.unclean)
    return ErrorCode.NONE, ""
