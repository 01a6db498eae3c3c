"""Follows what clients were told of their produces: which records are acknowledged with acks=all."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import ACKS_ALL, Ghost, Handler
from cluster.invariants.ghost.log import pack
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import OFFSETS_TOPIC


class Acknowledged:
    """Keeps PartitionGhost.acked. A fold beside the ghost's own, called after it."""

    __slots__ = ("_ghost", "_open")

    def __init__(self, ghost: Ghost) -> None:
        self._ghost = ghost
        self._open: set[tuple[str, int]] = set()
        """Produces with acks=all that have no answer yet, by client and operation."""

    def folds(self) -> dict[type, Handler]:
        """What to call for each class of event."""
        return {
            ev.OperationInvoked: self._invoked,
            ev.OperationSucceeded: self._succeeded,
            ev.OperationFailed: self._ended,
            ev.OperationUnknown: self._ended,
            ev.ProduceAnswered: self._answered,
        }

    def _invoked(self, _entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function == "produce" and event.acks == ACKS_ALL:
            self._open.add((event.client_id, event.operation_id))

    def _ended(self, _entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        self._open.discard((event.client_id, event.operation_id))

    def _succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        key = (event.client_id, event.operation_id)
        if key not in self._open:
            return
        self._open.discard(key)
        if event.base_offset >= 0:
            crc = int(event.values[0], 16) if event.values and event.values[0] else -1
            acked = self._ghost.partition(event.topic, event.partition).acked
            acked.add(event.base_offset, event.count, crc, pack(entry), event.client_id)

    def _answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """What a Kafka client is told only its broker tells: the batches that stand there now are acknowledged."""
        if not event.kafka_client or event.error or event.acks != ACKS_ALL or event.topic == OFFSETS_TOPIC:
            return
        ghost = self._ghost.partition(event.topic, event.partition)
        packed, end = pack(entry), event.base_offset + event.count
        for base, upto, crc in ghost.logs[entry.node].within(event.base_offset, end):
            ghost.acked.add(base, upto - base, crc, packed, event.client_id)
