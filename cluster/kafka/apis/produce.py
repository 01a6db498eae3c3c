"""Produce: one request of a client, one for the core for each partition. Source: Kafka KafkaApis.handleProduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.batches.header import Refusal, check_produced
from cluster.kafka.batches.records import check_records
from cluster.kafka.batches.times import USUAL_TIMES, check_times, with_times_of
from cluster.kafka.broker_view import BrokerView, LeaderIdAndEpoch, NodeEndpoint, endpoints_of, who_leads
from cluster.kafka.codec.fields import RecordSet, array, int16, int32, int64, record_set, string, struct, uuid
from cluster.kafka.codec.limits import FRAME_BYTES_MAX
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, UNKNOWN_OFFSET, TopicPartition
from cluster.model.messages import Message
from cluster.model.record_batch import batch_times, has_append_time

VALID_ACKS = (-1, 0, 1)
ADMIN_CLIENT_ID = "__admin_client"
"""A client of this name may write into the topics that a cluster keeps for itself. Source: Kafka AdminUtils."""
_MESSAGE_FROM = 8
"""First version that can say in words what is wrong."""
_LEADER_FROM = 10
"""First version that can name the leader."""
_ADDS_PARTITION_FROM = 12
"""First version that adds its partitions to the transaction by itself. Source: KIP-890."""
_IDS_FROM = 13


@dataclass(slots=True)
class PartitionProduceData:
    """The batch for one partition."""

    index: int = int32()
    records: RecordSet | None = record_set()


@dataclass(slots=True)
class TopicProduceData:
    """The batches for one topic; by name up to version 12, then by id."""

    name: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partition_data: list[PartitionProduceData] = array(PartitionProduceData)


@dataclass(slots=True)
class ProduceRequest:
    """Append these batches, one to each partition."""

    transactional_id: str | None = string(null="0+", default=None)
    acks: int = int16()
    timeout_ms: int = int32()
    topic_data: list[TopicProduceData] = array(TopicProduceData)


@dataclass(slots=True)
class BatchIndexAndErrorMessage:
    """A record that made its batch fail."""

    batch_index: int = int32()
    batch_index_error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class PartitionProduceResponse:
    """What became of one batch."""

    index: int = int32()
    error_code: int = int16()
    base_offset: int = int64()
    log_append_time_ms: int = int64(default=-1)
    log_start_offset: int = int64("5+", default=-1)
    record_errors: list[BatchIndexAndErrorMessage] = array(BatchIndexAndErrorMessage, "8+")
    error_message: str | None = string("8+", null="0+", default=None)
    current_leader: LeaderIdAndEpoch | None = struct(LeaderIdAndEpoch, "10+", tag=0)


@dataclass(slots=True)
class TopicProduceResponse:
    """What became of the batches of one topic."""

    name: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partition_responses: list[PartitionProduceResponse] = array(PartitionProduceResponse)


@dataclass(slots=True)
class ProduceResponse:
    """Where each batch went, or why not."""

    responses: list[TopicProduceResponse] = array(TopicProduceResponse)
    throttle_time_ms: int = int32()
    node_endpoints: list[NodeEndpoint] = array(NodeEndpoint, "10+", tag=0)


class ProduceExchange(EachOnce):
    """What becomes of one Produce request.

    A batch is looked at before anything else, so a bad one is refused by a broker that does not lead the partition,
    too; Kafka would first say that it is not the leader.
    """

    __slots__ = ("_view",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._view, self._request = view, request
        super().__init__(request, self._plan(request))

    @property
    def why_closed(self) -> str:
        """With acks=0 the end of its connection is all that tells a producer of a refusal: it asks again who leads."""
        if self._request.message.acks != 0:
            return ""
        asked = [
            f"{self._name(topic)}-{data.index}"
            for topic in self._request.message.topic_data
            for data in topic.partition_data
        ]
        refused = [
            f"{where} {ErrorCode(result.error_code).name}"
            for where, result in zip(asked, self._results, strict=True)
            if result.error_code
        ]
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        return f"refused without acks: {refused[0]}{more}" if refused else ""

    def result(self, asked: core.ProduceRequest, response: core.ProduceResponse) -> PartitionProduceResponse:
        """Of one partition. An offset is told with an error, too, when the records were written before it.

        The append time is that of this request. For a batch that is there already Kafka tells the time of the first.
        """
        led = who_leads(response, self._view.partitions)
        error = self._request.error(led.error)
        partition_response = PartitionProduceResponse(
            asked.partition, error, response.base_offset, log_start_offset=response.log_start_offset
        )
        if response.base_offset != UNKNOWN_OFFSET and has_append_time(asked.records):
            partition_response.log_append_time_ms = batch_times(asked.records)[1]
        if error == ErrorCode.NOT_LEADER_OR_FOLLOWER and self._request.version >= _LEADER_FROM:
            partition_response.current_leader = LeaderIdAndEpoch(led.leader_id, led.leader_epoch)
        return partition_response

    def response(self) -> ProduceResponse | None:
        """What the client is told, in the order in which it asked; None with acks=0."""
        if self._request.message.acks == 0:
            return None
        topics = self._topics()
        leaders = [
            response.current_leader.leader_id
            for topic in topics
            for response in topic.partition_responses
            if response.current_leader is not None
        ]
        return ProduceResponse(topics, node_endpoints=endpoints_of(leaders, self._view.brokers))

    def _topics(self) -> list[TopicProduceResponse]:
        results = iter(self._results)
        return [
            TopicProduceResponse(topic.name, topic.topic_id, [next(results) for _ in topic.partition_data])
            for topic in self._request.message.topic_data
        ]

    def _name(self, topic: TopicProduceData) -> str | None:
        """None for an id that no topic has."""
        return topic.name if self._request.version < _IDS_FROM else self._view.topic_names.get(topic.topic_id)

    def _plan(self, request: Request) -> Iterator[Message | Refused]:
        asked = [(self._name(topic), data) for topic in request.message.topic_data for data in topic.partition_data]
        times = Counter((name, data.index) for name, data in asked)
        for name, data in asked:
            if name is None:
                unknown = Refusal(ErrorCode.UNKNOWN_TOPIC_ID, "no topic has this id")
                yield Refused(_failed(request, data.index, unknown))
                continue
            topic_partition = TopicPartition(name, data.index)
            judged = self._judged(request, topic_partition, data, times[topic_partition])
            if isinstance(judged, Refusal):
                yield Refused(_failed(request, data.index, judged))
            else:
                records, are_keyed = judged
                yield core.ProduceRequest(
                    client_id=request.client_id or "",
                    topic=topic_partition.topic,
                    partition=topic_partition.partition,
                    acks=request.message.acks,
                    timeout_ms=max(0, request.message.timeout_ms),
                    records=records,
                    transactional_id=request.message.transactional_id,
                    adds_partition=request.version >= _ADDS_PARTITION_FROM,
                    are_keyed=are_keyed,
                )

    def _judged(
        self, request: Request, where: TopicPartition, data: PartitionProduceData, times: int
    ) -> tuple[bytes, bool] | Refusal:
        """The one batch for a partition, and whether its records are known to have keys; or why it is not appended.

        It is opened once: what its leader would look for, too, is looked for here.
        """
        if request.message.acks not in VALID_ACKS:
            return Refusal(ErrorCode.INVALID_REQUIRED_ACKS, f"acks={request.message.acks}")
        if times > 1:
            return Refusal(ErrorCode.INVALID_REQUEST, "a partition named twice")
        if where.topic in INTERNAL_TOPICS and where in self._view.partitions and request.client_id != ADMIN_CLIENT_ID:
            return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{where.topic} is written by the brokers alone")
        # how large a batch of this topic may be is for its leader to say
        header = check_produced(data.records, request.version, FRAME_BYTES_MAX)
        if isinstance(header, Refusal):
            return header
        assert data.records is not None, "what was found whole is there"
        if header.is_transactional and request.message.transactional_id is None:
            return Refusal(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "part of a transaction without a name")
        batch = bytes(data.records)
        allowed, now_ms = self._view.times.get(where.topic, USUAL_TIMES), self._view.wall_ms()
        is_compacted = where.topic in self._view.compacted
        reads_times = is_compacted or allowed.bounds_the_past
        written = check_records(batch, header, reads_times=reads_times, reads_keys=is_compacted)
        if isinstance(written, Refusal):
            return written
        wrong = check_times(header, written, now_ms, allowed)
        return wrong or (with_times_of(batch, written.newest_ms, allowed, now_ms), written.are_keyed)


def _failed(request: Request, partition: int, refused: Refusal) -> PartitionProduceResponse:
    error = request.error(refused.error)
    words = refused.reason if request.version >= _MESSAGE_FROM else None
    return PartitionProduceResponse(partition, error, UNKNOWN_OFFSET, error_message=words)


PRODUCE: Final = Api(
    0,
    ProduceRequest,
    ProduceResponse,
    ProduceExchange,
    versions="3-13",
    flexible="9+",
    younger_errors={
        ErrorCode.KAFKA_STORAGE_ERROR: (4, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ErrorCode.TRANSACTION_ABORTABLE: (11, ErrorCode.INVALID_TXN_STATE),
        ErrorCode.CONCURRENT_TRANSACTIONS: (12, ErrorCode.NOT_ENOUGH_REPLICAS),
    },
    advertised_first=0,
)
