"""WriteTxnMarkers: an administrator ends a transaction that hangs. Source: KIP-98, KIP-664.

Coordinators tell leaders of the end in our own way. What comes from a client is what kafka-transactions sends, and
nobody has decided it but that administrator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, int64, string
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TRANSACTIONS_TOPIC


@dataclass(slots=True)
class WritableTxnMarkerTopic:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class WritableTxnMarker:
    """How the transaction of one producer ends in these partitions."""

    producer_id: int = int64()
    producer_epoch: int = int16()
    transaction_result: bool = boolean()
    topics: list[WritableTxnMarkerTopic] = array(WritableTxnMarkerTopic)
    coordinator_epoch: int = int32()


@dataclass(slots=True)
class WriteTxnMarkersRequest:
    """Write these markers."""

    markers: list[WritableTxnMarker] = array(WritableTxnMarker)


@dataclass(slots=True)
class WritableTxnMarkerPartitionResult:
    """What became of one marker in one partition."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class WritableTxnMarkerTopicResult:
    """The same of one topic."""

    name: str = string()
    partitions: list[WritableTxnMarkerPartitionResult] = array(WritableTxnMarkerPartitionResult)


@dataclass(slots=True)
class WritableTxnMarkerResult:
    """The same of one producer."""

    producer_id: int = int64()
    topics: list[WritableTxnMarkerTopicResult] = array(WritableTxnMarkerTopicResult)


@dataclass(slots=True)
class WriteTxnMarkersResponse:
    """Which markers are committed, and why the others are not."""

    markers: list[WritableTxnMarkerResult] = array(WritableTxnMarkerResult)


class WriteTxnMarkersExchange(EachOnce):
    """What becomes of one WriteTxnMarkers request: each leader here is asked once for each marker."""

    __slots__ = ()

    def __init__(self, request: Request, _view: BrokerView) -> None:
        super().__init__(request, _plan(request.message))

    def result(
        self, asked: core.WriteTxnMarkersRequest, response: core.WriteTxnMarkersResponse
    ) -> WritableTxnMarkerPartitionResult:
        """Of one marker in one partition."""
        return WritableTxnMarkerPartitionResult(asked.partition, self._request.error(response.error))

    def response(self) -> WriteTxnMarkersResponse:
        """What the client is told, in the order in which it asked."""
        results = iter(self._results)
        markers = [
            WritableTxnMarkerResult(
                marker.producer_id,
                [
                    WritableTxnMarkerTopicResult(topic.name, [next(results) for _ in topic.partition_indexes])
                    for topic in marker.topics
                ],
            )
            for marker in self._request.message.markers
        ]
        return WriteTxnMarkersResponse(markers)


def _plan(message: WriteTxnMarkersRequest) -> Iterator[core.Message | Refused]:
    """No transaction hangs in the topic of the coordinators, and no record has a negative id or epoch.

    Kafka writes the one, so that no coordinator can read its topic any more, and fails over the other with an
    exception: UNKNOWN_SERVER_ERROR. Source: MemoryRecordsBuilder.
    """
    for marker in message.markers:
        is_nobody = marker.producer_id < 0 or marker.producer_epoch < 0
        for topic in marker.topics:
            for index in topic.partition_indexes:
                if is_nobody or topic.name == TRANSACTIONS_TOPIC:
                    error = ErrorCode.UNKNOWN_SERVER_ERROR if is_nobody else ErrorCode.INVALID_REQUEST
                    yield Refused(WritableTxnMarkerPartitionResult(index, error))
                    continue
                yield core.WriteTxnMarkersRequest(
                    topic=topic.name,
                    partition=index,
                    producer_id=marker.producer_id,
                    producer_epoch=marker.producer_epoch,
                    coordinator_epoch=marker.coordinator_epoch,
                    committed=marker.transaction_result,
                )


WRITE_TXN_MARKERS: Final = Api(
    27, WriteTxnMarkersRequest, WriteTxnMarkersResponse, WriteTxnMarkersExchange, versions="1", flexible="1+"
)
