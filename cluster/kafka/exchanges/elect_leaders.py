"""ElectLeaders: one request of an admin client, one for the active controller for each partition. Source: KIP-460."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.exchange import Exchange
from cluster.kafka.frames import Request
from cluster.kafka.schema import elect_leaders as schema
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ElectLeadersRequest, ElectLeadersResponse, Message


class ElectionType(IntEnum):
    """Which election is asked for."""

    PREFERRED = 0
    """The first replica, when it is in sync."""
    UNCLEAN = 1
    """Any replica, when none is in sync: records may be lost."""


class ElectLeadersExchange(Exchange):
    """What becomes of one ElectLeaders request."""

    __slots__ = ("_asked", "_for_all", "_request", "_results", "_top_error", "_waiting")

    def __init__(self, request: Request, all_partitions: Iterable[TopicPartition]) -> None:
        """
        Args:
            all_partitions: what a request for all partitions is about.
        """
        self._request = request
        self._for_all = request.message.topic_partitions is None
        kind = request.message.election_type
        self._top_error = KafkaError.NONE if kind in set(ElectionType) else KafkaError.INVALID_REQUEST
        self._asked = [] if self._top_error else list(dict.fromkeys(self._partitions(all_partitions)))
        self._results: dict[TopicPartition, KafkaError] = {}
        self.requests = [
            ElectLeadersRequest(topic=topic, partition=partition, unclean=kind == ElectionType.UNCLEAN)
            for topic, partition in self._asked
        ]
        self._waiting = set(self._asked)

    def _partitions(self, all_partitions: Iterable[TopicPartition]) -> Iterable[TopicPartition]:
        if self._for_all:
            return sorted(all_partitions)
        named = self._request.message.topic_partitions
        return [TopicPartition(each.topic, partition) for each in named for partition in each.partitions]

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(self, asked: ElectLeadersRequest, response: ElectLeadersResponse) -> Sequence[Message]:
        """Take the controller's answer to one of the requests. What nobody waits for is dropped."""
        topic_partition = TopicPartition(asked.topic, asked.partition)
        if topic_partition in self._waiting:
            self._waiting.remove(topic_partition)
            error = client_error(response.error, ApiKey.ELECT_LEADERS, self._request.version)
            self._results[topic_partition] = error
        return ()

    def response(self) -> schema.ElectLeadersResponse:
        """What the client is told. Who asked for all partitions hears nothing of those that needed no election."""
        topics: dict[str, schema.ReplicaElectionResult] = {}
        for topic_partition in self._asked:
            error = self._results[topic_partition]
            if self._for_all and error == KafkaError.ELECTION_NOT_NEEDED:
                continue
            topic = topics.setdefault(topic_partition.topic, schema.ReplicaElectionResult(topic_partition.topic))
            topic.partition_result.append(schema.PartitionResult(topic_partition.partition, error, words_for(error)))
        return schema.ElectLeadersResponse(0, self._top_error, list(topics.values()))
