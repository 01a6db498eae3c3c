"""What a script has clients do, done by a client of Apache Kafka.

That is: topic, produce, consume, delete-records, alter, elect, reassign.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from time import monotonic, time
from typing import Any

from cluster.clients.rules.retries import NO_ANSWER, RETRIABLE, may_have_happened
from cluster.kafka.api import Api
from cluster.kafka.apis.alter_configs import (
    INCREMENTAL_ALTER_CONFIGS,
    ConfigChange,
    IncrementalAlterConfigsRequest,
    ResourceChanges,
)
from cluster.kafka.apis.create_topics import (
    CREATE_TOPICS,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from cluster.kafka.apis.delete_records import (
    DELETE_RECORDS,
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from cluster.kafka.apis.elect_leaders import ELECT_LEADERS, ElectLeadersRequest, TopicPartitions
from cluster.kafka.apis.fetch import FETCH, FetchPartition, FetchRequest, FetchTopic
from cluster.kafka.apis.init_producer_id import INIT_PRODUCER_ID, InitProducerIdRequest
from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic
from cluster.kafka.apis.produce import PRODUCE, PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.kafka.apis.reassignments import (
    ALTER_PARTITION_REASSIGNMENTS,
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from cluster.kafka.codec.limits import CodecError
from cluster.lab import Answer
from cluster.language.topics import AlterTopic, Consume, CreateTopic, DeleteRecords, Elect, Produce, Reassign
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.events import Event
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.messages.configs import SET, TOPIC
from cluster.model.record_batch import NOT_SEQUENCED, Record, batches, encode_batch, stored_crc
from cluster.model.settings import Settings
from cluster.model.topic_settings import MIN_ISR
from judges.apache_kafka.client import KafkaClient, NoAnswer

Job = CreateTopic | AlterTopic | Produce | Consume | DeleteRecords | Elect | Reassign
PATIENCE = 4
"""So many request.timeout.ms one operation is tried again and again."""
PRODUCER_ID_ATTEMPTS = 60
SPARE_S = 5.0
"""A broker answers in request.timeout.ms; the answer gets so much longer to come."""
FETCH_WAIT_MS = 200
MAX_BYTES = 1 << 20


@dataclass(slots=True)
class _Operation:
    """One thing asked for, as its events name it."""

    client_id: str
    number: int
    function: str
    where: TopicPartition
    in_doubt: bool = False
    error: int = 0


@dataclass(slots=True)
class Jobs:
    """Carries out client commands against one cluster and tells what clients would tell."""

    client: KafkaClient
    settings: Settings
    brokers: Callable[[], list[NodeId]]
    """Those that may answer now, in order."""
    tell: Callable[[NodeId, Event], None]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def do(self, command: Job) -> Answer:
        """Carry it out to its end."""
        match command:
            case CreateTopic():
                return await self._create(command)
            case AlterTopic():
                return await self._alter(command)
            case Produce():
                return await self._produce(command)
            case Consume():
                return await self._consume(command)
            case DeleteRecords():
                return await self._delete(command)
            case Elect():
                return await self._elect(command)
            case Reassign():
                return await self._reassign(command)

    @property
    def _patience_s(self) -> float:
        return self.settings.request_timeout_ms / 1000 + SPARE_S

    def _begin(self, function: str, where: TopicPartition, acks: int = 0) -> _Operation:
        number = next(self.numbers)
        operation = _Operation(f"{function}-{number}", number, function, where)
        self.tell(0, ev.OperationInvoked(
            client_id=operation.client_id, operation_id=number, function=function, topic=where.topic,
            partition=where.partition, acks=acks, value="",
        ))  # fmt: skip
        return operation

    def _succeed(self, operation: _Operation, base_offset: int, records: int, values: tuple[str, ...] = ()) -> None:
        self.tell(0, ev.OperationSucceeded(
            client_id=operation.client_id, operation_id=operation.number, function=operation.function,
            topic=operation.where.topic, partition=operation.where.partition, base_offset=base_offset,
            count=records, values=values,
        ))  # fmt: skip

    def _fail(self, operation: _Operation) -> None:
        kind = ev.OperationUnknown if operation.in_doubt else ev.OperationFailed
        self.tell(0, kind(
            client_id=operation.client_id, operation_id=operation.number, function=operation.function,
            topic=operation.where.topic, partition=operation.where.partition, error=operation.error,
        ))  # fmt: skip

    async def _try(
        self, operation: _Operation, once: Callable[[], Any], *, retries: bool, acks: int = 0
    ) -> Any:  # fmt: skip
        """The result of the first attempt with error 0; None when it failed. `once` makes (error, broker, result)."""
        until_s, attempt = monotonic() + PATIENCE * self.settings.request_timeout_ms / 1000, 0
        while True:
            attempt += 1
            error, broker, result = await once()
            if error == ErrorCode.NONE:
                return result
            operation.error = error
            operation.in_doubt |= bool(may_have_happened(error, operation.function, acks).value)
            if not retries or error not in RETRIABLE or monotonic() > until_s:
                self._fail(operation)
                return None
            self.tell(0, ev.OperationRetried(
                client_id=operation.client_id, operation_id=operation.number, error=error, attempt=attempt,
                target=broker,
            ))  # fmt: skip
            await asyncio.sleep(self.settings.retry_backoff_ms / 1000)

    async def _any(self, api: Api, version: int, message: Any) -> Any:
        """The answer of the first broker that gives one. NoAnswer when none does."""
        for node in self.brokers():
            try:
                return await self.client.ask(node, api, version, message, SPARE_S)
            except (NoAnswer, CodecError):
                continue
        raise NoAnswer("no broker answers")

    async def _leader(self, where: TopicPartition) -> NodeId:
        """As the first broker that answers has it; -1 for none."""
        try:
            found = await self._any(
                METADATA, 12, MetadataRequest([MetadataRequestTopic(name=where.topic)], allow_auto_topic_creation=False)
            )
        except NoAnswer:
            return NO_NODE
        parts = [part for topic in found.topics for part in topic.partitions if part.partition_index == where.partition]
        return int(parts[0].leader_id) if parts else NO_NODE

    async def _create(self, command: CreateTopic) -> Answer:
        operation = self._begin("create_topic", TopicPartition(command.topic, 0))
        assigned = [CreatableReplicaAssignment(index, list(command.assign)) for index in range(command.partitions)]
        topic = CreatableTopic(
            command.topic,
            -1 if command.assign else command.partitions,
            -1 if command.assign else command.replicas,
            assigned if command.assign else [],
            [CreatableTopicConfig("min.insync.replicas", str(command.min_isr))],
        )

        async def once() -> tuple[int, NodeId, bool]:
            try:
                found = await self._any(CREATE_TOPICS, 7, CreateTopicsRequest([topic], 10_000))
            except NoAnswer:
                return NO_ANSWER, NO_NODE, False
            return int(found.topics[0].error_code), NO_NODE, True

        if await self._try(operation, once, retries=command.retries) is None:
            return Answer(False, f"refused: {_named(operation.error)}")
        self._succeed(operation, -1, 0)
        return Answer(True, f"topic {command.topic} is created")

    async def _produce(self, command: Produce) -> Answer:
        sequence, producer = 0, await self._producer_id() if command.idempotent else NOT_SEQUENCED
        written = 0
        for first in range(0, command.count, command.batch):
            size = min(command.batch, command.count - first)
            records = [Record(None, f"{command.value}-{first + at + 1}".encode()) for at in range(size)]
            sequenced = (producer[0], producer[1], sequence) if command.idempotent else NOT_SEQUENCED
            sequence += size
            batch = encode_batch(records, sequenced=sequenced, timestamp_ms=round(time() * 1000))
            written += size * await self._send_batch(command, batch, size)
        return Answer(True, f"{written} of {command.count} records acknowledged")

    async def _producer_id(self) -> tuple[int, int, int]:
        for _ in range(PRODUCER_ID_ATTEMPTS):
            found = await self._any(INIT_PRODUCER_ID, 4, InitProducerIdRequest(None, 60_000))
            if found.error_code == ErrorCode.NONE:
                return found.producer_id, found.producer_epoch, 0
            await asyncio.sleep(self.settings.retry_backoff_ms / 1000)
        raise NoAnswer("no producer id")

    async def _send_batch(self, command: Produce, batch: bytes, size: int) -> bool:
        where = command.topic_partition
        operation = self._begin("produce", where, command.acks)
        data = TopicProduceData(name=where.topic, partition_data=[PartitionProduceData(where.partition, batch)])
        message = ProduceRequest(acks=command.acks, timeout_ms=self.settings.request_timeout_ms, topic_data=[data])

        async def once() -> tuple[int, NodeId, int]:
            leader = await self._leader(where)
            if leader == NO_NODE:
                return NO_ANSWER, leader, -1
            try:
                found = await self.client.ask(leader, PRODUCE, 9, message, self._patience_s)
            except NoAnswer:
                return NO_ANSWER, leader, -1
            part = found.responses[0].partition_responses[0]
            self.tell(leader, ev.ProduceAnswered(
                topic=where.topic, partition=where.partition, client_id=operation.client_id, error=part.error_code,
                acks=command.acks, base_offset=part.base_offset, count=size,
            ))  # fmt: skip
            return int(part.error_code), leader, int(part.base_offset)

        base = await self._try(operation, once, retries=command.retries, acks=command.acks)
        if base is None:
            return False
        self._succeed(operation, base, size, (f"{stored_crc(batch):08x}",))
        return True

    async def _consume(self, command: Consume) -> Answer:
        where, position, records = command.topic_partition, command.offset, 0
        operation = self._begin("consume", where)

        async def once() -> tuple[int, NodeId, Any]:
            leader = await self._leader(where)
            if leader == NO_NODE:
                return NO_ANSWER, leader, None
            part = FetchPartition(partition=where.partition, fetch_offset=position, partition_max_bytes=MAX_BYTES)
            message = FetchRequest(
                max_wait_ms=FETCH_WAIT_MS, min_bytes=1, topics=[FetchTopic(topic=where.topic, partitions=[part])]
            )
            try:
                found = await self.client.ask(leader, FETCH, 12, message, self._patience_s)
            except NoAnswer:
                return NO_ANSWER, leader, None
            answer = found.responses[0].partitions[0]
            return int(answer.error_code), leader, answer

        while True:
            found = await self._try(operation, once, retries=True)
            if found is None and operation.error == ErrorCode.OFFSET_OUT_OF_RANGE:
                begins = await self._log_start(where)
                if begins <= position:
                    return Answer(False, f"refused: {_named(operation.error)}")
                operation, position, records = self._begin("consume", where), begins, 0
                continue
            if found is None:
                return Answer(False, f"refused: {_named(operation.error)}")
            first = position
            for header, _ in batches(bytes(found.records or b"")):
                records += header.end_offset - max(position, header.base_offset)
                position = header.end_offset
            if position >= found.high_watermark or position == first:
                self._succeed(operation, position - records, records)
                return Answer(True, f"{records} records read")

    async def _log_start(self, where: TopicPartition) -> int:
        from cluster.kafka.apis.list_offsets import (
            LIST_OFFSETS,
            ListOffsetsPartition,
            ListOffsetsRequest,
            ListOffsetsTopic,
        )

        leader = await self._leader(where)
        asked = ListOffsetsTopic(where.topic, [ListOffsetsPartition(where.partition, timestamp=-2)])
        message = ListOffsetsRequest(replica_id=NO_NODE, topics=[asked])
        found = await self.client.ask(leader, LIST_OFFSETS, 7, message, self._patience_s)
        return int(found.topics[0].partitions[0].offset)

    async def _delete(self, command: DeleteRecords) -> Answer:
        where = command.topic_partition
        operation = self._begin("delete_records", where)
        asked = DeleteRecordsTopic(where.topic, [DeleteRecordsPartition(where.partition, command.before_offset)])
        message = DeleteRecordsRequest([asked], self.settings.request_timeout_ms)

        async def once() -> tuple[int, NodeId, int]:
            leader = await self._leader(where)
            if leader == NO_NODE:
                return NO_ANSWER, leader, -1
            try:
                found = await self.client.ask(leader, DELETE_RECORDS, 2, message, self._patience_s)
            except NoAnswer:
                return NO_ANSWER, leader, -1
            part = found.topics[0].partitions[0]
            return int(part.error_code), leader, int(part.low_watermark)

        low = await self._try(operation, once, retries=True)
        if low is None:
            return Answer(False, f"refused: {_named(operation.error)}")
        self._succeed(operation, low, 0)
        return Answer(True, f"{where} begins at offset {low}")

    async def _elect(self, command: Elect) -> Answer:
        where = command.topic_partition
        message = ElectLeadersRequest(
            int(command.unclean), [TopicPartitions(where.topic, [where.partition])], self.settings.request_timeout_ms
        )

        def error_in(answer: Any) -> int:
            results = [part for topic in answer.replica_election_results for part in topic.partition_result]
            return int(answer.error_code or results[0].error_code)

        done = f"an election for {where} was run"
        return await self._administer("elect", where, ELECT_LEADERS, 2, message, error_in, done)

    async def _reassign(self, command: Reassign) -> Answer:
        where = command.topic_partition
        moved = ReassignablePartition(where.partition, list(command.target) or None)
        message = AlterPartitionReassignmentsRequest(
            self.settings.request_timeout_ms, topics=[ReassignableTopic(where.topic, [moved])]
        )

        def error_in(answer: Any) -> int:
            results = [part for topic in answer.responses for part in topic.partitions]
            return int(answer.error_code or results[0].error_code)

        done = f"{where} is on its way" if command.target else f"{where} goes back"
        return await self._administer("reassign", where, ALTER_PARTITION_REASSIGNMENTS, 0, message, error_in, done)

    async def _alter(self, command: AlterTopic) -> Answer:
        change = ConfigChange(MIN_ISR, SET, str(command.min_isr))
        message = IncrementalAlterConfigsRequest([ResourceChanges(TOPIC, command.topic, [change])])

        def error_in(answer: Any) -> int:
            return int(answer.responses[0].error_code)

        where, done = TopicPartition(command.topic, 0), f"topic {command.topic} has {MIN_ISR}={command.min_isr}"
        return await self._administer("alter_topic", where, INCREMENTAL_ALTER_CONFIGS, 1, message, error_in, done)

    async def _administer(
        self,
        function: str,
        where: TopicPartition,
        api: Api,
        version: int,
        message: Any,
        error_in: Callable[[Any], int],
        done: str,
    ) -> Answer:
        """Ask any broker for what the controller does as a whole or not at all, until it is done or refused."""
        operation = self._begin(function, where)

        async def once() -> tuple[int, NodeId, bool]:
            try:
                return error_in(await self._any(api, version, message)), NO_NODE, True
            except NoAnswer:
                return NO_ANSWER, NO_NODE, False

        if await self._try(operation, once, retries=True) is None:
            return Answer(False, f"refused: {_named(operation.error)}")
        self._succeed(operation, -1, 0)
        return Answer(True, done)


def _named(error: int) -> str:
    return "NO_ANSWER" if error == NO_ANSWER else ErrorCode(error).name if error in set(ErrorCode) else str(error)
