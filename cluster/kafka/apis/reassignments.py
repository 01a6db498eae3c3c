"""AlterPartitionReassignments and ListPartitionReassignments: replicas stay where they were put. Source: KIP-455."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition


@dataclass(slots=True)
class ReassignablePartition:
    """The replicas that one partition is to have; null cancels."""

    partition_index: int = int32()
    replicas: list[int] | None = array("int32", null="0+", default=None)


@dataclass(slots=True)
class ReassignableTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[ReassignablePartition] = array(ReassignablePartition)


@dataclass(slots=True)
class AlterPartitionReassignmentsRequest:
    """Partitions whose replicas are to move to other brokers."""

    timeout_ms: int = int32(default=60000)
    allow_replication_factor_change: bool = boolean("1+", default=True)
    topics: list[ReassignableTopic] = array(ReassignableTopic)


@dataclass(slots=True)
class ReassignablePartitionResponse:
    """What became of one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class ReassignableTopicResponse:
    """What became of one topic."""

    name: str = string()
    partitions: list[ReassignablePartitionResponse] = array(ReassignablePartitionResponse)


@dataclass(slots=True)
class AlterPartitionReassignmentsResponse:
    """Which moves have begun."""

    throttle_time_ms: int = int32()
    allow_replication_factor_change: bool = boolean("1+", default=True)
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    responses: list[ReassignableTopicResponse] = array(ReassignableTopicResponse)


def alter_reassignments(request: Request, view: BrokerView) -> AlterPartitionReassignmentsResponse:
    """For each partition why its replicas do not move; no error when they are where they are to be."""
    responses = [
        ReassignableTopicResponse(
            topic.name,
            [
                ReassignablePartitionResponse(
                    each.partition_index,
                    *_judged(view, TopicPartition(topic.name, each.partition_index), each.replicas),
                )
                for each in topic.partitions
            ],
        )
        for topic in request.message.topics
    ]
    may_change = request.message.allow_replication_factor_change
    return AlterPartitionReassignmentsResponse(allow_replication_factor_change=may_change, responses=responses)


def _judged(view: BrokerView, where: TopicPartition, replicas: Sequence[int] | None) -> tuple[ErrorCode, str | None]:
    """What Kafka checks before it begins, in its order."""
    known = view.partitions.get(where)
    if known is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "this cluster has no such partition"
    if replicas is None:
        return ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "nothing moves, so there is nothing to cancel"
    if not replicas or len(set(replicas)) != len(replicas):
        return ErrorCode.INVALID_REPLICA_ASSIGNMENT, "no broker, or one twice"
    unknown = [node for node in replicas if node not in view.brokers and node not in view.fenced]
    if unknown:
        return ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"broker {unknown[0]} is not registered"
    if tuple(replicas) == known.replicas:
        return ErrorCode.NONE, None
    return ErrorCode.UNSUPPORTED_VERSION, "replicas cannot be moved here: they stay on the brokers they were put on"


ALTER_PARTITION_REASSIGNMENTS: Final = Api(
    45,
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    Known.by(alter_reassignments),
    versions="0-1",
    flexible="0+",
)


@dataclass(slots=True)
class ListPartitionReassignmentsTopics:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class ListPartitionReassignmentsRequest:
    """What moves among these; null for all."""

    timeout_ms: int = int32(default=60000)
    topics: list[ListPartitionReassignmentsTopics] | None = array(
        ListPartitionReassignmentsTopics, null="0+", default=None
    )


@dataclass(slots=True)
class OngoingPartitionReassignment:
    """The move of one partition."""

    partition_index: int = int32()
    replicas: list[int] = array("int32")
    adding_replicas: list[int] = array("int32")
    removing_replicas: list[int] = array("int32")


@dataclass(slots=True)
class OngoingTopicReassignment:
    """Moves of one topic."""

    name: str = string()
    partitions: list[OngoingPartitionReassignment] = array(OngoingPartitionReassignment)


@dataclass(slots=True)
class ListPartitionReassignmentsResponse:
    """The partitions whose replicas move at present."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    topics: list[OngoingTopicReassignment] = array(OngoingTopicReassignment)


def list_reassignments(_request: Request, _view: BrokerView) -> ListPartitionReassignmentsResponse:
    """Answer that no partition moves: reassignment is not built."""
    return ListPartitionReassignmentsResponse()


LIST_PARTITION_REASSIGNMENTS: Final = Api(
    46,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    Known.by(list_reassignments),
    versions="0",
    flexible="0+",
)
