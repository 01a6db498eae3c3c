"""CreatePartitions: more partitions of a topic that is there. Source: KIP-195, ReplicationControlManager."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.image import MetadataImage
from cluster.controller.partition_changes import write_partition
from cluster.controller.state import ControllerState
from cluster.controller.topics import PARTITION_COUNT_MAX, first_state, place, usable_brokers, why_no_replicas
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import CreatePartitionsRequest, CreatePartitionsResponse


def on_create_partitions(
    state: ControllerState, batch: Batch, request: CreatePartitionsRequest
) -> CreatePartitionsResponse:
    """Add partitions to one topic, or say why not. Those it has stay as they are; records do not move."""
    error, reason = judge(state.image, request)
    if error != ErrorCode.NONE or request.validate_only:
        return CreatePartitionsResponse(error=error, reason=reason, leader_id=state.leader_id)
    topic = state.image.topics[request.topic]
    known = partition_count(state.image, request.topic)
    lists = request.assignments or _placed(state.image, request.topic, request.count - known)
    for partition, replicas in enumerate(lists, known):
        created, decision = first_state(state.image, topic.topic_id, tuple(replicas), topic.min_insync_replicas)
        write_partition(batch, TopicPartition(request.topic, partition), created, "created", False, decision)
    return CreatePartitionsResponse(leader_id=state.leader_id)


def partition_count(image: MetadataImage, topic: str) -> int:
    """How many partitions a topic has."""
    return sum(1 for topic_partition in image.partitions if topic_partition.topic == topic)


def judge(image: MetadataImage, request: CreatePartitionsRequest) -> tuple[ErrorCode, str]:
    """Whether a topic may grow so; the first check that fails names the error."""
    if request.topic not in image.topics:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
    known = partition_count(image, request.topic)
    if request.count == known:
        return ErrorCode.INVALID_PARTITIONS, f"it has {known} partitions already"
    if request.count < known:
        return ErrorCode.INVALID_PARTITIONS, f"it has {known} partitions, and they cannot become fewer"
    if request.count > PARTITION_COUNT_MAX:
        return ErrorCode.INVALID_PARTITIONS, f"a topic has 1 to {PARTITION_COUNT_MAX} partitions"
    factor = len(image.partitions[TopicPartition(request.topic, 0)].replicas)
    if request.assignments:
        return _judge_assignments(image, request, request.count - known, factor)
    usable = usable_brokers(image)
    if factor > len(usable) or all(image.brokers[node].fenced for node in usable):
        return ErrorCode.INVALID_REPLICATION_FACTOR, "too few brokers are in service"
    return ErrorCode.NONE, ""


def _judge_assignments(
    image: MetadataImage, request: CreatePartitionsRequest, added: int, factor: int
) -> tuple[ErrorCode, str]:
    error = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    if len(request.assignments) != added:
        return error, f"{added} partitions are added, and {len(request.assignments)} are assigned"
    for replicas in request.assignments:
        if reason := why_no_replicas(image, tuple(replicas), factor):
            return error, reason
    return ErrorCode.NONE, ""


def _placed(image: MetadataImage, topic: str, added: int) -> list[tuple[NodeId, ...]]:
    """Striped on from where the topic's partitions end."""
    usable = usable_brokers(image)
    unfenced = tuple(node for node in usable if not image.brokers[node].fenced)
    fenced = tuple(node for node in usable if image.brokers[node].fenced)
    first = image.partitions[TopicPartition(topic, 0)].replicas
    start = unfenced.index(first[0]) if first[0] in unfenced else 0
    return place(unfenced, fenced, added, len(first), start + partition_count(image, topic))
