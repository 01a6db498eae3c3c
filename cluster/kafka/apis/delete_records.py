"""DeleteRecords: one request of an admin client, one for the core for each partition. Source: KIP-107."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView, error_of
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.kafka.exchange import EachOnce
from cluster.model import messages as core


@dataclass(slots=True)
class DeleteRecordsPartition:
    """The new start of one partition; -1 is its high watermark."""

    partition_index: int = int32()
    offset: int = int64()


@dataclass(slots=True)
class DeleteRecordsTopic:
    """The new starts in one topic."""

    name: str = string()
    partitions: list[DeleteRecordsPartition] = array(DeleteRecordsPartition)


@dataclass(slots=True)
class DeleteRecordsRequest:
    """Drop all records before these offsets."""

    topics: list[DeleteRecordsTopic] = array(DeleteRecordsTopic)
    timeout_ms: int = int32()


@dataclass(slots=True)
class DeleteRecordsPartitionResult:
    """The start of one partition."""

    partition_index: int = int32()
    low_watermark: int = int64()
    error_code: int = int16()


@dataclass(slots=True)
class DeleteRecordsTopicResult:
    """The starts in one topic."""

    name: str = string()
    partitions: list[DeleteRecordsPartitionResult] = array(DeleteRecordsPartitionResult)


@dataclass(slots=True)
class DeleteRecordsResponse:
    """Where the logs start now."""

    throttle_time_ms: int = int32()
    topics: list[DeleteRecordsTopicResult] = array(DeleteRecordsTopicResult)


class DeleteRecordsExchange(EachOnce):
    """What becomes of one DeleteRecords request."""

    __slots__ = ("_partitions",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._partitions = view.partitions
        super().__init__(
            request,
            [
                core.DeleteRecordsRequest(
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
        self, asked: core.DeleteRecordsRequest, response: core.DeleteRecordsResponse
    ) -> DeleteRecordsPartitionResult:
        """Of one partition."""
        error = self._request.error(error_of(response, self._partitions))
        return DeleteRecordsPartitionResult(asked.partition, -1 if error else response.low_watermark, error)

    def response(self) -> DeleteRecordsResponse:
        """What the client is told, in the order in which it asked."""
        results = iter(self._results)
        topics = [
            DeleteRecordsTopicResult(topic.name, [next(results) for _ in topic.partitions])
            for topic in self._request.message.topics
        ]
        return DeleteRecordsResponse(topics=topics)


DELETE_RECORDS: Final = Api(
    21, DeleteRecordsRequest, DeleteRecordsResponse, DeleteRecordsExchange, versions="0-2", flexible="2+"
)
