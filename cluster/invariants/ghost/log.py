"""One replica's log as its events tell it, 40 bytes a batch, with a chained digest that names each prefix."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Epoch, Offset

EMPTY_DIGEST = 0
"""Of the empty prefix."""
NO_CRC = -1
Told: TypeAlias = tuple[Offset, int, Epoch, str]
"""One batch as an event tells of it: base offset, count, epoch, CRC as hex or empty."""


class GhostBatch(NamedTuple):
    """One batch of a log."""

    base_offset: Offset
    end_offset: Offset
    """Exclusive."""
    epoch: Epoch
    crc: int
    """Of its bytes without offset and epoch."""


class GhostLog:
    """Batches without gaps from offset 0; what came before the first known batch makes the log unknown."""

    __slots__ = ("_start", "claimed_offset", "crcs", "damaged", "digests", "durable_offset", "ends", "epochs",
                 "high_watermark", "is_known", "log_start_offset", "power_lost")  # fmt: skip

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
        self.log_start_offset: Offset = 0
        """As this replica said last (inclusive); what was deleted before it stays known here."""
        self.high_watermark: Offset = -1
        """As this replica said last; exclusive, -1 unknown."""
        self.claimed_offset: Offset = 0
        """Exclusive: below it the disk said that all is durable."""
        self.durable_offset: Offset = 0
        """Exclusive: below it a power loss keeps all."""
        self.power_lost: EventId | None = None
        """The power loss since it was last opened; None when there was none."""
        self.damaged: EventId | None = None
        """The damage to its disk since it was last opened; None when there was none."""

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

    def append(self, end_offset: Offset, epoch: Epoch, crc: int) -> None:
        """One batch more, from the log's end to end_offset (exclusive)."""
        self.digests.append(hash((self.digest, end_offset, epoch, crc)))
        self.ends.append(end_offset)
        self.epochs.append(epoch)
        self.crcs.append(crc)

    def copy_up_to(self, other: GhostLog, end_offset: Offset) -> None:
        """Take over what the other log holds from this one's end up to end_offset (exclusive), whole batches only."""
        first, last = other.index_of(self.end_offset), bisect_right(other.ends, end_offset)
        if first < 0 or first >= last:
            return
        if (other.digests[first - 1] if first else EMPTY_DIGEST) == self.digest and last - first > 1:
            self.ends.extend(other.ends[first:last])
            self.epochs.extend(other.epochs[first:last])
            self.crcs.extend(other.crcs[first:last])
            self.digests.extend(other.digests[first:last])
            return
        for index in range(first, last):
            self.append(other.ends[index], other.epochs[index], other.crcs[index])

    def make_room(self, base_offset: Offset, end_offset: Offset, epoch: Epoch, crc: int) -> bool:
        """Have the log end at base_offset, for a batch that does not continue it; False when it holds that batch."""
        if base_offset < self.end_offset:
            index = self.index_of(base_offset)
            if index >= 0 and self.batch(index) == (base_offset, end_offset, epoch, crc):
                return False
            self.cut(base_offset)
        if base_offset > self.end_offset or not self.ends:
            self.restart_at(base_offset)
        return True

    def cut(self, end_offset: Offset) -> None:
        """Keep only batches that end at or below end_offset."""
        keep = bisect_right(self.ends, end_offset)
        for column in self._columns():
            del column[keep:]
        if not self.ends and end_offset < self._start:
            self.restart_at(end_offset)
        self.claimed_offset = min(self.claimed_offset, self.end_offset)
        self.durable_offset = min(self.durable_offset, self.end_offset)

    def restart_at(self, start_offset: Offset) -> None:
        """Forget all; what comes next begins at start_offset, and what is below it is not known."""
        for column in self._columns():
            del column[:]
        self._start = start_offset
        self.is_known = start_offset == 0

    def take_front(self, other: GhostLog, end_offset: Offset) -> None:
        """Hold what another log holds below end_offset; nothing changes where the two have other batches around it."""
        mine, theirs = bisect_right(self.ends, end_offset), bisect_right(other.ends, end_offset)
        own_base = self.ends[mine - 1] if mine else self._start
        if not other.is_known or own_base != (other.ends[theirs - 1] if theirs else other._start):
            return
        rest = list(zip(self.ends[mine:], self.epochs[mine:], self.crcs[mine:], strict=True))
        self._start, self.is_known = other._start, True
        for own, others in zip(self._columns(), other._columns(), strict=True):
            own[:] = others[:theirs]
        for batch in rest:
            self.append(*batch)

    def _columns(self) -> tuple[array[int], ...]:
        return self.ends, self.epochs, self.crcs, self.digests

    def index_of(self, offset: Offset) -> int:
        """Index of the batch that holds the offset; -1 when no known batch does."""
        ends = self.ends
        if not ends or not self._start <= offset < ends[-1]:
            return -1
        last = len(ends) - 1
        return last if last and offset >= ends[last - 1] else bisect_right(ends, offset)

    def batch(self, index: int) -> GhostBatch:
        """The batch at an index of the columns."""
        base = self.ends[index - 1] if index else self._start
        return GhostBatch(base, self.ends[index], self.epochs[index], self.crcs[index])

    def batch_at(self, offset: Offset) -> GhostBatch | None:
        """The batch that holds the offset; None past the end or below what is known."""
        index = self.index_of(offset)
        return None if index < 0 else self.batch(index)

    def within(self, offset: Offset, end_offset: Offset) -> Iterator[tuple[Offset, Offset, int]]:
        """(first, one past the last, CRC) of what each batch has in [offset, end_offset); a hole has no CRC."""
        while offset < end_offset:
            batch = self.batch_at(offset)
            upto = end_offset if batch is None else min(batch.end_offset, end_offset)
            yield offset, upto, NO_CRC if batch is None else batch.crc
            offset = upto

    def epoch_at(self, offset: Offset) -> Epoch:
        """Leader epoch of the record at the offset; -1 when the log does not hold it."""
        index = self.index_of(offset)
        return -1 if index < 0 else self.epochs[index]

    def end_of_epoch(self, epoch: Epoch) -> Offset:
        """Where records of the epoch, or of the last one before it, end (exclusive).

        -1 when it does not hold them, or is not known.
        """
        index = bisect_right(self.epochs, epoch)
        is_held = self.is_known and index > 0 and self.ends[index - 1] > self.log_start_offset
        return self.ends[index - 1] if is_held else -1

    def digest_at(self, end_offset: Offset) -> int | None:
        """Digest of the batches that hold [0, end_offset); None when the log ends before or is not known.

        A prefix that ends inside a batch is named by the whole batch.
        """
        if end_offset == 0:
            return EMPTY_DIGEST
        ends = self.ends
        if not ends or end_offset > ends[-1] or not self.is_known:
            return None
        return self.digests[-1 if end_offset == ends[-1] else bisect_left(ends, end_offset)]

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


