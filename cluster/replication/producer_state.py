"""What one log holds of each idempotent producer: what its batches say, never more. Source: ProducerStateManager.

A leader keeps it up to date as it writes, a follower as it copies. After a start, a cut or a stretch of other records
the headers of the log are read from where the knowledge ends, once somebody asks; Kafka keeps snapshots for that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct, field

from cluster.model.identifiers import NO_EPOCH, Epoch, Offset
from cluster.model.log_view import LogView
from cluster.model.record_batch import BatchHeader, batch_times, batches, read_header, sequence_of
from cluster.model.transaction_marker import read_marker
from cluster.replication.last_stable_offset import LogTransactions

READ_BYTES = 1 << 20
PRODUCERS_MAX = 10_000
"""Producers remembered; who wrote longest ago goes first. Kafka forgets after a day (producer.id.expiration.ms)."""
SEQUENCE_MAX = (1 << 31) - 1
BATCHES_KEPT = 5
"""As many requests as an idempotent producer may have in flight. Source: ProducerStateEntry.NUM_BATCHES_TO_RETAIN."""


class SequencedBatch(NamedTuple):
    """Where a batch of a producer stands in the log."""

    base_sequence: int
    """Of its first record."""
    last_sequence: int
    """Of its last record."""
    base_offset: Offset
    end_offset: Offset
    """Exclusive."""


class ProducerEntry(Struct):
    """What one log holds of one producer. Source: Kafka ProducerStateEntry."""

    epoch: int
    """Of its newest batch."""
    batches: deque[SequencedBatch] = field(default_factory=lambda: deque(maxlen=BATCHES_KEPT))
    """The newest, oldest first; all of the same epoch."""
    timestamp_ms: int = -1
    """Largest of its newest batch."""
    end_offset: Offset = 0
    """Of its newest batch or marker (exclusive)."""
    coordinator_epoch: Epoch = NO_EPOCH
    """Of the coordinator that wrote its newest marker; -1 for none."""

    @property
    def last_sequence(self) -> int:
        """Of its newest record; -1 when the log has none of this epoch, so that 0 is the next."""
        return self.batches[-1].last_sequence if self.batches else -1


def last_sequence_of(base_sequence: int, count: int) -> int:
    """Sequence number of the last of count records; after the largest comes 0. Source: DefaultRecordBatch."""
    return (base_sequence + count - 1) & SEQUENCE_MAX


class ProducerState:
    """Producers of one log, by id, and their transactions."""

    __slots__ = ("_entries", "next_offset", "transactions")

    def __init__(self) -> None:
        self.next_offset: Offset = 0
        """What is known covers the log below this offset (exclusive)."""
        self._forget()

    def _forget(self) -> None:
        self.next_offset = 0
        self._entries: dict[int, ProducerEntry] = {}
        self.transactions = LogTransactions()

    def entry(self, producer_id: int) -> ProducerEntry | None:
        """What is known of one producer."""
        return self._entries.get(producer_id)

    def entries(self) -> Iterator[tuple[int, ProducerEntry]]:
        """All producers, by id."""
        return iter(sorted(self._entries.items()))

    def catch_up(self, log: LogView) -> None:
        """Read what the log holds beyond what is known. CorruptBatchError when it cannot be read."""
        position = max(self.next_offset, log.log_start_offset)
        while position < log.log_end_offset:
            for header, batch in batches(log.read(position, READ_BYTES)):
                if header.producer_id >= 0 and header.base_offset >= self.next_offset:
                    self._note(header, header.base_offset, batch)
                position = header.end_offset
            self.next_offset = position
        self.next_offset = max(self.next_offset, position)

    def wrote(self, header: BatchHeader, base_offset: Offset, batch: bytes) -> None:
        """A leader puts a batch of a producer at base_offset, where what is known ends."""
        assert base_offset == self.next_offset, "a leader knows its whole log before it judges a sequence"
        self._note(header, base_offset, batch)
        self.next_offset = base_offset + header.count

    def copied(
        self, base_offset: Offset, end_offset: Offset, sequenced: Iterable[tuple[BatchHeader, memoryview | bytes]]
    ) -> None:
        """A follower copies [base_offset, end_offset), with these batches of producers among others.

        When more is missing than that it is left for later.
        """
        if base_offset != self.next_offset:
            return
        for header, batch in sequenced:
            self._note(header, header.base_offset, batch)
        self.next_offset = end_offset

    def truncate(self, end_offset: Offset) -> None:
        """The log is cut to end_offset (exclusive). Who lost a batch may have older ones that nobody remembers."""
        if end_offset >= self.next_offset:
            return
        if any(entry.end_offset > end_offset for entry in self._entries.values()):
            self._forget()
        else:
            self.next_offset = end_offset

    def _note(self, header: BatchHeader, base_offset: Offset, batch: bytes | memoryview) -> None:
        epoch, base_sequence = sequence_of(batch)
        entry = self._entries.pop(header.producer_id, None)
        if entry is None or entry.epoch != epoch:
            entry = ProducerEntry(epoch, coordinator_epoch=NO_EPOCH if entry is None else entry.coordinator_epoch)
            if len(self._entries) >= PRODUCERS_MAX:
                del self._entries[next(iter(self._entries))]
        self._entries[header.producer_id] = entry
        entry.end_offset = base_offset + header.count
        marker = read_marker(batch) if header.control else None
        if marker is not None:
            self.transactions.end(header.producer_id, base_offset, committed=marker.committed)
            entry.coordinator_epoch = marker.coordinator_epoch
            return
        if header.transactional:
            self.transactions.begin(header.producer_id, base_offset)
        entry.timestamp_ms = batch_times(batch)[1]
        if base_sequence >= 0:
            last_sequence = last_sequence_of(base_sequence, header.count)
            entry.batches.append(SequencedBatch(base_sequence, last_sequence, base_offset, entry.end_offset))


def told_transactional(
    sequenced: Iterable[tuple[BatchHeader, memoryview | bytes]],
) -> tuple[tuple[Offset, int, int, str], ...]:
    """Batches that are part of transactions, as an event tells of them."""
    batches = []
    for header, batch in sequenced:
        if header.transactional:
            marker = read_marker(batch) if header.control else None
            what = "data" if marker is None else "commit" if marker.committed else "abort"
            batches.append((read_header(batch).base_offset, header.producer_id, sequence_of(batch)[0], what))
    return tuple(batches)
