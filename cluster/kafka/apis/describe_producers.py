"""DescribeProducers: who writes to the partitions that this broker has. Source: KIP-664."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView, error_of
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce
from cluster.model import messages as core


@dataclass(slots=True)
class TopicRequest:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class DescribeProducersRequest:
    """Who writes to these partitions?"""

    topics: list[TopicRequest] = array(TopicRequest)


@dataclass(slots=True)
class ProducerState:
    """What is remembered of one producer."""

    producer_id: int = int64()
    producer_epoch: int = int32()
    last_sequence: int = int32(default=-1)
    last_timestamp: int = int64(default=-1)
    coordinator_epoch: int = int32()
    current_txn_start_offset: int = int64(default=-1)


@dataclass(slots=True)
class PartitionResponse:
    """The producers of one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    active_producers: list[ProducerState] = array(ProducerState)


@dataclass(slots=True)
class TopicResponse:
    """The producers of one topic."""

    name: str = string()
    partitions: list[PartitionResponse] = array(PartitionResponse)


@dataclass(slots=True)
class DescribeProducersResponse:
    """Their ids, epochs and sequences."""

    throttle_time_ms: int = int32()
    topics: list[TopicResponse] = array(TopicResponse)


class DescribeProducersExchange(EachOnce):
    """What becomes of one DescribeProducers request."""

    __slots__ = ("_partitions",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._partitions = view.partitions
        super().__init__(
            request,
            [
                core.DescribeProducersRequest(topic=topic.name, partition=index)
                for topic in request.message.topics
                for index in topic.partition_indexes
            ],
        )

    def result(
        self, asked: core.DescribeProducersRequest, response: core.DescribeProducersResponse
    ) -> PartitionResponse:
        """Of one partition."""
        error = self._request.error(error_of(response, self._partitions))
        producers = [ProducerState(*each) for each in response.producers]
        return PartitionResponse(asked.partition, error, words_for(error), producers)

    def response(self) -> DescribeProducersResponse:
        """What the client is told, in the order in which it asked."""
        results = iter(self._results)
        topics = [
            TopicResponse(topic.name, [next(results) for _ in topic.partition_indexes])
            for topic in self._request.message.topics
        ]
        return DescribeProducersResponse(topics=topics)


DESCRIBE_PRODUCERS: Final = Api(
    61, DescribeProducersRequest, DescribeProducersResponse, DescribeProducersExchange, versions="0", flexible="0+"
)
