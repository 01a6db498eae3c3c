"""OffsetForLeaderEpoch: a consumer checks after a change of leader that its position still exists. Source: KIP-320."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import client_error
from cluster.kafka.exchanges.exchange import BrokerView, Exchange
from cluster.kafka.exchanges.leaders import error_of
from cluster.kafka.frames import Request
from cluster.kafka.schema.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import Message, OffsetForLeaderEpochRequest
from cluster.model.messages import OffsetForLeaderEpochResponse as CoreResponse


class EpochEndExchange(Exchange):
    """What becomes of one request; every partition is asked of the core by itself."""

    __slots__ = ("_answers", "_partitions", "_request", "_waiting")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._partitions = view.partitions
        self._answers: dict[TopicPartition, CoreResponse] = {}
        asked = {
            TopicPartition(topic.topic, each.partition): each
            for topic in request.message.topics
            for each in topic.partitions
        }
        self.requests = [
            OffsetForLeaderEpochRequest(
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

    def answer(self, asked: OffsetForLeaderEpochRequest, response: CoreResponse) -> Sequence[Message]:
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
        error = client_error(error_of(found, self._partitions), ApiKey.OFFSET_FOR_LEADER_EPOCH, self._request.version)
        if found.error != ErrorCode.NONE:
            return EpochEndOffset(error, topic_partition.partition)
        return EpochEndOffset(error, topic_partition.partition, found.leader_epoch, found.end_offset)
