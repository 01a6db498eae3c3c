"""ElectLeaders: one request of an admin client, one for the active controller for each partition. Source: KIP-460."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, int8, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachPartition
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition


@dataclass(slots=True)
class TopicPartitions:
    """Partitions of one topic."""

    topic: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class ElectLeadersRequest:
    """Elect leaders for these partitions; null for all."""

    election_type: int = int8("1+")
    topic_partitions: list[TopicPartitions] | None = array(TopicPartitions, null="0+")
    timeout_ms: int = int32(default=60000)


@dataclass(slots=True)
class PartitionResult:
    """What became of one election."""

    partition_id: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class ReplicaElectionResult:
    """What became of the elections of one topic."""

    topic: str = string()
    partition_result: list[PartitionResult] = array(PartitionResult)


@dataclass(slots=True)
class ElectLeadersResponse:
    """Who was elected, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16("1+")
    replica_election_results: list[ReplicaElectionResult] = array(ReplicaElectionResult)


class ElectionType(IntEnum):
    """Which election is asked for."""

    PREFERRED = 0
    """The first replica, when it is in sync."""
    UNCLEAN = 1
    """Any replica, when none is in sync: records may be lost."""


class ElectLeadersExchange(EachPartition):
    """What becomes of one ElectLeaders request."""

    __slots__ = ("_asked", "_for_all", "_request", "_top_error")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._for_all = request.message.topic_partitions is None
        kind = request.message.election_type
        self._top_error = ErrorCode.NONE if kind in set(ElectionType) else ErrorCode.INVALID_REQUEST
        self._asked = [] if self._top_error else list(dict.fromkeys(self._partitions(view.partitions)))
        unclean = kind == ElectionType.UNCLEAN
        super().__init__(
            {
                where: core.ElectLeadersRequest(topic=where.topic, partition=where.partition, unclean=unclean)
                for where in self._asked
            }
        )

    def _partitions(self, all_partitions: Iterable[TopicPartition]) -> Iterable[TopicPartition]:
        if self._for_all:
            return sorted(all_partitions)
        named = self._request.message.topic_partitions
        return [TopicPartition(each.topic, partition) for each in named for partition in each.partitions]

    def response(self) -> ElectLeadersResponse:
        """What the client is told. Who asked for all partitions hears nothing of those that needed no election."""
        topics: dict[str, ReplicaElectionResult] = {}
        for topic_partition in self._asked:
            error = self._request.error(self._answers[topic_partition].error)
            if self._for_all and error == ErrorCode.ELECTION_NOT_NEEDED:
                continue
            topic = topics.setdefault(topic_partition.topic, ReplicaElectionResult(topic_partition.topic))
            topic.partition_result.append(PartitionResult(topic_partition.partition, error, words_for(error)))
        return ElectLeadersResponse(0, self._top_error, list(topics.values()))


ELECT_LEADERS: Final = Api(
    43,
    ElectLeadersRequest,
    ElectLeadersResponse,
    ElectLeadersExchange,
    versions="0-2",
    flexible="2+",
    whom=Whom.CONTROLLER,
)
