"""ListOffsets: one request of a client, one for the core for each partition. Source: KIP-79, KIP-734, KIP-207."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.exchange import BrokerView, Exchange
from cluster.kafka.exchanges.leaders import error_of
from cluster.kafka.frames import Request
from cluster.kafka.schema.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import ListOffsetsRequest, Message
from cluster.model.messages import ListOffsetsResponse as CoreResponse
from cluster.model.messages.list_offsets import EARLIEST_LOCAL, LATEST_TIERED, MAX_TIMESTAMP

_SINCE = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""First version that knows a special time."""


class ListOffsetsExchange(Exchange):
    """What becomes of one ListOffsets request. Whoever asks is a consumer, whatever replica it says it is."""

    __slots__ = ("_answers", "_partitions", "_refused", "_request", "_waiting")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._partitions = view.partitions
        self._answers: dict[TopicPartition, CoreResponse] = {}
        self._refused: dict[TopicPartition, KafkaError] = {}
        asked: dict[TopicPartition, Message] = {}
        for topic in request.message.topics:
            for each in topic.partitions:
                where = TopicPartition(topic.name, each.partition_index)
                if where in asked or where in self._refused:
                    self._refused[where] = KafkaError.INVALID_REQUEST
                    asked.pop(where, None)
                elif each.timestamp < LATEST_TIERED or request.version < _SINCE.get(each.timestamp, 0):
                    self._refused[where] = KafkaError.UNSUPPORTED_VERSION
                else:
                    asked[where] = ListOffsetsRequest(
                        replica_id=NO_NODE,
                        topic=where.topic,
                        partition=where.partition,
                        current_leader_epoch=each.current_leader_epoch,
                        timestamp_ms=each.timestamp,
                    )
        self.requests = list(asked.values())
        self._waiting = set(asked)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(self, asked: ListOffsetsRequest, response: CoreResponse) -> Sequence[Message]:
        """Take one answer of the core. What nobody waits for is dropped."""
        where = TopicPartition(asked.topic, asked.partition)
        if where in self._waiting:
            self._waiting.remove(where)
            self._answers[where] = response
        return ()

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
        found = self._answers[where]
        error = client_error(error_of(found, self._partitions), ApiKey.LIST_OFFSETS, self._request.version)
        if error != KafkaError.NONE:
            return ListOffsetsPartitionResponse(where.partition, error)
        return ListOffsetsPartitionResponse(
            where.partition, error, found.timestamp_ms, found.offset, found.leader_epoch
        )
