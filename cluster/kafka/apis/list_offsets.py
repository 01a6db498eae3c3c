"""ListOffsets: one request of a client, one for the core for each partition. Source: KIP-79, KIP-734, KIP-207."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.apis.fetch import READ_COMMITTED
from cluster.kafka.broker_view import BrokerView, error_of
from cluster.kafka.codec.fields import array, int8, int16, int32, int64, string
from cluster.kafka.exchange import EachPartition
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import Message
from cluster.model.messages.records import EARLIEST_LOCAL, LATEST_TIERED, MAX_TIMESTAMP

_SINCE = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""First version that knows a special time."""


@dataclass(slots=True)
class ListOffsetsPartition:
    """The timestamp wanted in one partition."""

    partition_index: int = int32()
    current_leader_epoch: int = int32("4+", default=-1)
    timestamp: int = int64()


@dataclass(slots=True)
class ListOffsetsTopic:
    """The timestamps wanted in one topic."""

    name: str = string()
    partitions: list[ListOffsetsPartition] = array(ListOffsetsPartition)


@dataclass(slots=True)
class ListOffsetsRequest:
    """Which offset belongs to these timestamps (-1 the end, -2 the start, -3 the largest timestamp)?"""

    replica_id: int = int32()
    isolation_level: int = int8("2+")
    topics: list[ListOffsetsTopic] = array(ListOffsetsTopic)
    timeout_ms: int = int32("10+")


@dataclass(slots=True)
class ListOffsetsPartitionResponse:
    """The offset found in one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    timestamp: int = int64(default=-1)
    offset: int = int64(default=-1)
    leader_epoch: int = int32("4+", default=-1)


@dataclass(slots=True)
class ListOffsetsTopicResponse:
    """The offsets found in one topic."""

    name: str = string()
    partitions: list[ListOffsetsPartitionResponse] = array(ListOffsetsPartitionResponse)


@dataclass(slots=True)
class ListOffsetsResponse:
    """The offsets found."""

    throttle_time_ms: int = int32("2+")
    topics: list[ListOffsetsTopicResponse] = array(ListOffsetsTopicResponse)


class ListOffsetsExchange(EachPartition):
    """What becomes of one ListOffsets request. Whoever asks is a consumer, whatever replica it says it is."""

    __slots__ = ("_partitions", "_refused", "_request")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._partitions = view.partitions
        self._refused: dict[TopicPartition, ErrorCode] = {}
        asked: dict[TopicPartition, Message] = {}
        for topic in request.message.topics:
            for each in topic.partitions:
                where = TopicPartition(topic.name, each.partition_index)
                if where in asked or where in self._refused:
                    self._refused[where] = ErrorCode.INVALID_REQUEST
                    asked.pop(where, None)
                elif each.timestamp < LATEST_TIERED or request.version < _SINCE.get(each.timestamp, 0):
                    self._refused[where] = ErrorCode.UNSUPPORTED_VERSION
                else:
                    asked[where] = core.ListOffsetsRequest(
                        replica_id=NO_NODE,
                        topic=where.topic,
                        partition=where.partition,
                        current_leader_epoch=each.current_leader_epoch,
                        timestamp_ms=each.timestamp,
                        read_committed=request.message.isolation_level == READ_COMMITTED,
                    )
        super().__init__(asked)

    def response(self) -> ListOffsetsResponse:
        """What the client is told, in the order in which it asked. Raises KeyError when it is not complete."""
        topics = []
        for topic in self._request.message.topics:
            wheres = [TopicPartition(topic.name, each.partition_index) for each in topic.partitions]
            topics.append(ListOffsetsTopicResponse(topic.name, [self._partition(where) for where in wheres]))
        return ListOffsetsResponse(topics=topics)

    def _partition(self, where: TopicPartition) -> ListOffsetsPartitionResponse:
        refused = self._refused.get(where)
        if refused is not None:
            return ListOffsetsPartitionResponse(where.partition, refused)
        answer: core.ListOffsetsResponse = self._answers[where]
        error = self._request.error(error_of(answer, self._partitions))
        if error != ErrorCode.NONE:
            return ListOffsetsPartitionResponse(where.partition, error)
        return ListOffsetsPartitionResponse(
            where.partition, error, answer.timestamp_ms, answer.offset, answer.leader_epoch
        )


LIST_OFFSETS: Final = Api(
    2,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsExchange,
    versions="1-10",
    flexible="6+",
    younger_errors={ErrorCode.OFFSET_NOT_AVAILABLE: (5, ErrorCode.LEADER_NOT_AVAILABLE)},
)
