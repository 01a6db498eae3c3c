"""Three brokers with real replicas beside three controllers, in memory. Deterministic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cluster.model.events import HighWatermarkAdvanced, ReplicaTruncated
from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.model.messages import CreateTopicRequest, FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, batches, decode_records, encode_batch
from cluster.model.settings import Settings, classroom_timing
from cluster.replication.replica_manager import ReplicaManager
from tests.support.kinds import as_kind
from tests.support.worlds.node_world import MemoryLog, NodeWorld

ORDERS = TopicPartition("orders", 0)
CONTROLLERS = (101, 102, 103)
BROKERS = (1, 2, 3)


def batch(*values: str) -> bytes:
    return encode_batch([Record(None, value.encode()) for value in values])


def values_of(records: bytes) -> list[str]:
    """What is in these batches."""
    return [(record.value or b"").decode() for _, part in batches(records) for record in decode_records(part)]


class ReplicaWorld(NodeWorld):
    """One topic `orders` with one partition on brokers 1, 2, 3; 1 is preferred."""

    def __init__(self, *, min_isr: int = 2, replicas: int = 3, spares: tuple[NodeId, ...] = (), **changes: Any) -> None:
        settings: Settings = replace(classroom_timing(), **{"elr": False, **changes})
        roles = dict.fromkeys(CONTROLLERS, ("controller",)) | dict.fromkeys((*BROKERS[:replicas], *spares), ("broker",))
        super().__init__(roles, settings, lambda node: ReplicaManager(node, settings))
        self.until(lambda: self.active() != -1 and self.unfenced() == (*BROKERS[:replicas], *spares))
        create = CreateTopicRequest(
            topic="orders",
            partitions=1,
            replication_factor=replicas,
            min_insync_replicas=min_isr,
            assignments=(BROKERS[:replicas],),
        )
        self.ask(self.active(), create)
        self.until(lambda: all(self.replicas[node].is_open(ORDERS) for node in BROKERS[:replicas]))
        self.until(lambda: self.state().isr == BROKERS[:replicas])

    def unfenced(self) -> tuple[NodeId, ...]:
        return self.nodes[self.active()].image.unfenced_brokers()

    def state(self) -> PartitionState:
        """As committed, read at the active controller."""
        self.until(lambda: self.active() != -1)
        return self.nodes[self.active()].image.partitions[ORDERS]

    def log(self, node: NodeId) -> MemoryLog:
        return self.disks[node].logs[ORDERS]

    def values(self, node: NodeId) -> list[str]:
        """The records of one replica."""
        return values_of(self.log(node).read(0, 1 << 20))

    def end(self, node: NodeId) -> Offset:
        return self.log(node).log_end_offset

    def high_watermark(self, node: NodeId) -> Offset:
        """As last told in an event of this node."""
        cut = [
            (index, event.high_watermark if isinstance(event, HighWatermarkAdvanced) else event.end_offset)
            for index, (who, event) in enumerate(self.events)
            if who == node and isinstance(event, HighWatermarkAdvanced)
        ]
        return cut[-1][1] if cut else 0

    def cuts_of(self, node: NodeId) -> list[tuple[Offset, Offset]]:
        """(old end, new end) of each truncation."""
        return [
            (event.old_end_offset, event.end_offset)
            for who, event in self.events
            if who == node and isinstance(event, ReplicaTruncated)
        ]

    def produce(self, node: NodeId, *values: str, acks: int = -1, timeout_ms: int = 800) -> ProduceResponse:
        """One request of one batch, waiting for its answer."""
        correlation = self.send_produce(node, *values, acks=acks, timeout_ms=timeout_ms)
        return as_kind(ProduceResponse, self.answer_of(correlation))

    def send_produce(self, node: NodeId, *values: str, acks: int = -1, timeout_ms: int = 800) -> int:
        request = ProduceRequest(
            client_id="p", topic="orders", partition=0, acks=acks, timeout_ms=timeout_ms, records=batch(*values)
        )
        return self.send_as_client(node, request)

    def answer_of(self, correlation: int) -> Any:
        self.until(lambda: correlation in self.answered)
        return self.answered[correlation]

    def consume(self, node: NodeId, offset: Offset = 0, max_wait_ms: int = 0) -> FetchResponse:
        request = FetchRequest(replica_id=-1, topic="orders", partition=0, fetch_offset=offset, max_wait_ms=max_wait_ms)
        return as_kind(FetchResponse, self.answer_of(self.send_as_client(node, request)))

    def consumed(self, node: NodeId) -> list[str]:
        return values_of(self.consume(node).records)

    def settled(self, *nodes: NodeId) -> Callable[[], bool]:
        """All these replicas hold the same, and know that it is committed."""

        def check() -> bool:
            ends = {self.end(node) for node in nodes}
            return len(ends) == 1 and all(self.high_watermark(node) == self.end(node) for node in nodes)

        return check

    def wait(self, duration_ms: int) -> None:
        """Let virtual time pass."""
        end_ms = self.now_ms + duration_ms
        self.until(lambda: self.now_ms >= end_ms, duration_ms + 10_000)

    def named(self, kind: type, node: NodeId | None = None) -> list[Any]:
        return [event for who, event in self.events if isinstance(event, kind) and node in (None, who)]
