"""OffsetForLeaderEpoch: a consumer checks after a change of leader that its position still exists. Source: KIP-320."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView, error_of
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import Message


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


class EpochEndExchange(Exchange):
    """What becomes of one request; every partition is asked of the core by itself."""

    __slots__ = ("_answers", "_partitions", "_request", "_waiting")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._partitions = view.partitions
        self._answers: dict[TopicPartition, core.OffsetForLeaderEpochResponse] = {}
        asked = {
            TopicPartition(topic.topic, each.partition): each
            for topic in request.message.topics
            for each in topic.partitions
        }
        self.requests = [
            core.OffsetForLeaderEpochRequest(
                replica_id=NO_NODE,
                topic=topic_partition.topic,
                partition=topic_partition.partition,
                current_leader_epoch=each.current_leader_epoch,
                leader_epoch=each.leader_epoch,
            )
            for topic_partition, each in asked.items()
        ]
        self._waiting = set(asked)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(
        self, asked: core.OffsetForLeaderEpochRequest, response: core.OffsetForLeaderEpochResponse
    ) -> Sequence[Message]:
        """Take one answer of the core. What nobody waits for is dropped."""
        topic_partition = TopicPartition(asked.topic, asked.partition)
        if topic_partition in self._waiting:
            self._waiting.remove(topic_partition)
            self._answers[topic_partition] = response
        return ()

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
        found = self._answers[topic_partition]
        error = self._request.error(error_of(found, self._partitions))
        if found.error != ErrorCode.NONE:
            return EpochEndOffset(error, topic_partition.partition)
        return EpochEndOffset(error, topic_partition.partition, found.leader_epoch, found.end_offset)


OFFSET_FOR_LEADER_EPOCH: Final = Api(
    23, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, EpochEndExchange, versions="2-4", flexible="4+"
)
