"""What producers saw, as Jepsen asks: each operation from its begin to its end. Contract 2.4."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cluster.invariants.ghost.ghost import ACKS_ALL, Ghost
from cluster.invariants.ghost.log import GhostLog, pack, unpack
from cluster.invariants.ghost.parts import PartitionGhost
from cluster.invariants.ghost.transactions import is_from_producer
from cluster.invariants.group import LOSS, Group, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, OFFSETS_TOPIC, NodeId, Offset, TopicPartition

NO_ANSWER = ErrorCode.UNKNOWN_SERVER_ERROR
INDEFINITE = (NO_ANSWER, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
"""After these nobody can say that nothing was written. With acks=all NOT_LEADER_OR_FOLLOWER is one of them."""
DELIVERY_REQUESTS = 4
"""A client gives an operation up after so many request timeouts."""
SLACK_NS = 1_000_000_000
SEVERAL = re.compile(r"(.*)-(\d+) to \1-(\d+)", re.DOTALL)
APART = re.compile(r"(.*)-\d+(?:, \1-\d+)+", re.DOTALL)
ACK_LOSS = (*LOSS, "A5")


def texts_of(invoked: ev.OperationInvoked) -> tuple[str, ...]:
    """The record values of a produce as its invocation shows them; empty when the text was cut."""
    if len(invoked.value) >= 200:
        return ()
    run = SEVERAL.fullmatch(invoked.value) if " to " in invoked.value else None
    if run is None:
        return tuple(invoked.value.split(", ")) if APART.fullmatch(invoked.value) else (invoked.value,)
    first, last = int(run[2]), int(run[3])
    return tuple(f"{run[1]}-{number}" for number in range(first, last + 1)) if last - first < 10_000 else ()


@dataclass(slots=True)
class Operation:
    """One operation that has not ended."""

    invoked: Entry
    floor: Offset
    """Every acks=all produce that was done before it began ends at or below this."""
    alone: bool
    """Nothing else of the same client was open when it began."""
    doubt: int = 0
    """The first error after which nobody can say that nothing was written; 0 for none."""


class _Acked:
    """One produce that a client was told is done."""

    __slots__ = ("acks", "base_offset", "count", "crc", "event")

    def __init__(self, base_offset: Offset, count: int, crc: int, acks: int, event: int) -> None:
        self.base_offset, self.count, self.crc, self.acks, self.event = base_offset, count, crc, acks, event


FAILED_IS_NOT_WRITTEN = invariant("what failed was not written", "Jepsen, aborted read (G1a)")


class ProducerInvariants(Group):
    """C1, C3, C5, C10, C14 and C16."""

    C1 = invariant("lost write: acknowledged, and not in the last leader's log", "Jepsen", *ACK_LOSS)
    C3 = FAILED_IS_NOT_WRITTEN
    C5 = invariant("no record is written twice", "Jepsen, duplicate", "A6")
    C10 = invariant("a client that waits for each answer gets rising offsets", "Jepsen", *ACK_LOSS)
    C14 = invariant("acknowledged before begun means a lower offset", "Jepsen, real-time order", *LOSS)
    C16 = invariant("every operation ends within the delivery timeout", "KIP-91")

    def begin(self) -> None:
        self._open: dict[tuple[str, int], Operation] = {}
        self._open_count: dict[str, int] = {}
        self._last: dict[tuple[str, str, int], tuple[Offset, Entry]] = {}
        self._floors: dict[tuple[str, int], tuple[Offset, Entry]] = {}
        self._acked: dict[TopicPartition, list[_Acked]] = {}
        self._appends: dict[tuple[str, int, str, str, int], Offset] = {}
        self._doubles: list[tuple[TopicPartition, Offset, Offset, str, EventId]] = []
        self._deadline_ns = 0
        self._now_ns = 0

    @after
    def _on_run(self, _entry: Entry, _event: ev.RunStarted) -> None:
        timeout_ms = self.ghost.settings.get("request_timeout_ms", 30_000)
        self._deadline_ns = int(timeout_ms) * DELIVERY_REQUESTS * 1_000_000 + SLACK_NS

    @after
    def _on_run_ended(self, entry: Entry, _event: ev.RunEnded) -> None:
        self._now_ns = max(self._now_ns, entry.t_ns)

    @after
    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        client = event.client_id
        count = self._open_count.get(client, 0)
        self._open_count[client] = count + 1
        floor = self._floors.get((event.topic, event.partition))
        operation = Operation(entry, 0 if floor is None else floor[0], count == 0)
        self._open[client, event.operation_id] = operation

    @after
    def _on_retried(self, _entry: Entry, event: ev.OperationRetried) -> None:
        operation = self._open.get((event.client_id, event.operation_id))
        if operation is not None:
            self._note_error(operation, event.error)

    @staticmethod
    def _note_error(operation: Operation, error: int) -> None:
        invoked = operation.invoked.event
        acks = invoked.acks if isinstance(invoked, ev.OperationInvoked) else ACKS_ALL
        if error in INDEFINITE or (error == ErrorCode.NOT_LEADER_OR_FOLLOWER and acks == ACKS_ALL):
            operation.doubt = operation.doubt or error

    def _end(
        self, entry: Entry, event: ev.OperationSucceeded | ev.OperationFailed | ev.OperationUnknown
    ) -> Operation | None:
        """C16 when an operation ends."""
        operation = self._open.pop((event.client_id, event.operation_id), None)
        self._now_ns = entry.t_ns
        if operation is None:
            return None
        self._open_count[event.client_id] -= 1
        self.C16.checks += 1
        took_ns = entry.t_ns - operation.invoked.t_ns
        if self._deadline_ns and took_ns > self._deadline_ns:
            self._too_long(entry.id, operation, f"ended after {took_ns // 1_000_000} ms")
        return operation

    def _too_long(self, event: EventId, operation: Operation, what: str) -> None:
        allowed_ms = self._deadline_ns // 1_000_000
        events = (event, operation.invoked.id) if event != operation.invoked.id else (event,)
        self.C16.violated(f"an operation {what}; {allowed_ms} ms are allowed", *events)

    @after
    def _on_unknown(self, entry: Entry, event: ev.OperationUnknown) -> None:
        self._end(entry, event)

    @after
    def _on_failed(self, entry: Entry, event: ev.OperationFailed) -> None:
        """C3: a failure is certain only when no attempt may have been written."""
        operation = self._end(entry, event)
        if operation is None or event.function != "produce":
            return
        self.C3.checks += 1
        self._note_error(operation, event.error)
        if operation.doubt:
            self.C3.violated(
                f"a produce is said to have failed, but after error {operation.doubt} of one attempt "
                "its records may be in the log",
                entry,
                operation.invoked.id,
                at="",
            )

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        operation = self._end(entry, event)
        if operation is None or event.function != "produce" or event.base_offset < 0:
            return
        invoked = operation.invoked.event
        assert isinstance(invoked, ev.OperationInvoked)
        key: Any = (event.topic, event.partition)  # equal to the TopicPartition; cheaper to make
        acked = self._acked.get(key)
        if acked is None:
            acked = self._acked[TopicPartition(*key)] = []
        crc = int(event.values[0], 16) if event.values and event.values[0] else -1
        acked.append(_Acked(event.base_offset, event.count, crc, invoked.acks, pack(entry)))
        if operation.alone:
            self._judge_order(entry, event)
        if invoked.acks == ACKS_ALL:
            self._judge_real_time(entry, event, operation)

    @after
    def _on_answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """C1 of Kafka clients: what they learn only their broker tells. The ghost knows which batches it was."""
        if event.kafka_client and not event.error and event.acks == ACKS_ALL and event.topic != OFFSETS_TOPIC:
            where, end = TopicPartition(event.topic, event.partition), event.base_offset + event.count
            acked = self._acked.setdefault(where, [])
            for base, upto, crc in self.ghost.partition(*where).logs[entry.node].within(event.base_offset, end):
                acked.append(_Acked(base, upto - base, crc, event.acks, pack(entry)))

    def _judge_order(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """C10, for clients that wait for each answer before they send again."""
        key = (event.client_id, event.topic, event.partition)
        last = self._last.get(key)
        self._last[key] = (event.base_offset, entry)
        if last is None:
            return
        self.C10.checks += 1
        if event.base_offset <= last[0]:
            self.C10.violated(
                f"a client's send got offset {event.base_offset} after its earlier one got {last[0]}",
                entry,
                last[1].id,
                at=f"offset {event.base_offset}",
            )

    def _judge_real_time(self, entry: Entry, event: ev.OperationSucceeded, operation: Operation) -> None:
        """C14."""
        self.C14.checks += 1
        key = (event.topic, event.partition)
        end = event.base_offset + event.count
        highest = self._floors.get(key)
        if event.base_offset < operation.floor:
            other = (
                (entry.id, operation.invoked.id) if highest is None else (entry.id, operation.invoked.id, highest[1].id)
            )
            self.C14.violated(
                f"a produce got offset {event.base_offset}; before it began offset "
                f"{operation.floor - 1} was acknowledged",
                *other,
                at=f"offset {event.base_offset}",
            )
        if highest is None or end > highest[0]:
            self._floors[key] = (end, entry)

    @after
    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        """What a shorter log lost is told by C1 and P1; offsets after it may be given again."""
        key, start = (event.topic, event.partition), event.epoch_start_offset
        floor = self._floors.get(key)
        if floor is None or floor[0] <= start or event.leader_epoch < self.ghost.partition(*key).leader_epoch:
            return
        self._floors[key] = (start, entry)
        for operation in self._open.values():
            invoked = operation.invoked.event
            if isinstance(invoked, ev.OperationInvoked) and (invoked.topic, invoked.partition) == key:
                operation.floor = min(operation.floor, start)

    @after
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """C5: the same bytes from the same client, appended twice. The trigger of the step names the sender."""
        if not entry.trigger or not is_from_producer(event):
            return
        base, _, _, crc = event.batches[0]
        key = (event.topic, event.partition, entry.trigger, crc, event.size_bytes)
        first = self._appends.setdefault(key, base)
        if first != base:
            self._doubles.append((TopicPartition(event.topic, event.partition), first, base, crc, entry.id))

    def finish(self) -> None:
        """C1 and C5 in the last leader's log; operations that are still open."""
        for where, acked in sorted(self._acked.items()):
            self._judge_lost(where, acked)
        if self._appends:
            self.C5.checks += len(self._appends)
        for where, first, second, crc, event in self._doubles:
            log = last_log(self.ghost, where)
            if (
                log is not None
                and first >= log.log_start_offset
                and all(_begins_at(log, base, int(crc, 16)) for base in (first, second))
            ):
                self.C5.violated(
                    f"the same batch stands at offsets {first} and {second}", event, at=f"offset {second}", scope=where
                )
        for operation in self._open.values():
            waited_ns = self._now_ns - operation.invoked.t_ns
            if self._deadline_ns and waited_ns > self._deadline_ns:
                self._too_long(operation.invoked.id, operation, f"is open after {waited_ns // 1_000_000} ms")

    def _judge_lost(self, where: TopicPartition, acked: list[_Acked]) -> None:
        ghost = self.ghost.partition(*where)
        logs = last_logs(ghost)
        if not logs or not all(log.is_known for log in logs.values()):
            return
        self.C1.checks += len(acked)
        for item in acked:
            if any(_is_at(log, item.base_offset, item.crc) for log in logs.values()):
                continue
            acknowledged = unpack(item.event)
            last = ghost.newest.event if ghost.newest is not None else acknowledged
            self.C1.violated(
                f"a produce with acks={'all' if item.acks == ACKS_ALL else item.acks} was acknowledged at offset "
                f"{item.base_offset}; at the end the log of node {', '.join(map(str, logs))} does not hold it there",
                last,
                acknowledged,
                at=f"offset {item.base_offset}",
                scope=where,
                assumptions=LOSS if item.acks == ACKS_ALL else ACK_LOSS,
                lost=item.base_offset,
            )


def last_logs(ghost: PartitionGhost) -> dict[NodeId, GhostLog]:
    """Where a record is at the end: the leader's log while it leads, else any log of who may lead next."""
    newest = ghost.newest
    if newest is None:
        return {}
    if ghost.leaderships.get(newest.node) is newest:
        return {newest.node: ghost.logs[newest.node]}
    nodes = {*ghost.isr} if newest.is_left else {newest.node, *ghost.isr}
    return {node: ghost.logs[node] for node in sorted(nodes)}


def last_log(ghost: Ghost, where: TopicPartition) -> GhostLog | None:
    """The newest leader's log; None when nobody ever led."""
    newest = ghost.partition(*where).newest if where != METADATA else None
    return None if newest is None else ghost.partition(*where).logs[newest.node]


def _is_at(log: GhostLog, base_offset: Offset, crc: int) -> bool:
    index = log.index_of(base_offset)
    return index >= 0 and crc in (-1, log.crcs[index])


def _begins_at(log: GhostLog, base_offset: Offset, crc: int) -> bool:
    """Whether a log has a batch of these bytes that begins there; one that only reaches there is another writing."""
    batch = log.batch_at(base_offset)
    return batch is not None and (batch.base_offset, batch.crc) == (base_offset, crc)
