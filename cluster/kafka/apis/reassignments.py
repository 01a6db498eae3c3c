"""AlterPartitionReassignments and ListPartitionReassignments: replicas move to other brokers. Source: KIP-455."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachPartition, Known
from cluster.model import messages as core
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


class AlterReassignmentsExchange(EachPartition):
    """What becomes of one AlterPartitionReassignments request. Of a partition named twice the last target counts."""

    __slots__ = ("_request",)

    def __init__(self, request: Request, _view: BrokerView) -> None:
        self._request = request
        may_change = request.message.allow_replication_factor_change
        super().__init__(
            {
                TopicPartition(topic.name, each.partition_index): core.ReassignPartitionRequest(
                    topic=topic.name,
                    partition=each.partition_index,
                    replicas=None if each.replicas is None else tuple(each.replicas),
                    may_change_factor=may_change,
                )
                for topic in request.message.topics
                for each in topic.partitions
            }
        )

    def response(self) -> AlterPartitionReassignmentsResponse:
        """What the client is told. No error says that a move has begun, not that it is done."""
        topics: dict[str, ReassignableTopicResponse] = {}
        for where, answer in sorted(self._answers.items()):
            error = self._request.error(answer.error)
            response = ReassignablePartitionResponse(where.partition, error, words_for(error, answer.reason))
            topics.setdefault(where.topic, ReassignableTopicResponse(where.topic)).partitions.append(response)
        may_change = self._request.message.allow_replication_factor_change
        return AlterPartitionReassignmentsResponse(
            allow_replication_factor_change=may_change, responses=list(topics.values())
        )


ALTER_PARTITION_REASSIGNMENTS: Final = Api(
    45,
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    AlterReassignmentsExchange,
    versions="0-1",
    flexible="0+",
    whom=Whom.CONTROLLER,
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


def list_reassignments(request: Request, view: BrokerView) -> ListPartitionReassignmentsResponse:
    """What moves, as far as this broker has read the metadata log. Kafka asks its controller."""
    asked = request.message.topics
    named = None if asked is None else {(each.name, index) for each in asked for index in each.partition_indexes}
    topics: dict[str, OngoingTopicReassignment] = {}
    for where, state in sorted(view.partitions.items()):
        if state.is_reassigning and (named is None or where in named):
            moving = OngoingPartitionReassignment(
                where.partition, list(state.replicas), list(state.adding_replicas), list(state.removing_replicas)
            )
            topics.setdefault(where.topic, OngoingTopicReassignment(where.topic)).partitions.append(moving)
    return ListPartitionReassignmentsResponse(topics=list(topics.values()))


LIST_PARTITION_REASSIGNMENTS: Final = Api(
    46,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    Known.by(list_reassignments),
    versions="0",
    flexible="0+",
)
