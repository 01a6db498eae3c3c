"""One replica's log as its events tell it, 40 bytes a batch, with a chained digest that names each prefix."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Epoch, Offset

EMPTY_DIGEST = 0
"""Of the empty prefix."""


class GhostBatch(NamedTuple):
    """One batch of a log."""

    base_offset: Offset
    """First record."""
    end_offset: Offset
    """Exclusive."""
    epoch: Epoch
    """Leader epoch."""
    crc: int
    """Of its bytes without offset and epoch."""


class GhostLog:
    """Batches without gaps from offset 0; what came before the first known batch makes the log unknown."""

    __slots__ = ("_start", "claimed_offset", "crcs", "digests", "durable_offset", "ends", "epochs", "high_watermark",
                 "is_known")  # fmt: skip

    def __init__(self) -> None:
        self._start: Offset = 0
        self.ends = array("q")
        """End offset (exclusive) of each batch, ascending."""
        self.epochs = array("q")
        """Leader epoch of each batch."""
        self.crcs = array("q")
        """CRC of each batch, -1 when it was not told."""
        self.digests = array("q")
        """Digest of the prefix that ends with each batch."""
        self.is_known = True
        """False when events tell of its end but not of its beginning: then its digests can be compared with none."""
        self.high_watermark: Offset = -1
        """As this replica said last; exclusive, -1 unknown."""
        self.claimed_offset: Offset = 0
        """Exclusive: below it the disk said that all is durable."""
        self.durable_offset: Offset = 0
        """Exclusive: below it a power loss keeps all."""

    @property
    def end_offset(self) -> Offset:
        """One past the last record."""
        return self.ends[-1] if self.ends else self._start

    @property
    def last_epoch(self) -> Epoch:
        """Of the last record; 0 for an empty log."""
        return max(0, self.epochs[-1]) if self.epochs else 0

    @property
    def digest(self) -> int:
        """Of the whole log."""
        return self.digests[-1] if self.digests else EMPTY_DIGEST

    def append(self, end_offset: Offset, epoch: Epoch, crc: int) -> int:
        """One batch more, from the log's end to end_offset (exclusive). Returns the new digest."""
        digest = hash((self.digests[-1] if self.digests else EMPTY_DIGEST, end_offset, epoch, crc))
        self.ends.append(end_offset)
        self.epochs.append(epoch)
        self.crcs.append(crc)
        self.digests.append(digest)
        return digest

    def cut(self, end_offset: Offset) -> None:
        """Keep only batches that end at or below end_offset."""
        keep = bisect_right(self.ends, end_offset)
        for column in (self.ends, self.epochs, self.crcs, self.digests):
            del column[keep:]
        self.claimed_offset = min(self.claimed_offset, self.end_offset)
        self.durable_offset = min(self.durable_offset, self.end_offset)

    def restart_at(self, start_offset: Offset) -> None:
        """Forget all; what comes next begins at start_offset, and what is below it is not known."""
        for column in (self.ends, self.epochs, self.crcs, self.digests):
            del column[:]
        self._start = start_offset
        self.is_known = start_offset == 0

    def index_of(self, offset: Offset) -> int:
        """Index of the batch that holds the offset; -1 when no known batch does."""
        index = bisect_right(self.ends, offset)
        return index if self._start <= offset and index < len(self.ends) else -1

    def batch(self, index: int) -> GhostBatch:
        """The batch at an index of the columns."""
        base = self.ends[index - 1] if index else self._start
        return GhostBatch(base, self.ends[index], self.epochs[index], self.crcs[index])

    def batch_at(self, offset: Offset) -> GhostBatch | None:
        """The batch that holds the offset; None past the end or below what is known."""
        index = self.index_of(offset)
        return None if index < 0 else self.batch(index)

    def epoch_at(self, offset: Offset) -> Epoch:
        """Leader epoch of the record at the offset; -1 when the log does not hold it."""
        index = self.index_of(offset)
        return -1 if index < 0 else self.epochs[index]

    def digest_at(self, end_offset: Offset) -> int | None:
        """Digest of the batches that hold [0, end_offset); None when the log ends before or is not known.

        A prefix that ends inside a batch is named by the whole batch.
        """
        if end_offset == 0:
            return EMPTY_DIGEST
        index = bisect_left(self.ends, end_offset)
        return self.digests[index] if self.is_known and index < len(self.ends) else None

    def __len__(self) -> int:
        """How many batches it holds."""
        return len(self.ends)


def agree(one: GhostLog, other: GhostLog, end_offset: Offset) -> bool | None:
    """Whether both logs hold the same records below end_offset (exclusive); None when one is not known.

    False when one ends before end_offset.
    """
    if not (one.is_known and other.is_known):
        return None
    mine = one.digest_at(end_offset)
    return mine is not None and mine == other.digest_at(end_offset)


def first_difference(one: GhostLog, other: GhostLog) -> Offset | None:
    """First offset at which the batches differ within what both hold; None when they agree so far. O(log n)."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high) // 2
        if one.digests[middle] == other.digests[middle]:
            low = middle + 1
        else:
            high = middle
    if low >= min(len(one), len(other)):
        return None
    return one.batch(low).base_offset


def pack(entry: Entry) -> int:
    """The name of an entry in one integer, to keep many of them."""
    return entry.node << 48 | entry.incarnation << 32 | entry.seq


def unpack(packed: int) -> EventId:
    """The inverse of pack."""
    return EventId(packed >> 48, packed >> 32 & 0xFFFF, packed & 0xFFFFFFFF)


class EpochRun:
    """The batches of one leader epoch as they were first told of, by anybody."""

    __slots__ = ("digests", "ends", "events")

    def __init__(self) -> None:
        self.ends = array("q")
        """End offset of each batch, ascending."""
        self.digests = array("q")
        """Digest of the prefix that ends with it."""
        self.events = array("q")
        """The event that told of it first, packed."""


class Lineage:
    """All batches that ever were in one partition: equal epoch at an offset must mean an equal prefix."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: dict[Epoch, EpochRun] = {}
        """By leader epoch."""

    def note(self, end_offset: Offset, epoch: Epoch, digest: int, event: int) -> int:
        """Take in one batch; the packed event that told of another one there, or -1 when nothing contradicts it."""
        run = self.runs.get(epoch)
        if run is None:
            run = self.runs[epoch] = EpochRun()
        ends = run.ends
        if not ends or end_offset > ends[-1]:
            ends.append(end_offset)
            run.digests.append(digest)
            run.events.append(event)
            return -1
        index = bisect_left(ends, end_offset)
        if ends[index] == end_offset and run.digests[index] == digest:
            return -1
        return run.events[index]

    def first_event(self, end_offset: Offset, epoch: Epoch) -> EventId | None:
        """The event that first told of the batch of this epoch with this end; None when none did."""
        run = self.runs.get(epoch)
        if run is None:
            return None
        index = bisect_left(run.ends, end_offset)
        found = index < len(run.ends) and run.ends[index] == end_offset
        return unpack(run.events[index]) if found else None
