"""AlterPartition: the controller judges an ISR that a partition leader proposes. Source: KIP-497, KIP-841."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.elections import Candidates
from cluster.controller.image import MetadataImage
from cluster.controller.partition_changes import (
    changed,
    in_assignment_order,
    online_election,
    target_elr,
    write_partition,
)
from cluster.controller.state import ControllerState
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.events import AlterPartitionRefused
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse
from cluster.model.partition_state import PartitionState

SOURCE = "KIP-497, KIP-841; ReplicationControlManager.validateAlterPartitionData"


def on_alter_partition(state: ControllerState, batch: Batch, request: AlterPartitionRequest) -> AlterPartitionResponse:
    """Take or refuse one proposal."""
    error, decision = judge(state.image, request)
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
    candidates = Candidates(
        state=before,
        target_isr=target_isr,
        target_elr=target_elr(before, target_isr, state.settings.elr, frozenset()),
        eligible=frozenset(state.image.eligible_brokers()),
        elr_enabled=state.settings.elr,
    )
    election = online_election(state.image, state.settings, request.topic)
    after, unclean, _ = changed(candidates, election, recovering=request.recovering)
    if after is not None:
        asked = (request.broker_id, request.broker_epoch, request.leader_epoch, request.partition_epoch)
        write_partition(batch, topic_partition, after, _why(before, target_isr, request), unclean, decision, asked)
    return _answer(state, request, ErrorCode.NONE)


def judge(image: MetadataImage, request: AlterPartitionRequest) -> tuple[ErrorCode, Decision]:
    """All checks of a proposal; the first that fails names the error."""
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.broker_epoch != request.broker_epoch:
        known = -1 if broker is None else broker.broker_epoch
        numbers = {"broker_epoch": request.broker_epoch, "registered_broker_epoch": known}
        return _refuse(ErrorCode.STALE_BROKER_EPOCH, "the proposer's registration is not current", request, numbers)
    topic = image.topics.get(request.topic)
    if topic is None or topic.topic_id != request.topic_id:
        known = -1 if topic is None else topic.topic_id
        numbers = {"topic_id": request.topic_id, "known_topic_id": known}
        return _refuse(ErrorCode.UNKNOWN_TOPIC_ID, "no topic with this id", request, numbers)
    state = image.partitions.get(TopicPartition(request.topic, request.partition))
    if state is None:
        return _refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such partition", request, {})
    error, reason = _judge_epochs(state, request)
    if error == ErrorCode.NONE:
        error, reason = _judge_isr(image, state, request)
    numbers = {
        "partition_leader": state.leader,
        "leader_epoch": request.leader_epoch,
        "known_leader_epoch": state.leader_epoch,
        "partition_epoch": request.partition_epoch,
        "known_partition_epoch": state.partition_epoch,
    }
    if error != ErrorCode.NONE:
        return _refuse(error, reason, request, numbers)
    shown: dict[str, int | str | list[int]] = {
        "broker_id": request.broker_id,
        "isr": list(state.isr),
        "new_isr": [replica for replica, _ in request.new_isr],
        **numbers,
    }
    reason = "epochs match and every member of the new ISR is eligible"
    return ErrorCode.NONE, Decision("alter_partition", True, reason, SOURCE, shown)


def _judge_epochs(state: PartitionState, request: AlterPartitionRequest) -> tuple[ErrorCode, str]:
    if request.leader_epoch > state.leader_epoch or request.partition_epoch > state.partition_epoch:
        return ErrorCode.NOT_CONTROLLER, "the leader knows newer metadata than this controller"
    if request.leader_epoch < state.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH, "the leader epoch is over"
    if request.broker_id != state.leader:
        return ErrorCode.INVALID_REQUEST, "only the partition leader may propose"
    if request.partition_epoch < state.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION, "the partition changed since the leader read it"
    return ErrorCode.NONE, ""


def _judge_isr(image: MetadataImage, state: PartitionState, request: AlterPartitionRequest) -> tuple[ErrorCode, str]:
    members = [replica for replica, _ in request.new_isr]
    if len(set(members)) != len(members) or not set(members) <= set(state.replicas):
        return ErrorCode.INVALID_REQUEST, "the ISR is not a set of its replicas"
    if state.leader not in members:
        return ErrorCode.INVALID_REQUEST, "the ISR is empty or lacks the leader"
    if request.recovering and len(members) > 1:
        return ErrorCode.INVALID_REQUEST, "a recovering leader is alone in the ISR"
    if request.recovering and not state.recovering:
        return ErrorCode.INVALID_REQUEST, "a recovered partition cannot become recovering again"
    for replica, broker_epoch in request.new_isr:
        reason = ineligible_reason(image, replica, broker_epoch)
        if reason:
            return ErrorCode.INELIGIBLE_REPLICA, reason
    return ErrorCode.NONE, ""


def ineligible_reason(image: MetadataImage, replica: NodeId, broker_epoch: int) -> str:
    """Why a replica may not be in an ISR, or nothing; broker epoch -1 skips that check. Source: KIP-841, KIP-903."""
    broker = image.brokers.get(replica)
    if broker is None:
        return f"broker {replica} is not registered"
    if broker.fenced:
        return f"broker {replica} is fenced"
    if broker.in_controlled_shutdown:
        return f"broker {replica} is shutting down"
    if broker_epoch not in (-1, broker.broker_epoch):
        return f"broker {replica} has broker epoch {broker.broker_epoch}, not {broker_epoch}"
    return ""


def _refuse(
    error: ErrorCode, reason: str, request: AlterPartitionRequest, numbers: dict[str, int]
) -> tuple[ErrorCode, Decision]:
    shown: dict[str, int | str | list[int]] = {"broker_id": request.broker_id, **numbers}
    shown["new_isr"] = [replica for replica, _ in request.new_isr]
    return error, Decision("alter_partition", False, reason, SOURCE, shown)


def _why(before: PartitionState, target_isr: tuple[NodeId, ...], request: AlterPartitionRequest) -> str:
    if len(target_isr) > len(before.isr):
        return f"ISR expansion by leader {request.broker_id}"
    if len(target_isr) < len(before.isr):
        return f"ISR shrink by leader {request.broker_id}"
    if before.recovering and not request.recovering:
        return f"leader {request.broker_id} recovered"
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
