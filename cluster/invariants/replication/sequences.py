"""Idempotent producers: in every log a producer's sequence numbers follow each other, each once. Contract 2.3."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass

from cluster.invariants.ghost.log import pack, unpack
from cluster.invariants.group import Group, Replica, Tally, after, invariant
from cluster.invariants.verdicts.ledger import OF_THE_QUORUM
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, NodeId, Offset

BATCHES_KEPT = 5
"""Of each producer, as many as it may have in flight. Source: Kafka ProducerStateEntry.NUM_BATCHES_TO_RETAIN."""
SEQUENCE_MASK = (1 << 31) - 1
"""After the largest sequence number comes 0."""


class _Written:
    """The batches of one producer in one replica's log, 40 bytes each, in log order."""

    __slots__ = ("bases", "epochs", "events", "firsts", "nexts")

    def __init__(self) -> None:
        self.bases = array("q")
        """Base offset of each."""
        self.epochs = array("q")
        """Producer epoch of each."""
        self.firsts = array("q")
        """Base sequence of each."""
        self.nexts = array("q")
        """Sequence number that follows each."""
        self.events = array("q")
        """The event that told of each, packed."""

    def append(self, base: Offset, epoch: int, first: int, count: int, event: int) -> None:
        self.bases.append(base)
        self.epochs.append(epoch)
        self.firsts.append(first)
        self.nexts.append((first + count) & SEQUENCE_MASK)
        self.events.append(event)

    def cut(self, end_offset: Offset) -> None:
        keep = bisect_left(self.bases, end_offset)
        for column in (self.bases, self.epochs, self.firsts, self.nexts, self.events):
            del column[keep:]

    def place(self, epoch: int, first: int, count: int) -> int:
        """How many batches of this producer stand behind this one; -1 when it is not there."""
        last = len(self.bases) - 1
        for behind in range(last + 1):
            index = last - behind
            there = (self.epochs[index], self.firsts[index], self.nexts[index])
            if there == (epoch, first, (first + count) & SEQUENCE_MASK):
                return behind
        return -1

    def wrong(self, epoch: int, first: int, log_start: Offset) -> str:
        """What is wrong with a batch that comes next; empty when nothing is.

        A producer that the log knows nothing of may begin anywhere, a new epoch begins with 0. What was deleted from
        the front of the log may be forgotten: a broker that starts anew reads only what is left. Source: Kafka
        UnifiedLog.rebuildProducerState.
        """
        if not self.bases or self.bases[-1] + ((self.nexts[-1] - self.firsts[-1]) & SEQUENCE_MASK) <= log_start:
            return ""
        last_epoch, due = self.epochs[-1], self.nexts[-1]
        if epoch < last_epoch:
            return f"producer epoch {epoch} after epoch {last_epoch}"
        if epoch > last_epoch:
            return "" if first == 0 else f"sequence {first} first in producer epoch {epoch}"
        if first == due:
            return ""
        again = any(seen == (epoch, first) for seen in zip(self.epochs, self.firsts, strict=True))
        return f"sequence {first} {'once more' if again else f'where {due} was due'}"


@dataclass(slots=True)
class _Block:
    """A block of producer ids that a controller gave, and where it wrote so."""

    end: int
    """One past the last id."""
    event: EventId
    offset: Offset = -1
    epoch: Epoch = -1


