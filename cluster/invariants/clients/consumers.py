"""What consumers read: the same for all, in order, committed, and nothing left out. Contract 2.4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cluster.invariants.clients.polls import end_of, offsets_of
from cluster.invariants.clients.producers import ACK_LOSS, texts_of
from cluster.invariants.ghost.log import pack, unpack
from cluster.invariants.group import LOSS, Group, Tally, after, before, invariant
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


class ConsumerInvariants(Group):
    """C2, C4, C6, C7, C12, C13 and C15."""

    C2 = invariant("what is acknowledged is read", "Jepsen, unseen", *ACK_LOSS)
    C4 = invariant("one value at an offset", "Jepsen, inconsistent offsets", *ACK_LOSS)
    C6 = invariant("a consumer never goes back between polls", "Jepsen, nonmonotonic poll")
    C7 = invariant("a consumer skips nothing between polls", "Jepsen, poll skip")
    C12 = invariant("no read at the high watermark or above it", "Kafka Partition.fetchRecords")
    C13 = invariant("an offset reads the same for ever", "KIP-966 TLA+ ConsistentReadProperty", *LOSS)
    C15 = invariant("who read what is no more is told so", "KIP-320", *LOSS)

    def begin(self) -> None:
        self._read: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._acked: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._values: dict[tuple[str, int], dict[Offset, _Read]] = {}
        self._positions: dict[tuple[str, str, int], _Position] = {}
        self._cuts: dict[tuple[str, int], list[tuple[Offset, EventId]]] = {}
        self._seen_to: dict[tuple[str, int], _Pass] = {}
        self._produce_ended: dict[tuple[str, int], Entry] = {}

    @before
    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        ghost = self.ghost.here
        if event.epoch_start_offset < ghost.true_high_watermark and event.leader_epoch >= ghost.leader_epoch:
            cuts = self._cuts.setdefault((event.topic, event.partition), [])
            cuts.append((event.epoch_start_offset, entry.id))

    @after
    def _on_not_done(self, _entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        self._positions.pop((event.client_id, event.topic, event.partition), None)

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        begun, invoked = self.ghost.operations.get((event.client_id, event.operation_id), (None, None))
        if begun is None or invoked is None:
            return
        if event.function == "produce":
            self._on_acknowledged(entry, event, invoked)
        elif event.function == "consume":
            self._on_read(entry, event, begun, committed_only=bool(invoked.isolation))

    def _on_acknowledged(self, entry: Entry, event: ev.OperationSucceeded, invoked: ev.OperationInvoked) -> None:
        """C4 among acknowledgements, and between them and what is read."""
        key = (event.topic, event.partition)
        self._produce_ended[key] = entry
        if event.base_offset < 0 or not event.values:
            return
        self.C4.checks += 1
        place = pack(entry)
        acked = self._acked.setdefault(key, {})
        digest = event.values[0]
        other = acked.get(event.base_offset)
        if other is not None and other[0] != digest:
            self._two_values(self.C4, entry, event.base_offset, other[1], "two produces were acknowledged there")
        acked[event.base_offset] = (digest, place)
        texts = texts_of(invoked)
        if len(texts) != event.count:
            return
        values = self._values.setdefault(key, {})
        read = self._read.get(key)
        for offset, text in enumerate(texts, event.base_offset):
            values[offset] = (text[:SHOWN], place)
            if read is not None and offset in read and read[offset][0] != text[:SHOWN]:
                self._two_values(self.C4, entry, offset, read[offset][1], "what is acknowledged there was not read")

    def _on_read(self, entry: Entry, event: ev.OperationSucceeded, begun: Entry, *, committed_only: bool) -> None:
        key = (event.topic, event.partition)
        end = end_of(event)
        self.C12.checks += 1
        ghost = self.ghost.of(event)
        if end > ghost.true_high_watermark and event.count:
            self.C12.violated(
                f"a consumer read offset {end - 1}; no leader's high watermark passed {ghost.true_high_watermark}",
                entry,
                ghost.true_event,
                at=f"offset {end - 1}",
            )
        self._judge_position(entry, event, end, committed_only=committed_only)
        self._judge_values(entry, event, key)
        if committed_only:  # it is not to read all that was acknowledged
            return
        way = self._seen_to.get(key)
        if way is None or not ghost.may_skip(way.end, event.base_offset):
            way = self._seen_to[key] = _Pass(begun, event.base_offset, [])
        way.take(event)

    def _judge_position(self, entry: Entry, event: ev.OperationSucceeded, end: Offset, *, committed_only: bool) -> None:
        """C6, C7, C15: one command of a consumer is several polls, each from where the one before ended."""
        key = (event.client_id, event.topic, event.partition)
        cuts = self._cuts.get((event.topic, event.partition), [])
        before = self._positions.get(key)
        self._positions[key] = _Position(end, entry.id, len(cuts))
        if before is None:
            return
        self.C7.checks += 1
        self.C6.checks += 1
        self.C15.checks += 1
        ghost = self.ghost.of(event)
        if not ghost.may_skip(before.offset, event.base_offset, committed_only=committed_only):
            back = event.base_offset < before.offset
            (self.C6 if back else self.C7).violated(
                f"a consumer goes on at offset {event.base_offset} after it had read up to {before.offset}",
                entry,
                before.event,
                at=f"offset {event.base_offset}",
            )
        for start, event_id in cuts[before.cuts :]:
            if start < before.offset:
                self.C15.violated(
                    f"a consumer at offset {before.offset} goes on without an error, "
                    f"although a new leader's log ended at {start}",
                    entry,
                    event_id,
                    before.event,
                    at=f"offset {start}",
                )

    def _judge_values(self, entry: Entry, event: ev.OperationSucceeded, key: tuple[str, int]) -> None:
        """C4 and C13."""
        read = self._read.setdefault(key, {})
        values = self._values.get(key, {})
        self.C4.checks += 1
        place = pack(entry)
        for offset, text in zip(offsets_of(event), event.values, strict=False):
            first = read.get(offset)
            if first is None:
                read[offset] = (text, place)
            else:
                self.C13.checks += 1
                if first[0] != text:
                    self._two_values(self.C13, entry, offset, first[1], "a consumer read another value there")
                    self._two_values(self.C4, entry, offset, first[1], "two values were read there")
                    read[offset] = (text, place)
            acked = values.get(offset)
            if acked is not None and acked[0] != text:
                self._two_values(self.C4, entry, offset, acked[1], "another value was acknowledged there")

    def _two_values(self, promise: Tally, entry: Entry, offset: Offset, other: int, what: str) -> None:
        promise.violated(f"offset {offset} has two values: {what}", entry, unpack(other), at=f"offset {offset}")

    def finish(self) -> None:
        """C2, where a consumer began after the last acknowledgement and read to the end."""
        for key, way in sorted(self._seen_to.items()):
            where = TopicPartition(*key)
            ended = self._produce_ended.get(key)
            ghost = self.ghost.partition(*key)
            if ended is None or not _later(way.begun.id, ended.id):
                continue
            if way.end < ghost.true_high_watermark and not ghost.may_skip(way.end, ghost.true_high_watermark):
                continue
            read = self._read.get(key, {})
            first = way.stretches[0][0]
            for offset, acked in sorted(self._values.get(key, {}).items()):
                if not first <= offset < way.end or ghost.compacted.may_skip(offset, offset + 1):
                    continue
                self.C2.checks += 1
                value_read = read.get(offset)
                if not way.has_read(offset) or (value_read is not None and value_read[0] != acked[0]):
                    self.C2.violated(
                        f"what was acknowledged at offset {offset} was never read, although all up to {way.end} was",
                        way.begun.id,
                        unpack(acked[1]),
                        at=f"offset {offset}",
                        scope=where,
                    )


def _later(one: EventId, other: EventId) -> bool:
    """Whether one event of the clients' trace comes after another: all clients of a run share it."""
    return one.node == other.node and (one.incarnation, one.seq) > (other.incarnation, other.seq)
