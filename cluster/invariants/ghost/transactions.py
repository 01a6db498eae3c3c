"""The transactions in each replica's log, rebuilt from what the replica says that it wrote, copied and cut."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct

from cluster.invariants.watcher import Watcher, fold
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import INTERNAL_TOPICS, Offset

DATA, COMMIT = "data", "commit"
"""What a batch is, as replicas tell; any other word is an abort marker."""
END_OF_LOG: Offset = 1 << 62


def is_from_producer(event: ev.ReplicaAppended) -> bool:
    """Whether a leader wrote what a producer sent: no marker, and nothing of a coordinator. Neither has a sequence."""
    is_marker = bool(event.transactional) and event.transactional[0][3] != DATA
    return event.role == "leader" and not is_marker and event.topic not in INTERNAL_TOPICS


class Span(Struct, eq=False):
    """One transaction in one log."""

    producer_id: int
    first_offset: Offset
    marker: Offset = -1
    """Where it ends (inclusive); -1 while it is open."""
    is_committed: bool = False


class Piece(NamedTuple):
    """A batch that is part of a transaction."""

    base_offset: Offset
    end_offset: Offset
    """Exclusive."""
    producer_id: int
    epoch: int
    """Of the producer."""
    what: str
    """data, commit or abort."""
    span: Span | None
    """None for a marker that ends nothing in this log."""
    event: EventId


class ReplicaTransactions:
    """Of one log, in the order in which they stand there."""

    __slots__ = ("_bases", "_pieces", "newest", "open")

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._bases: list[Offset] = []
        self._pieces: list[Piece] = []
        self.open: dict[int, Span] = {}
        """By producer id."""
        self.newest: dict[int, Piece] = {}
        """The last batch of each producer id, markers included."""

    def take(self, base_offset: Offset, end_offset: Offset, batch: tuple[int, int, str], event: EventId) -> Piece:
        """One more batch, of (producer id, producer epoch, what)."""
        producer_id, epoch, what = batch
        span = self.open.get(producer_id)
        if what != DATA:
            self.open.pop(producer_id, None)
            if span is not None:
                span.marker, span.is_committed = base_offset, what == COMMIT
        elif span is None:
            span = self.open[producer_id] = Span(producer_id, base_offset)
        piece = Piece(base_offset, end_offset, producer_id, epoch, what, span, event)
        self._bases.append(base_offset)
        self._pieces.append(piece)
        self.newest[producer_id] = piece
        return piece

    def cut(self, end_offset: Offset) -> None:
        """The log ends there now (exclusive): what a marker ended that is gone is open again."""
        if not self._pieces or self._pieces[-1].end_offset <= end_offset:
            return
        kept = [piece for piece in self._pieces if piece.end_offset <= end_offset]
        self._forget()
        for piece in kept:
            self.take(piece.base_offset, piece.end_offset, piece[2:5], piece.event)

    def within(self, start_offset: Offset, end_offset: Offset) -> Iterator[Piece]:
        """What begins in [start_offset, end_offset)."""
        for index in range(bisect_left(self._bases, start_offset), bisect_left(self._bases, end_offset)):
            yield self._pieces[index]

    def undecided_from(self, high_watermark: Offset, log_start_offset: Offset) -> Offset:
        """First offset of a transaction that no marker below the high watermark ends; that itself when there is none.

        Of a transaction whose beginning was deleted it is the first record that is left.
        """
        late = (piece.span for piece in self.within(high_watermark, END_OF_LOG) if piece.what != DATA)
        undecided = high_watermark
        for span in (*self.open.values(), *late):
            if span is None:
                continue
            first = span.first_offset
            if first < log_start_offset:
                left = (each for each in self.within(log_start_offset, high_watermark) if each.span is span)
                first = next((each.base_offset for each in left if each.what == DATA), high_watermark)
            undecided = min(undecided, first)
        return undecided

    def fate(self, offset: Offset) -> str:
        """What became of the transaction whose record is there: open, commit or abort; empty for another record."""
        index = bisect_left(self._bases, offset + 1) - 1
        piece = self._pieces[index] if index >= 0 else None
        if piece is None or piece.span is None or piece.what != DATA or offset >= piece.end_offset:
            return ""
        if piece.span.marker < 0:
            return "open"
        return COMMIT if piece.span.is_committed else "abort"


class PartitionTransactions:
    """Of one partition, over all its replicas."""

    __slots__ = ("controls", "replicas")

    def __init__(self) -> None:
        self.replicas: dict[int, ReplicaTransactions] = {}
        """By node."""
        self.controls: set[Offset] = set()
        """Where a marker stands in some log: no reader is given a record there."""

    def of(self, node: int) -> ReplicaTransactions:
        """Of the log of a node."""
        found = self.replicas.get(node)
        if found is None:
            found = self.replicas[node] = ReplicaTransactions()
        return found


class TransactionWatch(Watcher):
    """Has the transactions of a ghost follow its logs. It stands behind the ghost's own folds."""

    def __init__(self, ghost: Any) -> None:
        self._ghost = ghost

    @fold
    def _appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        transactions = self._ghost.of(event).transactions
        known = transactions.replicas.get(entry.node)
        if known is not None:
            known.cut(event.base_offset)
        if not event.transactional:
            return
        ends = {base: base + count for base, count, _, _ in event.batches}
        for base, producer_id, epoch, what in event.transactional:
            piece = transactions.of(entry.node).take(
                base, ends.get(base, base + 1), (producer_id, epoch, what), entry.id
            )
            if what != DATA:
                transactions.controls.update(range(piece.base_offset, piece.end_offset))

    @fold
    def _truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        self._cut(entry.node, event.topic, event.partition, event.end_offset)

    @fold
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        self._cut(entry.node, event.topic, event.partition, event.log_end_offset)

    @fold
    def _log_start(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        """A log that begins anew past its end lacks the markers that it skipped; one that is deleted whole has them."""
        log = self._ghost.of(event).logs[entry.node]
        if event.role != "leader" and not log.ends and log.end_offset == event.log_start_offset:
            self._cut(entry.node, event.topic, event.partition, 0)

    def _cut(self, node: int, topic: str, partition: int, end_offset: Offset) -> None:
        known = self._ghost.partition(topic, partition).transactions.replicas.get(node)
        if known is not None:
            known.cut(end_offset)
