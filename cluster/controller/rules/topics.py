"""The rules about topics: which may be made, grown and deleted, and how their partitions begin."""

from __future__ import annotations

import re

from cluster.controller.image import MetadataImage
from cluster.controller.rules.replica_placement import usable_brokers
from cluster.controller.rules.topic_configs import effective_min_insync_replicas
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NO_NODE, NodeId, TopicPartition
from cluster.model.messages import CreatePartitionsRequest, CreateTopicRequest
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule
from cluster.model.topic_settings import why_not

TOPIC_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""249 leaves room for a partition index in a directory name. Source: Kafka Topic.validate."""
PARTITION_COUNT_MAX = 1000
"""Partitions of one topic; Kafka allows 10000 for one request."""


@rule(source="KIP-4", kafka="ReplicationControlManager.createTopic")
def create_topic(image: MetadataImage, request: CreateTopicRequest) -> Ruling[ErrorCode]:
    """A topic is made when its name is free, its settings are known, and there are brokers for its replicas.

    The first check that fails names the error.
    """
    error, reason = _judge_name(image, request.topic)
    if error == ErrorCode.NONE and (reason := why_not(dict(request.configs))):
        error = ErrorCode.INVALID_CONFIG
    if error == ErrorCode.NONE:
        error, reason = _judge_sizes(request)
    if error == ErrorCode.NONE:
        judge = _judge_assignments if request.assignments else _judge_replication
        error, reason = judge(image, request)
    numbers: Numbers = {
        "partitions": request.partitions,
        "replication_factor": len(request.assignments[0]) if request.assignments else request.replication_factor,
        "usable_brokers": usable_brokers(image),
        "min_insync_replicas": request.min_insync_replicas,
    }
    return error_or_none(error, reason or "all checks passed", numbers)


@rule(source="KIP-631", kafka="ReplicationControlManager.buildPartitionRegistration")
def first_state(
    image: MetadataImage, topic_id: int, replicas: tuple[NodeId, ...], min_insync_replicas: int, *, by_majority: bool
) -> Ruling[PartitionState]:
    """The ISR of a new partition is who is in service, the first of them leads, and all epochs are 0.

    By majority all replicas are members for ever, in service or not.
    """
    eligible = image.eligible_brokers()
    in_service = tuple(replica for replica in replicas if replica in eligible)
    isr = replicas if by_majority else in_service
    leader = in_service[0] if in_service else NO_NODE
    state = PartitionState(
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
        min_insync_replicas=effective_min_insync_replicas(min_insync_replicas, len(replicas)).value,
    )
    numbers: Numbers = {"assignment": list(replicas), "eligible": sorted(eligible), "leader": leader}
    return Ruling(state, True, "the first assigned broker in service leads", numbers)


@rule(source="KIP-195", kafka="ReplicationControlManager.createPartitions")
def create_partitions(image: MetadataImage, request: CreatePartitionsRequest) -> Ruling[ErrorCode]:
    """A topic may only grow, and its new partitions have as many replicas as its first one.

    The first check that fails names the error.
    """
    error, reason = _judge_growth(image, request)
    return error_or_none(error, reason or "all checks passed", {"count": request.count})


@rule(source="KIP-4, KIP-516", kafka="ReplicationControlManager.deleteTopic")
def delete_topic(image: MetadataImage, name: str) -> Ruling[ErrorCode]:
    """A topic that is there may go, but for the one that holds the offsets of all groups."""
    topic = image.topics.get(name)
    if topic is None:
        return error_or_none(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic")
    numbers: Numbers = {"topic_id": topic.topic_id, "partitions": image.partition_count(name)}
    if name in INTERNAL_TOPICS:  # Kafka would delete it for who may: offsets, or what is decided, would be lost
        return error_or_none(ErrorCode.TOPIC_DELETION_DISABLED, "the cluster keeps this topic for itself", numbers)
    return error_or_none(ErrorCode.NONE, "the topic is there and may go", numbers)


def _judge_name(image: MetadataImage, name: str) -> tuple[ErrorCode, str]:
    if not TOPIC_NAME.fullmatch(name) or name in (".", ".."):
        return ErrorCode.INVALID_TOPIC_EXCEPTION, "the name breaks the rule for topic names"
    if name == METADATA.topic:
        return ErrorCode.INVALID_TOPIC_EXCEPTION, "the name belongs to the metadata log"
    if name in image.topics:
        return ErrorCode.TOPIC_ALREADY_EXISTS, "a topic of this name exists"
    for other in sorted(image.topics):
        if other.replace(".", "_") == name.replace(".", "_"):
            return ErrorCode.INVALID_TOPIC_EXCEPTION, f"the name collides with {other}: dots count as underscores"
    return ErrorCode.NONE, ""


def _judge_sizes(request: CreateTopicRequest) -> tuple[ErrorCode, str]:
    if not 1 <= request.partitions <= PARTITION_COUNT_MAX:
        return ErrorCode.INVALID_PARTITIONS, f"a topic has 1 to {PARTITION_COUNT_MAX} partitions"
    if request.min_insync_replicas < 1:
        return ErrorCode.INVALID_REQUEST, "min.insync.replicas is at least 1"
    if request.assignments and len(request.assignments) != request.partitions:
        return ErrorCode.INVALID_REQUEST, "each partition has its list of replicas"
    return ErrorCode.NONE, ""


def _judge_replication(image: MetadataImage, request: CreateTopicRequest) -> tuple[ErrorCode, str]:
    usable = usable_brokers(image)
    if request.replication_factor < 1:
        return ErrorCode.INVALID_REPLICATION_FACTOR, "the replication factor is at least 1"
    if request.replication_factor > len(usable):
        return ErrorCode.INVALID_REPLICATION_FACTOR, "more replicas than registered brokers"
    if all(image.brokers[node].fenced for node in usable):
        return ErrorCode.INVALID_REPLICATION_FACTOR, "all brokers are fenced"
    return ErrorCode.NONE, ""


def _judge_assignments(image: MetadataImage, request: CreateTopicRequest) -> tuple[ErrorCode, str]:
    factor = len(request.assignments[0])
    for partition, replicas in enumerate(request.assignments):
        reason = _why_no_replicas(image, replicas, factor)
        if reason:
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"partition {partition}: {reason}"
    return ErrorCode.NONE, ""


def _judge_growth(image: MetadataImage, request: CreatePartitionsRequest) -> tuple[ErrorCode, str]:
    if request.topic not in image.topics:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
    count = image.partition_count(request.topic)
    if request.count == count:
        return ErrorCode.INVALID_PARTITIONS, f"it has {count} partitions already"
    if request.count < count:
        return ErrorCode.INVALID_PARTITIONS, f"it has {count} partitions, and they cannot become fewer"
    if request.count > PARTITION_COUNT_MAX:
        return ErrorCode.INVALID_PARTITIONS, f"a topic has 1 to {PARTITION_COUNT_MAX} partitions"
    factor = len(image.partitions[TopicPartition(request.topic, 0)].replicas)
    if request.assignments:
        return _judge_added(image, request, request.count - count, factor)
    usable = usable_brokers(image)
    if factor > len(usable) or all(image.brokers[node].fenced for node in usable):
        return ErrorCode.INVALID_REPLICATION_FACTOR, "too few brokers are in service"
    return ErrorCode.NONE, ""


def _judge_added(
    image: MetadataImage, request: CreatePartitionsRequest, added: int, factor: int
) -> tuple[ErrorCode, str]:
    error = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    if len(request.assignments) != added:
        return error, f"{added} partitions are added, and {len(request.assignments)} are assigned"
    for replicas in request.assignments:
        if reason := _why_no_replicas(image, tuple(replicas), factor):
            return error, reason
    return ErrorCode.NONE, ""


def _why_no_replicas(image: MetadataImage, replicas: tuple[NodeId, ...], factor: int) -> str:
    """Why a partition cannot have these replicas; empty when it can. Source: validateManualPartitionAssignment."""
    if not replicas:
        return "there are no replicas"
    if len(replicas) != factor:
        return f"{len(replicas)} replicas, where each partition of this topic has {factor}"
    if len(set(replicas)) != len(replicas):
        return "a broker is assigned twice"
    unknown = [replica for replica in replicas if replica not in image.brokers]
    if unknown:
        return f"broker {unknown[0]} is not registered"
    return "" if set(replicas) & set(image.eligible_brokers()) else "every assigned broker is fenced or shutting down"
