"""DescribeProducers: who writes to the partitions that this broker has. Source: KIP-664."""

from __future__ import annotations

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import client_error, words_for
from cluster.kafka.exchanges.each_once import EachOnce
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.leaders import error_of
from cluster.kafka.frames import Request
from cluster.kafka.schema import describe_producers as schema
from cluster.model.messages import DescribeProducersRequest, DescribeProducersResponse

NO_COORDINATOR = -1
"""There are no transactions, so no epoch of their coordinator."""


class DescribeProducersExchange(EachOnce):
    """What becomes of one DescribeProducers request."""

    __slots__ = ("_partitions",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._partitions = view.partitions
        super().__init__(
            request,
            [
                DescribeProducersRequest(topic=topic.name, partition=index)
                for topic in request.message.topics
                for index in topic.partition_indexes
            ],
        )

    def result(self, asked: DescribeProducersRequest, response: DescribeProducersResponse) -> schema.PartitionResponse:
        """Of one partition."""
        error = client_error(error_of(response, self._partitions), ApiKey.DESCRIBE_PRODUCERS, self._request.version)
        producers = [
            schema.ProducerState(producer_id, epoch, last_sequence, timestamp_ms, NO_COORDINATOR)
            for producer_id, epoch, last_sequence, timestamp_ms in response.producers
        ]
        return schema.PartitionResponse(asked.partition, error, words_for(error), producers)

    def response(self) -> schema.DescribeProducersResponse:
        """What the client is told, in the order in which it asked."""
        told = iter(self._results)
        topics = [
            schema.TopicResponse(topic.name, [next(told) for _ in topic.partition_indexes])
            for topic in self._request.message.topics
        ]
        return schema.DescribeProducersResponse(topics=topics)
