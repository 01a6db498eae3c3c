"""OffsetForLeaderEpoch: a consumer checks after a change of leader that its position still exists. Source: KIP-320."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView, error_of
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.kafka.exchange import EachPartition
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition


@dataclass(slots=True)
class OffsetForLeaderPartition:
    """The epoch asked for in one partition."""

    partition: int = int32()
    current_leader_epoch: int = int32(default=-1)
    leader_epoch: int = int32()


@dataclass(slots=True)
class OffsetForLeaderTopic:
    """The epochs asked for in one topic."""

    topic: str = string()
    partitions: list[OffsetForLeaderPartition] = array(OffsetForLeaderPartition)


@dataclass(slots=True)
class OffsetForLeaderEpochRequest:
    """Where do these epochs end? Source: KIP-320."""

    replica_id: int = int32("3+", default=-2)
    topics: list[OffsetForLeaderTopic] = array(OffsetForLeaderTopic)


@dataclass(slots=True)
class EpochEndOffset:
    """Where the epoch ends in one partition."""

    error_code: int = int16()
    partition: int = int32()
    leader_epoch: int = int32(default=-1)
    end_offset: int = int64(default=-1)


@dataclass(slots=True)
class OffsetForLeaderTopicResult:
    """Where the epochs end in one topic."""

    topic: str = string()
    partitions: list[EpochEndOffset] = array(EpochEndOffset)


@dataclass(slots=True)
class OffsetForLeaderEpochResponse:
    """The largest epoch not above the one asked for, and its exclusive end."""

    throttle_time_ms: int = int32()
    topics: list[OffsetForLeaderTopicResult] = array(OffsetForLeaderTopicResult)


class EpochEndExchange(EachPartition):
    """What becomes of one request; every partition is asked of the core by itself."""

    __slots__ = ("_partitions", "_request")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._partitions = view.partitions
        asked = {
            TopicPartition(topic.topic, each.partition): core.OffsetForLeaderEpochRequest(
                replica_id=NO_NODE,
                topic=topic.topic,
                partition=each.partition,
                current_leader_epoch=each.current_leader_epoch,
                leader_epoch=each.leader_epoch,
            )
            for topic in request.message.topics
            for each in topic.partitions
        }
        super().__init__(asked)

    def response(self) -> OffsetForLeaderEpochResponse:
        """What the client is told, in the order in which it asked. Raises KeyError when it is not complete."""
        topics = [
            OffsetForLeaderTopicResult(
                topic.topic, [self._end(TopicPartition(topic.topic, each.partition)) for each in topic.partitions]
            )
            for topic in self._request.message.topics
        ]
        return OffsetForLeaderEpochResponse(topics=topics)

    def _end(self, topic_partition: TopicPartition) -> EpochEndOffset:
        answer: core.OffsetForLeaderEpochResponse = self._answers[topic_partition]
        error = self._request.error(error_of(answer, self._partitions))
        if answer.error != ErrorCode.NONE:
            return EpochEndOffset(error, topic_partition.partition)
        return EpochEndOffset(error, topic_partition.partition, answer.leader_epoch, answer.end_offset)


OFFSET_FOR_LEADER_EPOCH: Final = Api(
    23, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, EpochEndExchange, versions="2-4", flexible="4+"
)
