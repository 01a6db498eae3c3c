"""A coordinator of transactions alone, with its partition in memory and a cluster that a test decides about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TRANSACTIONS_TOPIC, NodeId, TopicPartition
from cluster.model.inputs import Disconnected, Received, TimerFired
from cluster.model.messages import (
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
    ProduceResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from cluster.model.record_batch import encode_batch, read_header, with_offset_and_epoch
from cluster.model.settings import kafka_timing
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore
from cluster.transactions.coordinator import TransactionCoordinator
from cluster.transactions.records import record_of
from cluster.transactions.state import Transaction

BROKER = 1
HOME = TopicPartition(TRANSACTIONS_TOPIC, 0)


class Log:
    """The broker's replica: what is appended is committed at once."""

    def __init__(self) -> None:
        self.store = NodeStore(MemoryFiles(), host_fsync=False, emit=lambda *_: None, is_buffered=False)
        self.log, _ = self.store.open(HOME)

    @property
    def high_watermark(self) -> int:
        return self.log.log_end_offset

    def append(self, batch: bytes) -> int:
        base = self.log.log_end_offset
        self.store.append(HOME, with_offset_and_epoch(batch, base, 0))
        assert self.log.log_end_offset == base + read_header(batch).count
        return base


class Coordinated:
    """Carries out what the coordinator asks of its own broker; keeps the markers that it sends to others."""

    def __init__(self, *known: Transaction, **settings: Any) -> None:
        self.settings, self.now_ms, self.replica = replace(kafka_timing(), **settings), 1_000, Log()
        self.leaders: dict[TopicPartition, NodeId] = {}
        self.markers: list[tuple[NodeId, int, WriteTxnMarkersRequest]] = []
        self.events: list[Any] = []
        self.answers: list[Any] = []
        self.wanted_ids: list[int] = []
        """Correlations of its questions for a producer id."""
        self.timers: dict[str, int] = {}
        for each in known:
            self.replica.append(encode_batch([record_of(each)]))
        self.coordinator = TransactionCoordinator(BROKER, self.settings, self)
        self.coordinator.partition_count = 1
        self.do(self.coordinator.lead(0, 4, self.replica, self.now_ms))
        while self.coordinator.is_loading:
            self.fire("transactions.load.0")

    def leader_of(self, where: TopicPartition) -> NodeId | None:
        return self.leaders.get(where)

    def offsets_partition(self, group: str) -> TopicPartition | None:
        return TopicPartition("__consumer_offsets", len(group) % 2)

    def ask(self, message: Any) -> Any:
        """The last answer to a client, which this message has brought."""
        before = len(self.answers)
        self.give(Received(sender=1001, correlation=9, message=message))
        assert len(self.answers) > before, f"nobody answers {message}"
        return self.answers[-1]

    def give(self, happened: Received | TimerFired | Disconnected) -> None:
        self.do(self.coordinator.handle(happened, self.now_ms))

    def fire(self, name: str) -> None:
        self.give(TimerFired(name=name))

    def mark(self, error: ErrorCode = ErrorCode.NONE) -> None:
        """The leader that was asked first answers."""
        target, correlation, marker = self.markers.pop(0)
        answer = WriteTxnMarkersResponse(error=error, topic=marker.topic, partition=marker.partition)
        self.give(Received(sender=target, correlation=correlation, message=answer))

    def give_id(self, producer_id: int) -> None:
        """Its broker answers the oldest question for one."""
        answer = InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)
        self.give(Received(sender=BROKER, correlation=self.wanted_ids.pop(0), message=answer))

    def do(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(target=target, message=WriteTxnMarkersRequest() as marker, correlation=correlation):
                    self.markers.append((target, correlation, marker))
                case Send(message=ProduceRequest() as request, correlation=correlation):
                    base = self.replica.append(request.records)
                    done = ProduceResponse(topic=request.topic, partition=0, base_offset=base)
                    self.give(Received(sender=BROKER, correlation=correlation, message=done))
                case Send(message=InitProducerIdRequest(), correlation=correlation):
                    self.wanted_ids.append(correlation)
                case Send(message=message):
                    self.answers.append(message)
                case Emit(event=event):
                    self.events.append(event)
                case SetTimer(name=name, delay_ms=delay_ms):
                    self.timers[name] = delay_ms
                case _:
                    pass
