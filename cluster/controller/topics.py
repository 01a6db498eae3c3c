"""Topic creation: check the wish, place the replicas, write the first states. Source: KIP-631."""

from __future__ import annotations

import re

from cluster.controller.batch import Batch
from cluster.controller.described_configs import of_topic
from cluster.controller.image import MetadataImage, TopicState
from cluster.controller.partition_changes import write_partition
from cluster.controller.state import ControllerState
from cluster.controller.topic_configs import write_config
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicCreated
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse
from cluster.model.metadata_records import TopicRecord
from cluster.model.partition_state import PartitionState
from cluster.model.topic_settings import MIN_ISR, TOPIC_SETTINGS, default_of, why_not

TOPIC_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""249 leaves room for a partition index in a directory name. Source: Kafka Topic.validate."""
PARTITION_COUNT_MAX = 1000
"""Partitions of one topic; Kafka allows 10000 for one request."""
SOURCE = "ReplicationControlManager.createTopic, StripedReplicaPlacer"


def on_create_topic(state: ControllerState, batch: Batch, request: CreateTopicRequest) -> CreateTopicResponse:
    """Create one topic, or say why not."""
    error, decision = judge_topic(state.image, request)
    if error != ErrorCode.NONE:
        return CreateTopicResponse(error=error, reason=decision.reason, leader_id=state.leader_id)
    replica_lists = _replica_lists(state.image, request)
    own = {name: TOPIC_SETTINGS[name].spelled(value) for name, value in request.configs}
    topic_id, minimum = batch.next_offset, int(own.get(MIN_ISR, request.min_insync_replicas))
    if not request.validate_only:
        batch.emit(
            TopicCreated(
                topic=request.topic,
                topic_id=topic_id,
                partitions=request.partitions,
                min_insync_replicas=minimum,
            ),
            decision,
        )
        batch.write(TopicRecord(topic=request.topic, topic_id=topic_id, min_insync_replicas=minimum))
        for name, value in own.items():
            write_config(batch, request.topic, name, value, default_of(name, state.settings))
        for partition, replicas in enumerate(replica_lists):
            created, first = first_state(state.image, topic_id, replicas, minimum)
            write_partition(batch, TopicPartition(request.topic, partition), created, "created", False, first)
    configs = of_topic(TopicState(topic_id=topic_id, min_insync_replicas=minimum, own=own), state.settings)
    return CreateTopicResponse(leader_id=state.leader_id, topic_id=topic_id, configs=configs)


def judge_topic(image: MetadataImage, request: CreateTopicRequest) -> tuple[ErrorCode, Decision]:
    """Whether a topic may be created; the first check that fails names the error."""
    error, reason = _judge_name(image, request.topic)
    if error == ErrorCode.NONE and (reason := why_not(dict(request.configs))):
        error = ErrorCode.INVALID_CONFIG
    if error == ErrorCode.NONE:
        error, reason = _judge_sizes(request)
    if error == ErrorCode.NONE:
        judge = _judge_assignments if request.assignments else _judge_replication
        error, reason = judge(image, request)
    numbers: dict[str, int | str | list[int]] = {
        "partitions": request.partitions,
        "replication_factor": len(request.assignments[0]) if request.assignments else request.replication_factor,
        "usable_brokers": usable_brokers(image),
        "min_insync_replicas": request.min_insync_replicas,
    }
    return error, Decision("create_topic", error == ErrorCode.NONE, reason or "all checks passed", SOURCE, numbers)


def usable_brokers(image: MetadataImage) -> list[NodeId]:
    """Registered brokers that are not shutting down, unfenced ones first."""
    usable = [node for node, broker in sorted(image.brokers.items()) if not broker.in_controlled_shutdown]
    return sorted(usable, key=lambda node: (image.brokers[node].fenced, node))


def place(
    unfenced: tuple[NodeId, ...], fenced: tuple[NodeId, ...], partitions: int, replication_factor: int, start: int
) -> list[tuple[NodeId, ...]]:
    """Stripe replicas over brokers: each partition starts one broker later; fenced brokers only fill up.

    Kafka starts at a random broker; here the start is an argument, so that a run repeats exactly.
    """
    lists = []
    for partition in range(partitions):
        order = _rotated(unfenced, start + partition) + _rotated(fenced, start + partition)
        lists.append(order[:replication_factor])
    return lists


def first_state(
    image: MetadataImage, topic_id: int, replicas: tuple[NodeId, ...], min_insync_replicas: int
) -> tuple[PartitionState, Decision]:
    """State of a new partition: the ISR is whoever is in service, its first member leads, all epochs are 0."""
    eligible = image.eligible_brokers()
    isr = tuple(replica for replica in replicas if replica in eligible)
    leader = isr[0] if isr else NO_NODE
    state = PartitionState(
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
        min_insync_replicas=min(min_insync_replicas, len(replicas)),
    )
    numbers: dict[str, int | str | list[int]] = {
        "assignment": list(replicas),
        "eligible": sorted(eligible),
        "leader": leader,
    }
    return state, Decision("place_replicas", True, "the first assigned broker in service leads", SOURCE, numbers)


def _rotated(brokers: tuple[NodeId, ...], start: int) -> tuple[NodeId, ...]:
    if not brokers:
        return ()
    index = start % len(brokers)
    return brokers[index:] + brokers[:index]


def _replica_lists(image: MetadataImage, request: CreateTopicRequest) -> list[tuple[NodeId, ...]]:
    if request.assignments:
        return list(request.assignments)
    usable = usable_brokers(image)
    unfenced = tuple(node for node in usable if not image.brokers[node].fenced)
    fenced = tuple(node for node in usable if image.brokers[node].fenced)
    return place(unfenced, fenced, request.partitions, request.replication_factor, len(image.topics))


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
        reason = why_no_replicas(image, replicas, factor)
        if reason:
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"partition {partition}: {reason}"
    return ErrorCode.NONE, ""


def why_no_replicas(image: MetadataImage, replicas: tuple[NodeId, ...], factor: int) -> str:
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