class SequenceInvariants(Group):
    """P22, P28 and P29. They lean on no assumption: a log forgets what it lost, and the next batch must fit the rest.

    But which block of producer ids was given last is known to the metadata alone, and a quorum may forget that (A1).
    """

    P22 = invariant("each sequence number of a producer is written once, in order", "KIP-98")
    P28 = invariant("blocks of producer ids do not overlap", "KIP-730, ProducerIdControlManager", OF_THE_QUORUM)
    P29 = invariant("a leader keeps five batches of each producer", "KIP-98, ProducerStateEntry")

    def begin(self) -> None:
        self._logs: dict[Replica, dict[int, _Written]] = {}
        self._given: dict[int, EventId] = {}
        self._blocks: list[_Block] = []
        self._unwritten: dict[NodeId, list[_Block]] = {}
        self._next_id: dict[NodeId, tuple[int, EventId]] = {}
        """Of each controller: one past the last id that it knows to be given, and who was given it."""

    @after
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        if not event.sequences:
            return
        log = self._logs.setdefault((event.topic, event.partition, entry.node), {})
        counts = {base: count for base, count, _, _ in event.batches}
        packed = pack(entry)
        log_start = self.ghost.here.logs[entry.node].log_start_offset
        for base, producer_id, epoch, first in event.sequences:
            written = log.get(producer_id)
            if written is None:
                written = log[producer_id] = _Written()
            written.cut(base)
            if event.role == "leader":
                self.P22.checks += 1
                wrong = written.wrong(epoch, first, log_start)
                if wrong:
                    before = unpack(written.events[-1])
                    self._violated(entry, f"leader {entry.node} writes {wrong}", producer_id, base, before)
            written.append(base, epoch, first, counts.get(base, 1), packed)

    @after
    def _on_truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        self._cut((event.topic, event.partition, entry.node), event.end_offset)

    @after
    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        self._cut((event.topic, event.partition, entry.node), event.log_end_offset)

    def _cut(self, key: Replica, end_offset: Offset) -> None:
        for written in self._logs.get(key, {}).values():
            written.cut(end_offset)

    @after
    def _on_duplicated(self, entry: Entry, event: ev.ProduceDuplicated) -> None:
        """Who says that a batch is there already must have it there."""
        self.P22.checks += 1
        written = self._logs.get((event.topic, event.partition, entry.node), {}).get(event.producer_id, _Written())
        index = bisect_left(written.bases, event.base_offset)
        due = (event.base_sequence + event.count) & SEQUENCE_MASK
        claim = (event.base_offset, event.producer_epoch, event.base_sequence, due)
        columns = (written.bases, written.epochs, written.firsts, written.nexts)
        if index < len(written.bases) and tuple(column[index] for column in columns) == claim:
            self.P29.checks += 1
            if written.place(event.producer_epoch, event.base_sequence, event.count) >= BATCHES_KEPT:
                self._violated(
                    entry,
                    f"leader {entry.node} still knows sequence {event.base_sequence}, older than the last five",
                    event.producer_id,
                    event.base_offset,
                    None,
                    promise=self.P29,
                )
            return
        self._violated(
            entry,
            f"leader {entry.node} calls sequence {event.base_sequence} a duplicate that its log does not hold there",
            event.producer_id,
            event.base_offset,
            None,
        )

    @after
    def _on_refused(self, entry: Entry, event: ev.ProduceRefused) -> None:
        """P29: one of the last five batches is a duplicate, and no gap. What was deleted may be forgotten."""
        if not event.sequence or event.error != ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            return
        producer_id, epoch, first, count = event.sequence
        written = self._logs.get((event.topic, event.partition, entry.node), {}).get(producer_id, _Written())
        behind = written.place(epoch, first, count)
        self.P29.checks += 1
        start = self.ghost.here.logs[entry.node].log_start_offset
        if 0 <= behind < BATCHES_KEPT and written.bases[-1 - behind] >= start:
            what = f"leader {entry.node} refuses sequence {first}, which is one of the last five batches that it wrote"
            last_written = unpack(written.events[-1 - behind])
            self._violated(entry, what, producer_id, written.bases[-1 - behind], last_written, promise=self.P29)

    @after
    def _on_activated(self, entry: Entry, _event: ev.ControllerActivated) -> None:
        """Who becomes active knows the blocks that stand in its log."""
        log = self.ghost.quorum.logs[entry.node]
        self._unwritten.pop(entry.node, None)
        self._next_id.pop(entry.node, None)
        for block in self._blocks:
            if log.epoch_at(block.offset) == block.epoch:
                self._know(entry.node, block)

    def _know(self, node: NodeId, block: _Block) -> None:
        next_id = self._next_id.get(node)
        if next_id is None or block.end > next_id[0]:
            self._next_id[node] = block.end, block.event

    @after
    def _on_allocated(self, entry: Entry, event: ev.ProducerIdsAllocated) -> None:
        """P28: blocks of producer ids never overlap."""
        self.P28.checks += 1
        next_id = self._next_id.get(entry.node)
        if next_id is not None and event.producer_id_start < next_id[0]:
            self.P28.violated(
                f"controller {entry.node} gives broker {event.broker_id} producer ids from {event.producer_id_start} "
                f"on; all below {next_id[0]} were given",
                entry,
                next_id[1],
            )
        block = _Block(event.producer_id_start + event.producer_id_count, entry.id)
        self._unwritten.setdefault(entry.node, []).append(block)
        self._know(entry.node, block)

    @after
    def _on_metadata(self, entry: Entry, event: ev.MetadataAppended) -> None:
        """A controller writes at once what it decided."""
        for block in self._unwritten.pop(entry.node, ()) if event.role == "leader" and event.epochs else ():
            block.offset, block.epoch = event.base_offset, event.epochs[0][0]
            self._blocks.append(block)

    @after
    def _on_given(self, entry: Entry, event: ev.ProducerIdGiven) -> None:
        """Two producers with one id would take each other's batches for duplicates."""
        self.P22.checks += 1
        first = self._given.setdefault(event.producer_id, entry.id)
        if first != entry.id:
            self.P22.violated(
                f"producer id {event.producer_id} is given twice", entry, first, assumptions=(OF_THE_QUORUM,)
            )

    def _violated(
        self,
        entry: Entry,
        what: str,
        producer_id: int,
        offset: Offset,
        before: EventId | None,
        *,
        promise: Tally | None = None,
    ) -> None:
        (promise or self.P22).violated(f"{what}, of producer {producer_id}", entry, before, at=f"offset {offset}")
