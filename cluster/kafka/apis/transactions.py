"""AddPartitionsToTxn, AddOffsetsToTxn, EndTxn: a producer's transaction. Source: KIP-98, KIP-890.

The newer versions of AddPartitionsToTxn are for brokers, which ask each other in our own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, int64, string
from cluster.kafka.exchange import Known, OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, TopicPartition

_FENCED = {ErrorCode.PRODUCER_FENCED: (2, ErrorCode.INVALID_PRODUCER_EPOCH)}
_BUMPS_FROM = 5


@dataclass(slots=True)
class AddPartitionsToTxnTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class AddPartitionsToTxnRequest:
    """My transaction writes to these, too."""

    v3_and_below_transactional_id: str = string()
    v3_and_below_producer_id: int = int64()
    v3_and_below_producer_epoch: int = int16()
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = array(AddPartitionsToTxnTopic)


@dataclass(slots=True)
class AddPartitionsToTxnPartitionResult:
    """What became of one partition."""

    partition_index: int = int32()
    partition_error_code: int = int16()


@dataclass(slots=True)
class AddPartitionsToTxnTopicResult:
    """What became of the partitions of one topic."""

    name: str = string()
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = array(AddPartitionsToTxnPartitionResult)


@dataclass(slots=True)
class AddPartitionsToTxnResponse:
    """Added, or why not."""

    throttle_time_ms: int = int32()
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = array(AddPartitionsToTxnTopicResult)


class AddPartitionsToTxnExchange(OneAnswer):
    """What becomes of one AddPartitionsToTxn request whose partitions all exist."""

    __slots__ = ()

    def _asked(self) -> core.AddPartitionsToTxnRequest:
        message = self._request.message
        return core.AddPartitionsToTxnRequest(
            transactional_id=message.v3_and_below_transactional_id,
            producer_id=message.v3_and_below_producer_id,
            producer_epoch=message.v3_and_below_producer_epoch,
            partitions=tuple((where.topic, where.partition) for where in _named(self._request)),
        )

    def response(self) -> AddPartitionsToTxnResponse:
        """What became of each, in the order of the request."""
        answer: core.AddPartitionsToTxnResponse = self._answer
        errors = {TopicPartition(topic, index): answer.error or error for topic, index, error in answer.partitions}
        return _results(self._request, errors)


def _named(request: Request) -> list[TopicPartition]:
    topics = request.message.v3_and_below_topics
    return [TopicPartition(topic.name, index) for topic in topics for index in topic.partitions]


def _results(request: Request, errors: dict[TopicPartition, int]) -> AddPartitionsToTxnResponse:
    topics = [
        AddPartitionsToTxnTopicResult(
            topic.name,
            [
                AddPartitionsToTxnPartitionResult(index, request.error(errors[TopicPartition(topic.name, index)]))
                for index in topic.partitions
            ],
        )
        for topic in request.message.v3_and_below_topics
    ]
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=topics)


def _begin_add(request: Request, view: BrokerView) -> Exchange:
    """All are added or none: one that cannot be leaves the others out. Source: Kafka KafkaApis."""
    named = _named(request)
    wrong: dict[TopicPartition, int] = {}
    for where in named:
        if where.topic in INTERNAL_TOPICS:
            wrong[where] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif where not in view.partitions:
            wrong[where] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if named and not wrong:
        return AddPartitionsToTxnExchange(request, view)
    return Known(_results(request, {where: wrong.get(where, ErrorCode.OPERATION_NOT_ATTEMPTED) for where in named}))


ADD_PARTITIONS_TO_TXN: Final = Api(
    24,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    _begin_add,
    versions="0-3",
    flexible="3+",
    younger_errors=_FENCED,
)


@dataclass(slots=True)
class AddOffsetsToTxnRequest:
    """My transaction commits offsets of this group."""

    transactional_id: str = string()
    producer_id: int = int64()
    producer_epoch: int = int16()
    group_id: str = string()


@dataclass(slots=True)
class AddOffsetsToTxnResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()


class AddOffsetsToTxnExchange(OneAnswer):
    """What becomes of one AddOffsetsToTxn request."""

    __slots__ = ()

    def _asked(self) -> core.AddOffsetsToTxnRequest:
        message = self._request.message
        return core.AddOffsetsToTxnRequest(
            transactional_id=message.transactional_id,
            producer_id=message.producer_id,
            producer_epoch=message.producer_epoch,
            group=message.group_id,
        )

    def response(self) -> AddOffsetsToTxnResponse:
        """What the client is told."""
        return AddOffsetsToTxnResponse(error_code=self._request.error(self._answer.error))


ADD_OFFSETS_TO_TXN: Final = Api(
    25,
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddOffsetsToTxnExchange,
    versions="0-4",
    flexible="3+",
    younger_errors=_FENCED,
)


@dataclass(slots=True)
class EndTxnRequest:
    """Commit it, or abort it."""

    transactional_id: str = string()
    producer_id: int = int64()
    producer_epoch: int = int16()
    committed: bool = boolean()


@dataclass(slots=True)
class EndTxnResponse:
    """It is decided, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    producer_id: int = int64("5+", default=-1)
    producer_epoch: int = int16("5+", default=-1)


class EndTxnExchange(OneAnswer):
    """What becomes of one EndTxn request."""

    __slots__ = ()

    def _asked(self) -> core.EndTxnRequest:
        message = self._request.message
        return core.EndTxnRequest(
            transactional_id=message.transactional_id,
            producer_id=message.producer_id,
            producer_epoch=message.producer_epoch,
            committed=message.committed,
            bumps_epoch=self._request.version >= _BUMPS_FROM,
        )

    def response(self) -> EndTxnResponse:
        """What the client is told."""
        answer: core.EndTxnResponse = self._answer
        error = self._request.error(answer.error)
        return EndTxnResponse(error_code=error, producer_id=answer.producer_id, producer_epoch=answer.producer_epoch)


END_TXN: Final = Api(
    26, EndTxnRequest, EndTxnResponse, EndTxnExchange, versions="0-5", flexible="3+", younger_errors=_FENCED
)