def differing(one: GhostLog, other: GhostLog, end_offset: Offset) -> list[tuple[Offset, Offset]]:
    """Stretches (first, one past the last) below end_offset that the logs hold differently; what one lacks differs.

    Nothing is said of logs that are not known, nor of what was deleted from the front of either.
    """
    if not (one.is_known and other.is_known):
        return []
    first = first_difference(one, other)
    offset = min(one.end_offset, other.end_offset) if first is None else first
    offset = max(offset, one.log_start_offset, other.log_start_offset)
    found: list[tuple[Offset, Offset]] = []
    while offset < end_offset:
        mine, theirs = one.batch_at(offset), other.batch_at(offset)
        ends = [batch.end_offset for batch in (mine, theirs) if batch is not None]
        upto = min([*ends, end_offset])
        if mine is None or theirs is None or (mine.epoch, mine.crc) != (theirs.epoch, theirs.crc):
            is_next = bool(found) and found[-1][1] == offset
            found[-1:] = [(found[-1][0], upto)] if is_next else [*found[-1:], (offset, upto)]
        offset = upto
    return found


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

    def other(self, end_offset: Offset, digest: int) -> int:
        """The packed event that told of another batch where this one is; -1 when it told of this one."""
        index = bisect_left(self.ends, end_offset)
        return -1 if self.ends[index] == end_offset and self.digests[index] == digest else self.events[index]


class Contradiction(NamedTuple):
    """A batch whose epoch and offset were seen before with another prefix."""

    end_offset: Offset
    """Of the batch (exclusive)."""
    epoch: Epoch
    first: EventId
    """The event that told of the other one."""


class Lineage:
    """All batches that ever were in one partition: equal epoch at an offset must mean an equal prefix."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: dict[Epoch, EpochRun] = {}

    def first_event(self, end_offset: Offset, epoch: Epoch) -> EventId | None:
        """The event that first told of the batch of this epoch with this end; None when none did."""
        run = self.runs.get(epoch)
        if run is None:
            return None
        index = bisect_left(run.ends, end_offset)
        found = index < len(run.ends) and run.ends[index] == end_offset
        return unpack(run.events[index]) if found else None

    def _run(self, epoch: Epoch) -> EpochRun:
        found = self.runs.get(epoch)
        if found is None:
            found = self.runs[epoch] = EpochRun()
        return found

    def take_in(self, log: GhostLog, batches: Iterable[Told], event: int) -> list[Contradiction]:
        """Put batches at their places in one replica's log; those that contradict what was told before.

        A batch that is there already changes nothing, another one cuts the log first. Written out in one loop, since
        every batch of every replica passes here.
        """
        found: list[Contradiction] = []
        ends, epochs, crcs, digests = log.ends, log.epochs, log.crcs, log.digests
        end, digest = log.end_offset, log.digest
        run_epoch: Epoch | None = None
        for base, count, epoch, text in batches:
            crc = int(text, 16) if text else NO_CRC
            if base != end:
                if not log.make_room(base, base + count, epoch, crc):
                    continue
                end, digest = base, log.digest
            end += count
            digest = hash((digest, end, epoch, crc))
            ends.append(end)
            epochs.append(epoch)
            crcs.append(crc)
            digests.append(digest)
            if epoch != run_epoch:
                run, run_epoch = self._run(epoch), epoch
            if not log.is_known:
                continue
            if not run.ends or end > run.ends[-1]:
                run.ends.append(end)
                run.digests.append(digest)
                run.events.append(event)
            elif (other := run.other(end, digest)) >= 0:
                found.append(Contradiction(end, epoch, unpack(other)))
        return found
