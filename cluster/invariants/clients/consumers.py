"""What consumers read: the same for all, in order, committed, and nothing left out. Contract 2.4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from cluster.invariants.clients.polls import end_of, offsets_of
from cluster.invariants.clients.producers import ACK_LOSS, texts_of
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import pack, unpack
from cluster.invariants.group import Handlers
from cluster.invariants.replication.committed import LOSS
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Offset, TopicPartition

SHOWN = 60
"""A consumer's event shows so many characters of a value, and so many values as MANY."""
MANY = 200


_Read = tuple[str, int]
"""A value at an offset, and the event that told of it first, packed: there is one for each record."""


class _Position(NamedTuple):
    """Where a consumer goes on."""

    offset: Offset
    event: EventId
    cuts: int
    """How many times the readable log had become shorter when it read."""


@dataclass(slots=True)
class _Pass:
    """One consumer's way through a partition, each poll from where the one before ended."""

    begun: Entry
    """The begin of its first poll."""
    end: Offset
    """Where it has got to (exclusive)."""
    stretches: list[tuple[Offset, Offset]]
    """What it read, as (first, end), in the order it came."""

    def take(self, event: ev.OperationSucceeded) -> None:
        """One more poll."""
        for start, count in event.stretches or ((event.base_offset, event.count),):
            if self.stretches and self.stretches[-1][1] == start:
                self.stretches[-1] = (self.stretches[-1][0], start + count)
            else:
                self.stretches.append((start, start + count))
        self.end = end_of(event)

    def has_read(self, offset: Offset) -> bool:
        """Whether a poll brought the record at this offset."""
        return any(start <= offset < end for start, end in self.stretches)


