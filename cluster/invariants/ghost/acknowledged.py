"""Follows what clients do: which operations are open, and which records are acknowledged with acks=all."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import ACKS_ALL, Ghost
from cluster.invariants.ghost.log import pack
from cluster.invariants.watcher import Watcher, after, fold
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import OFFSETS_TOPIC


class Acknowledged(Watcher):
    """Keeps Ghost.operations and PartitionGhost.acked. It stands behind all groups, which see what ends still open."""

    def __init__(self, ghost: Ghost) -> None:
        self._ghost = ghost

    @fold
    def _invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        self._ghost.operations[event.client_id, event.operation_id] = entry, event

    @after
    def _ended(self, _entry: Entry, event: ev.OperationSucceeded | ev.OperationFailed | ev.OperationUnknown) -> None:
        self._ghost.operations.pop((event.client_id, event.operation_id), None)

    @fold
    def _succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        _, invoked = self._ghost.operations.get((event.client_id, event.operation_id), (None, None))
        if invoked is None or invoked.function != "produce" or invoked.acks != ACKS_ALL:
            return
        if event.base_offset >= 0:
            crc = int(event.values[0], 16) if event.values and event.values[0] else -1
            acked = self._ghost.of(event).acked
            acked.add(event.base_offset, event.count, crc, pack(entry), event.client_id)

    @fold
    def _answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """What a Kafka client is told only its broker tells: the batches that stand there now are acknowledged."""
        if not event.kafka_client or event.error or event.acks != ACKS_ALL or event.topic == OFFSETS_TOPIC:
            return
        ghost = self._ghost.here
        packed, end = pack(entry), event.base_offset + event.count
        for base, upto, crc in ghost.logs[entry.node].within(event.base_offset, end):
            ghost.acked.add(base, upto - base, crc, packed, event.client_id)
