"""DeleteRecords: one request of an admin client, one for the core for each partition. Source: KIP-107."""

from __future__ import annotations

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import client_error
from cluster.kafka.exchanges.each_once import EachOnce
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.leaders import error_of
from cluster.kafka.frames import Request
from cluster.kafka.schema import delete_records as schema
from cluster.model.messages import DeleteRecordsRequest, DeleteRecordsResponse


class DeleteRecordsExchange(EachOnce):
    """What becomes of one DeleteRecords request."""

    __slots__ = ("_partitions",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._partitions = view.partitions
        super().__init__(
            request,
            [
                DeleteRecordsRequest(
                    topic=topic.name,
                    partition=each.partition_index,
                    before_offset=each.offset,
                    timeout_ms=max(0, request.message.timeout_ms),
                )
                for topic in request.message.topics
                for each in topic.partitions
            ],
        )

    def result(
        self, asked: DeleteRecordsRequest, response: DeleteRecordsResponse
    ) -> schema.DeleteRecordsPartitionResult:
        """Of one partition."""
        error = client_error(error_of(response, self._partitions), ApiKey.DELETE_RECORDS, self._request.version)
        return schema.DeleteRecordsPartitionResult(asked.partition, -1 if error else response.low_watermark, error)

    def response(self) -> schema.DeleteRecordsResponse:
        """What the client is told, in the order in which it asked."""
        told = iter(self._results)
        topics = [
            schema.DeleteRecordsTopicResult(topic.name, [next(told) for _ in topic.partitions])
            for topic in self._request.message.topics
        ]
        return schema.DeleteRecordsResponse(topics=topics)