class ConsumerInvariants:
    """C2, C4, C6, C7, C12, C13 and C15."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("C2", "what is acknowledged is read", "Jepsen, unseen", ACK_LOSS),
        Invariant("C4", "one value at an offset", "Jepsen, inconsistent offsets", ACK_LOSS),
        Invariant("C6", "a consumer never goes back between polls", "Jepsen, nonmonotonic poll"),
        Invariant("C7", "a consumer skips nothing between polls", "Jepsen, poll skip"),
        Invariant("C12", "no read at the high watermark or above it", "Kafka Partition.fetchRecords"),
        Invariant("C13", "an offset reads the same for ever", "KIP-966 TLA+ ConsistentReadProperty", LOSS),
        Invariant("C15", "who read what is no more is told so", "KIP-320", LOSS),
    )

    __slots__ = ("_acked", "_c12", "_c4", "_c7", "_cuts", "_ghost", "_invoked", "_positions", "_produce_ended", "_read",
                 "_report", "_seen_to", "_values")  # fmt: skip

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._c4, self._c7, self._c12 = report.tally("C4"), report.tally("C7"), report.tally("C12")
        self._invoked: dict[tuple[str, int], Entry] = {}
        self._read: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._acked: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._values: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._positions: dict[tuple[str, str, int], _Position] = {}
        self._cuts: dict[tuple[str, int], list[tuple[Offset, EventId]]] = {}
        self._seen_to: dict[tuple[str, int], _Pass] = {}
        self._produce_ended: dict[tuple[str, int], Entry] = {}

    def before(self) -> Handlers:
        """A new leader against what was readable before."""
        return {ev.BecameLeader: self._on_leader}

    def after(self) -> Handlers:
        """Operations from begin to end."""
        return {
            ev.OperationInvoked: self._on_invoked,
            ev.OperationSucceeded: self._on_succeeded,
            ev.OperationFailed: self._on_not_done,
            ev.OperationUnknown: self._on_not_done,
        }

    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        ghost = self._ghost.partition(event.topic, event.partition)
        if event.epoch_start_offset < ghost.true_high_watermark and event.leader_epoch >= ghost.leader_epoch:
            cuts = self._cuts.setdefault((event.topic, event.partition), [])
            cuts.append((event.epoch_start_offset, entry.id))

    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function in ("produce", "consume"):
            self._invoked[event.client_id, event.operation_id] = entry

    def _on_not_done(self, entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        self._invoked.pop((event.client_id, event.operation_id), None)
        self._positions.pop((event.client_id, event.topic, event.partition), None)

    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        invoked = self._invoked.pop((event.client_id, event.operation_id), None)
        if invoked is None:
            return
        if event.function == "produce":
            self._on_acknowledged(entry, event, invoked)
        elif event.function == "consume":
            self._on_read(entry, event, invoked)

    def _on_acknowledged(self, entry: Entry, event: ev.OperationSucceeded, invoked: Entry) -> None:
        """C4 among acknowledgements, and between them and what is read."""
        key = (event.topic, event.partition)
        self._produce_ended[key] = entry
        if event.base_offset < 0 or not event.values:
            return
        self._c4.checks += 1
        told = pack(entry)
        acked = self._acked.setdefault(key, {})
        digest = event.values[0]
        other = acked.get(event.base_offset)
        if other is not None and other[0] != digest:
            self._two_values("C4", entry, key, event.base_offset, other[1], "two produces were acknowledged there")
        acked[event.base_offset] = (digest, told)
        assert isinstance(invoked.event, ev.OperationInvoked)
        texts = texts_of(invoked.event)
        if len(texts) != event.count:
            return
        values = self._values.setdefault(key, {})
        read = self._read.get(key)
        for offset, text in enumerate(texts, event.base_offset):
            values[offset] = (text[:SHOWN], told)
            if read is not None and offset in read and read[offset][0] != text[:SHOWN]:
                self._two_values("C4", entry, key, offset, read[offset][1], "what is acknowledged there was not read")

    def _on_read(self, entry: Entry, event: ev.OperationSucceeded, invoked: Entry) -> None:
        key = (event.topic, event.partition)
        where = TopicPartition(*key)
        end = end_of(event)
        self._c12.checks += 1
        ghost = self._ghost.partition(*key)
        if end > ghost.true_high_watermark and event.count:
            self._report.violated(
                "C12",
                f"a consumer read offset {end - 1}; no leader's high watermark passed {ghost.true_high_watermark}",
                (entry.id,) if ghost.true_event is None else (entry.id, ghost.true_event),
                record=f"{where} offset {end - 1}",
                scope=where,
            )
        assert isinstance(invoked.event, ev.OperationInvoked)
        committed_only = bool(invoked.event.isolation)
        self._judge_position(entry, event, end, where, committed_only=committed_only)
        self._judge_values(entry, event, key)
        if committed_only:  # it is not to read all that was acknowledged
            return
        way = self._seen_to.get(key)
        if way is None or not ghost.may_skip(way.end, event.base_offset):
            way = self._seen_to[key] = _Pass(invoked, event.base_offset, [])
        way.take(event)

    def _judge_position(
        self, entry: Entry, event: ev.OperationSucceeded, end: Offset, where: TopicPartition, *, committed_only: bool
    ) -> None:
        """C6, C7, C15: one command of a consumer is several polls, each from where the one before ended."""
        key = (event.client_id, event.topic, event.partition)
        cuts = self._cuts.get((event.topic, event.partition), [])
        before = self._positions.get(key)
        self._positions[key] = _Position(end, entry.id, len(cuts))
        if before is None:
            return
        self._c7.checks += 1
        self._report.checked("C6")
        self._report.checked("C15")
        ghost = self._ghost.partition(event.topic, event.partition)
        if not ghost.may_skip(before.offset, event.base_offset, committed_only=committed_only):
            back = event.base_offset < before.offset
            self._report.violated(
                "C6" if back else "C7",
                f"a consumer goes on at offset {event.base_offset} after it had read up to {before.offset}",
                (entry.id, before.event),
                record=f"{where} offset {event.base_offset}",
                scope=where,
            )
        for start, event_id in cuts[before.cuts :]:
            if start < before.offset:
                self._report.violated(
                    "C15",
                    f"a consumer at offset {before.offset} goes on without an error, "
                    f"although a new leader's log ended at {start}",
                    (entry.id, event_id, before.event),
                    record=f"{where} offset {start}",
                    scope=where,
                )

    def _judge_values(self, entry: Entry, event: ev.OperationSucceeded, key: tuple[str, int]) -> None:
        """C4 and C13."""
        read = self._read.setdefault(key, {})
        values = self._values.get(key, {})
        self._c4.checks += 1
        told = pack(entry)
        for offset, text in zip(offsets_of(event), event.values, strict=False):
            known = read.get(offset)
            if known is None:
                read[offset] = (text, told)
            else:
                self._report.checked("C13")
                if known[0] != text:
                    self._two_values("C13", entry, key, offset, known[1], "a consumer read another value there")
                    self._two_values("C4", entry, key, offset, known[1], "two values were read there")
                    read[offset] = (text, told)
            acked = values.get(offset)
            if acked is not None and acked[0] != text:
                self._two_values("C4", entry, key, offset, acked[1], "another value was acknowledged there")

    def _two_values(
        self, invariant: str, entry: Entry, key: tuple[str, int], offset: Offset, other: int, what: str
    ) -> None:
        where = TopicPartition(*key)
        self._report.violated(
            invariant,
            f"offset {offset} has two values: {what}",
            (entry.id, unpack(other)),
            record=f"{where} offset {offset}",
            scope=where,
        )

    def finish(self) -> None:
        """C2, where a consumer began after the last acknowledgement and read to the end."""
        for key, way in sorted(self._seen_to.items()):
            where = TopicPartition(*key)
            ended = self._produce_ended.get(key)
            ghost = self._ghost.partition(*key)
            if ended is None or not _later(way.begun.id, ended.id):
                continue
            if way.end < ghost.true_high_watermark and not ghost.may_skip(way.end, ghost.true_high_watermark):
                continue
            read = self._read.get(key, {})
            first = way.stretches[0][0]
            for offset, acked in sorted(self._values.get(key, {}).items()):
                if not first <= offset < way.end or ghost.compacted.may_skip(offset, offset + 1):
                    continue
                self._report.checked("C2")
                known = read.get(offset)
                if not way.has_read(offset) or (known is not None and known[0] != acked[0]):
                    self._report.violated(
                        "C2",
                        f"what was acknowledged at offset {offset} was never read, although all up to {way.end} was",
                        (way.begun.id, unpack(acked[1])),
                        record=f"{where} offset {offset}",
                        scope=where,
                    )


def _later(one: EventId, other: EventId) -> bool:
    """Whether one event of the clients' trace comes after another: all clients of a run share it."""
    return one.node == other.node and (one.incarnation, one.seq) > (other.incarnation, other.seq)
