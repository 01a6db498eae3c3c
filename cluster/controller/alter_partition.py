"""AlterPartition: the controller judges an ISR that a partition leader proposes. Source: KIP-497, KIP-841."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.partition_changes import decide, online_election, target_of
from cluster.controller.rules.eligible_leader_replicas import in_assignment_order
from cluster.controller.rules.proposed_isr import alter_partition
from cluster.controller.state import ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.events import AlterPartitionRefused
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse
from cluster.model.partition_state import PartitionState


def on_alter_partition(state: ControllerState, batch: Batch, request: AlterPartitionRequest) -> AlterPartitionResponse:
    """Take or refuse one proposal. One that completes a reassignment may cost its proposer the leadership."""
    ruling = alter_partition(state.image, request)
    error, decision = ruling.value, ruling.decision
    topic_partition = TopicPartition(request.topic, request.partition)
    if error != ErrorCode.NONE:
        batch.emit(
            AlterPartitionRefused(
                topic=request.topic, partition=request.partition, broker_id=request.broker_id, error=error
            ),
            decision,
        )
        return _answer(state, request, error)
    before = state.image.partitions[topic_partition]
    target_isr = in_assignment_order(before, {replica for replica, _ in request.new_isr})
    target = target_of(batch, state.settings, topic_partition, target_isr=target_isr)
    after = decide(
        batch,
        target,
        online_election(state.image, state.settings, request.topic),
        _why(before, target_isr, request),
        recovering=request.recovering,
        asked_epochs=(request.broker_id, request.broker_epoch, request.leader_epoch, request.partition_epoch),
        decision=decision,
    )
    if after is not None and after.leader != request.broker_id:
        return _answer(state, request, ErrorCode.NEW_LEADER_ELECTED)
    return _answer(state, request, ErrorCode.NONE)


def _why(before: PartitionState, target_isr: tuple[NodeId, ...], request: AlterPartitionRequest) -> str:
    if len(target_isr) > len(before.isr):
        return f"ISR expansion by leader {request.broker_id}"
    if len(target_isr) < len(before.isr):
        return f"ISR shrink by leader {request.broker_id}"
    return f"ISR change by leader {request.broker_id}"


def _answer(state: ControllerState, request: AlterPartitionRequest, error: ErrorCode) -> AlterPartitionResponse:
    response = AlterPartitionResponse(
        error=error, topic=request.topic, partition=request.partition, leader_id=state.leader_id
    )
    if error == ErrorCode.NONE:
        partition = state.image.partitions[TopicPartition(request.topic, request.partition)]
        response.leader_epoch = partition.leader_epoch
        response.partition_epoch = partition.partition_epoch
        response.isr = partition.isr
        response.recovering = partition.recovering
    return response
