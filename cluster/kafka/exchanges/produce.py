"""Produce: one request of a client, one for the core for each partition. Source: Kafka KafkaApis.handleProduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cluster.kafka.apis import ApiKey
from cluster.kafka.batches import BATCH_BYTES_MAX, Refusal, check_produced
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.exchange import BrokerView, Exchange
from cluster.kafka.frames import Request
from cluster.kafka.records import check_records
from cluster.kafka.schema.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from cluster.model.identifiers import UNKNOWN_OFFSET, TopicPartition
from cluster.model.messages import Message, ProduceRequest
from cluster.model.messages import ProduceResponse as CoreResponse

VALID_ACKS = (-1, 0, 1)
_MESSAGE_FROM = 8
"""First version that can say in words what is wrong."""


class ProduceExchange(Exchange):
    """What becomes of one Produce request.

    A batch is looked at before anything else, so a bad one is refused by a broker that does not lead the partition,
    too; Kafka would first say that it is not the leader.
    """

    __slots__ = ("_answers", "_request", "_waiting")

    def __init__(self, request: Request, batch_bytes_max: int = BATCH_BYTES_MAX) -> None:
        self._request = request
        self._answers: dict[TopicPartition, PartitionProduceResponse] = {}
        self.requests = []
        asked_for: list[TopicPartition] = []
        asked = [
            (TopicPartition(topic.name, data.index), data)
            for topic in request.message.topic_data
            for data in topic.partition_data
        ]
        times = Counter(topic_partition for topic_partition, _ in asked)
        for topic_partition, data in asked:
            records = self._judged(data, times[topic_partition], batch_bytes_max)
            if isinstance(records, Refusal):
                self._answers[topic_partition] = self._failed(data.index, records)
                continue
            self.requests.append(self._core_request(topic_partition, records))
            asked_for.append(topic_partition)
        self._waiting = set() if self._acks == 0 else set(asked_for)

    @classmethod
    def begin(cls, request: Request, view: BrokerView) -> ProduceExchange:
        """With the run's limit for a batch."""
        return cls(request, view.settings.max_message_bytes)

    @property
    def _acks(self) -> int:
        return int(self._request.message.acks)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made. With acks=0 the core does not answer, so nothing is waited for."""
        return not self._waiting

    @property
    def must_close(self) -> bool:
        """Whether the connection must be closed: the only way to tell a producer with acks=0 that it was refused."""
        return self._acks == 0 and bool(self._answers)

    def answer(self, asked: ProduceRequest, response: CoreResponse) -> Sequence[Message]:
        """Take one answer of the core. What nobody waits for is dropped."""
        topic_partition = TopicPartition(asked.topic, asked.partition)
        if topic_partition not in self._waiting:
            return ()
        self._waiting.remove(topic_partition)
        error = client_error(response.error, ApiKey.PRODUCE, self._request.version)
        offset = UNKNOWN_OFFSET if error else response.base_offset
        self._answers[topic_partition] = PartitionProduceResponse(asked.partition, error, offset)
        return ()

    def response(self) -> ProduceResponse | None:
        """What the client is told, in the order in which it asked; None with acks=0. KeyError when incomplete."""
        if self._acks == 0:
            return None
        topics = [
            TopicProduceResponse(
                topic.name, [self._answers[TopicPartition(topic.name, data.index)] for data in topic.partition_data]
            )
            for topic in self._request.message.topic_data
        ]
        return ProduceResponse(topics)

    def _judged(self, data: PartitionProduceData, times: int, batch_bytes_max: int) -> bytes | Refusal:
        """The one batch for a partition when it may be appended, else why not."""
        if self._request.message.transactional_id is not None:
            return Refusal(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "transactions are not supported")
        if self._acks not in VALID_ACKS:
            return Refusal(KafkaError.INVALID_REQUIRED_ACKS, f"acks={self._acks}")
        if times > 1:
            return Refusal(KafkaError.INVALID_REQUEST, "a partition named twice")
        found = check_produced(data.records, self._request.version, batch_bytes_max)
        if isinstance(found, Refusal):
            return found
        assert data.records is not None, "what was found whole is there"
        batch = bytes(data.records)
        return check_records(batch, found.compression, found.count) or batch

    def _failed(self, partition: int, refused: Refusal) -> PartitionProduceResponse:
        error = client_error(refused.error, ApiKey.PRODUCE, self._request.version)
        words = refused.reason if self._request.version >= _MESSAGE_FROM else None
        return PartitionProduceResponse(partition, error, UNKNOWN_OFFSET, error_message=words)

    def _core_request(self, topic_partition: TopicPartition, records: bytes) -> ProduceRequest:
        return ProduceRequest(
            client_id=self._request.client_id or "",
            topic=topic_partition.topic,
            partition=topic_partition.partition,
            acks=self._acks,
            timeout_ms=max(0, self._request.message.timeout_ms),
            records=records,
        )
