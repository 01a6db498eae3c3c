"""The rule by which the controller judges an ISR that a partition leader proposes."""

from __future__ import annotations

from cluster.controller.image import MetadataImage
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import AlterPartitionRequest
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


@rule(source="KIP-497, KIP-841", kafka="ReplicationControlManager.validateAlterPartitionData")
def alter_partition(image: MetadataImage, request: AlterPartitionRequest) -> Ruling[ErrorCode]:
    """Only the partition's leader may propose an ISR, in the epochs that are in force, of replicas that are in service.

    The first check that fails names the error.
    """
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.broker_epoch != request.broker_epoch:
        registered = -1 if broker is None else broker.broker_epoch
        numbers = {"broker_epoch": request.broker_epoch, "registered_broker_epoch": registered}
        return _refuse(ErrorCode.STALE_BROKER_EPOCH, "the proposer's registration is not current", request, numbers)
    topic = image.topics.get(request.topic)
    if topic is None or topic.topic_id != request.topic_id:
        registered = -1 if topic is None else topic.topic_id
        numbers = {"topic_id": request.topic_id, "known_topic_id": registered}
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
    shown: Numbers = {
        "broker_id": request.broker_id,
        "isr": list(state.isr),
        "new_isr": [replica for replica, _ in request.new_isr],
        **numbers,
    }
    reason = "epochs match and every member of the new ISR is eligible"
    return error_or_none(ErrorCode.NONE, reason, shown)


def _judge_epochs(state: PartitionState, request: AlterPartitionRequest) -> tuple[ErrorCode, str]:
    # Epochs grow by what a controller decides, and the leader has read them in the committed log. Who is behind it is
    # not the active controller any more, and does not know it yet: the leader is to look for the new one.
    if request.leader_epoch > state.leader_epoch or request.partition_epoch > state.partition_epoch:
        return ErrorCode.NOT_CONTROLLER, "the leader knows newer metadata than this controller"
    if request.leader_epoch < state.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH, "the leader epoch is over"
    if request.broker_id != state.leader:
        return ErrorCode.INVALID_REQUEST, "only the partition leader may propose"
    # A proposal is a whole ISR, made from the one that the leader knew. Were it taken after another change, it would
    # undo it:
    #
    #     the leader    has read {1,2,3}, 3 is slow: proposes {1,2}
    #     controller    has taken 2 out meanwhile: {1,3}. Taken now, {1,2} would bring 2 back, and put 3 out
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
    # The leader hears of it later than the controller, and the fenced broker may still fetch. It was taken out of its
    # ISRs, and nobody watches its session any more: if a leader put it back now and it died, nobody would take it out
    # again but that leader, after the lag time, and until then all that is produced with acks=all waits for it.
    # Source: KIP-841.
    if broker.fenced:
        return f"broker {replica} is fenced"
    if broker.in_controlled_shutdown:
        return f"broker {replica} is shutting down"
    if broker_epoch not in (-1, broker.broker_epoch):
        return f"broker {replica} has broker epoch {broker.broker_epoch}, not {broker_epoch}"
    return ""


def _refuse(
    error: ErrorCode, reason: str, request: AlterPartitionRequest, numbers: dict[str, int]
) -> Ruling[ErrorCode]:
    shown: Numbers = {"broker_id": request.broker_id, **numbers}
    shown["new_isr"] = [replica for replica, _ in request.new_isr]
    return error_or_none(error, reason, shown)
