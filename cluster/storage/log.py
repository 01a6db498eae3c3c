"""One replica's log on disk, in segments. Source: Kafka UnifiedLog and LocalLog.

What is to go from its front is decided by cluster/replication/retention.py; here it goes.
"""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.errors import OffsetError
from cluster.model.events.storage import (
    DamageFound,
    Fsynced,
    LogRecovered,
    SegmentRolled,
    StorageEvent,
)
from cluster.model.identifiers import METADATA, Epoch, LogEnd, Offset, SnapshotId, TopicPartition
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.log_view import SegmentFacts
from cluster.model.record_batch import BatchHeader, copies, read_header
from cluster.storage.checkpoints import read_adopted_epoch, write_adopted_epoch, write_cleaned, write_leader_epochs
from cluster.storage.disk import Disk
from cluster.storage.recovery import Recovered, recover, trusted
from cluster.storage.segment import Rolling, Segment, locate, read_batches, segment_name
from cluster.storage.segment_index import drop_indexes, write_indexes
from cluster.storage.tail_cache import TailCache


def topic_directory(tp: TopicPartition) -> str:
    """The log's folder: topic-N."""
    return f"{tp.topic}-{tp.partition}"


def open_log(
    disk: Disk,
    directory_name: str,
    tp: TopicPartition,
    *,
    clean: bool,
    high_watermark: Offset,
    start_offset: Offset = 0,
    recovery_point: Offset = 0,
    rolling: Rolling = Rolling(),  # noqa: B008
    tell: Callable[[StorageEvent], None] = lambda _event: None,
    place: Callable[[Log], None] | None = None,
) -> tuple[Log, LogRecovered]:
    """Open or create a log, cutting a torn tail or from a bad batch on.

    Without `clean` every CRC from the recovery point's segment on is checked. The metadata log is flushed at once: a
    voter counts all it holds as durable. Source: Kafka LogLoader.

    Args:
        tell: hears of damage, and of what was not read.
        place: has a log with snapshots begin where one ends, before anybody is told of it.
    """
    recovered = recover(disk, directory_name, clean=clean, recovery_point=recovery_point)
    for path, what, instead in recovered.damages:
        tell(DamageFound(path=path, what=what, instead=instead))
    if recovered.trusted:
        tell(trusted(tp, recovered, recovery_point))
    log = Log(disk, directory_name, tp, recovered, rolling)
    log.advance_start(start_offset)
    if place is not None:
        place(log)
    if tp == METADATA and log.flushed_offset < log.log_end_offset:
        log.flush()
    event = LogRecovered(
        topic=tp.topic,
        partition=tp.partition,
        valid_bytes=recovered.valid_bytes,
        dropped_bytes=recovered.dropped_bytes,
        log_end_offset=log.log_end_offset,
        high_watermark=max(log.log_start_offset, min(high_watermark, log.log_end_offset)),
        batches=() if recovered.end_offset < log.log_start_offset else tuple(recovered.last_batches),
        why=recovered.why,
        log_start_offset=log.log_start_offset,
        claimed_offset=log.flushed_offset,
    )
    return log, event


class Log:
    """Segments, epoch cache and the newest batches in memory. Implements LogView."""

    __slots__ = ("_active", "_cache", "_disk", "_folder", "_segments", "_tp", "adopted_epoch", "base_epoch",
                 "cleaned_offset", "durable_offset", "flushed_offset", "last_epoch", "leader_epochs",
                 "log_end_offset", "log_start_offset", "rolling")  # fmt: skip

    def __init__(self, disk: Disk, folder: str, tp: TopicPartition, found: Recovered, rolling: Rolling) -> None:
        self._disk = disk
        self._folder = folder
        self._tp = tp
        self.rolling = rolling
        """When it goes on in a new file."""
        self._segments = found.segments
        self._active = found.segments[-1]
        self.log_start_offset: Offset = found.segments[0].base_offset
        """First offset kept (inclusive)."""
        self.log_end_offset: Offset = found.end_offset
        """One past the last written record."""
        self.flushed_offset: Offset = found.claimed_offset
        """One past the last record that fsync has claimed durable."""
        self.durable_offset: Offset = found.durable_offset
        """One past the last record that power loss would keep."""
        self.leader_epochs: LeaderEpochs = found.leader_epochs
        self.base_epoch: Epoch = 0
        """Of the last record before its start, as a snapshot says; 0 when none was deleted, or nobody knows."""
        self.last_epoch: Epoch = max(0, self.leader_epochs.epoch_at(self.log_end_offset - 1))
        """Of the last record; 0 for an empty log."""
        self._cache = TailCache()
        self.adopted_epoch: Epoch = read_adopted_epoch(disk, folder)
        """Newest leader epoch with whose beginning the log is whole; -1 for none. Of partitions that go by majority."""
        self.cleaned_offset: Offset = found.cleaned_offset
        """Up to where it was compacted (exclusive); -1 when it never was, and so has no gaps."""

    @property
    def has_closed(self) -> bool:
        """Whether there is a segment that is not written to any more."""
        return len(self._segments) > 1

    @property
    def is_active_empty(self) -> bool:
        """Whether nothing is in the segment that is written to."""
        return not self._active.size

    @property
    def size_bytes(self) -> int:
        """Of all segments."""
        return sum(segment.size for segment in self._segments)

    def end(self) -> LogEnd:
        """(last_epoch, log_end_offset)."""
        return LogEnd(self.last_epoch, self.log_end_offset)

    def segments(self) -> tuple[SegmentFacts, ...]:
        """Oldest first; the last one is written to."""
        ends = [*(segment.base_offset for segment in self._segments[1:]), self.log_end_offset]
        return tuple(
            [
                SegmentFacts(segment.base_offset, end_offset, segment.size, self._dated_ms(segment))
                for segment, end_offset in zip(self._segments, ends, strict=True)
            ]
        )

    def _dated_ms(self, segment: Segment) -> int:
        return segment.largest_ms if segment.largest_ms > 0 else self._disk.modified_ms(segment.name)

    def append(self, records: bytes) -> SegmentRolled | None:
        """Write whole batches that start at the log's end; their epochs enter the epoch cache.

        What is closed for it, when the newest segment is full or old. A copy of a compacted log has gaps.

        A log of which nothing is left goes on with the batch that holds its start, as its leader's does when records
        were deleted up to the middle of a batch. Source: Kafka Partition.appendRecordsToFollowerOrFutureReplica.
        OffsetError when one starts before the end of what is there.
        """
        if not records:
            return None
        only = read_header(records)
        size_bytes = len(records)
        batches = ((only, records),) if only.size_bytes == size_bytes else copies(records)
        if only.base_offset < self.log_end_offset < only.end_offset and self.log_start_offset == self.log_end_offset:
            self._begin_at(only.base_offset)
        end = self.log_end_offset
        for header, _ in batches:
            if header.base_offset != end:
                if header.base_offset < end or self._tp == METADATA:
                    raise OffsetError(f"{self._tp}: a batch at {header.base_offset} where the log ends at {end}")
                self.note_cleaned(max(0, self.cleaned_offset))
            end = header.end_offset
        newest_ms = only.largest_ms if batches[0][1] is records else max([header.largest_ms for header, _ in batches])
        why = self.rolling.why(self._active, size_bytes, newest_ms, self._disk.now_ms())
        rolled = self.roll(why) if why else None
        active, cache, latest = self._active, self._cache, self.leader_epochs.latest()
        self._disk.append(active.name, records)
        changed = False
        for header, batch in batches:
            active.add(header.base_offset, header.size_bytes, header.largest_ms)
            cache.append(header.base_offset, header.end_offset, batch)
            if header.leader_epoch != latest:
                changed |= self._note_epoch(header)
                latest = self.leader_epochs.latest()
        self.last_epoch = epoch if (epoch := batches[-1][0].leader_epoch) > 0 else 0
        self.log_end_offset = end
        if changed:
            self._write_epochs()
        return rolled

    def _note_epoch(self, header: BatchHeader) -> bool:
        """Bring the epoch cache in line with a batch that was appended; True when it changed.

        A leader enters its epoch before it writes. When it wrote nothing and follows records of an older epoch now,
        that entry would cut them off again and again. Source: the comment in Kafka's UnifiedLog.truncateTo.
        """
        epoch, base_offset = header.leader_epoch, header.base_offset
        changed = epoch < self.leader_epochs.latest() and self.leader_epochs.truncate_from_end(base_offset)
        if epoch > self.leader_epochs.latest():
            changed |= self.leader_epochs.assign(epoch, base_offset)
        return changed

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None = None) -> bytes:
        """Whole batches from the one that holds start_offset, at least one unless it ends past end_offset (exclusive).

        max_bytes is a soft limit. Empty at the log's end. OffsetError below the log start or past the end.
        """
        if start_offset >= self.log_end_offset or start_offset < self.log_start_offset:
            if start_offset == self.log_end_offset:
                return b""
            raise OffsetError(f"{self._tp}: {start_offset} is not in [{self.log_start_offset}, {self.log_end_offset}]")
        cached = self._cache.read(start_offset, max_bytes, end_offset)
        if cached is not None:
            return cached
        data = self._read_file(start_offset, max_bytes, end_offset)
        return data if self._tp == METADATA else self._disk.faults.as_read(data)

    def truncate(self, end_offset: Offset) -> None:
        """Cut batches that end past end_offset (exclusive), the gap before, and the epoch cache; flushed.

        A cut below the log start takes that back, too. Source: Kafka UnifiedLog.truncateTo.
        """
        if end_offset >= self.log_end_offset:
            return
        if end_offset < self._segments[0].base_offset:
            self.log_start_offset = end_offset
            self._begin_at(end_offset)
            return
        while len(self._segments) > 1 and self._segments[-1].base_offset >= end_offset:
            self._drop(self._segments.pop())
        self._active = self._segments[-1]
        drop_indexes(self._disk, self._active)
        header, position, whole_end = locate(self._disk, self._active, end_offset)
        if header is not None and header.base_offset < self.log_start_offset <= end_offset:
            self._begin_at(self.log_start_offset)  # all that is left is part of one batch
            return
        if header is not None:
            self._disk.truncate(self._active.name, position)
            self._active.cut(position)
        self.log_end_offset = max(whole_end, self.log_start_offset if self.log_start_offset <= end_offset else 0)
        if self.cleaned_offset > self.log_end_offset:
            self.note_cleaned(self.log_end_offset)
        self.log_start_offset = min(self.log_start_offset, self.log_end_offset)
        self._cache.truncate(self.log_end_offset)
        self.flushed_offset = min(self.flushed_offset, self.log_end_offset)
        self.durable_offset = min(self.durable_offset, self.log_end_offset)
        if self.leader_epochs.truncate_from_end(self.log_end_offset):
            self._write_epochs()
        self.last_epoch = self._epoch_before_end()
        self._sync()

    def begin_after(self, snapshot_id: SnapshotId) -> None:
        """Drop all: a snapshot stands for everything. Source: Kafka UnifiedLog.truncateFullyAndStartAt."""
        self.log_start_offset = snapshot_id.end_offset
        self._begin_at(snapshot_id.end_offset)
        self.base_epoch = self.last_epoch = snapshot_id.epoch

    def know_base(self, epoch: Epoch) -> None:
        """The last record before its start is of this epoch."""
        self.base_epoch = epoch
        self.last_epoch = self._epoch_before_end()

    def _epoch_before_end(self) -> Epoch:
        epoch = self.leader_epochs.epoch_at(self.log_end_offset - 1)
        return epoch if epoch > 0 else self.base_epoch

    def advance_start(self, start_offset: Offset) -> None:
        """Drop what is before start_offset (inclusive start), whole segments from the disk; it never goes back.

        A log that ends before it is dropped whole and begins anew there.
        Source: UnifiedLog.maybeIncrementLogStartOffset, truncateFullyAndStartAt.
        """
        if start_offset <= self.log_start_offset:
            return
        self.log_start_offset = start_offset
        if start_offset > self.log_end_offset:
            self._begin_at(start_offset)
            return
        self._drop_deleted()
        if self.leader_epochs.truncate_from_start(start_offset):
            self._write_epochs()

    def _drop_deleted(self) -> None:
        while len(self._segments) > 1 and self._segments[1].base_offset <= self.log_start_offset:
            self._drop(self._segments.pop(0))

    def _begin_at(self, base_offset: Offset) -> None:
        """Drop every segment; the first of a new log has this base offset."""
        for segment in self._segments:
            self._drop(segment)
        self._segments = []
        self._begin_segment(base_offset)
        self.log_end_offset = self.flushed_offset = self.durable_offset = base_offset
        self._cache, self.last_epoch = TailCache(), 0
        if self.leader_epochs.truncate_from_end(0):
            self._write_epochs()
        self._sync()

    def end_of_cut(self, end_offset: Offset) -> Offset:
        """Where it would end if it was cut to end_offset: after whole batches only."""
        return locate(self._disk, self._segment_of(end_offset), end_offset)[2]

    def _segment_of(self, offset: Offset) -> Segment:
        return next((each for each in reversed(self._segments) if each.base_offset <= offset), self._segments[0])

    def note_cleaned(self, cleaned_offset: Offset) -> None:
        """Up to where it is compacted; durably, before the first gap is written."""
        if cleaned_offset != self.cleaned_offset:
            self.cleaned_offset = cleaned_offset
            write_cleaned(self._disk, self._folder, cleaned_offset)

    def closed_before(self, end_offset: Offset) -> list[Segment]:
        """The segments below end_offset, where one of them ends."""
        return [segment for segment in self._segments if segment.base_offset < end_offset]

    def take_cleaned(self, made: list[Segment], end_offset: Offset) -> None:
        """These stand for all below end_offset now. What a lying disk put in place of durable files may vanish."""
        self._segments[: len(self.closed_before(end_offset))] = made
        self._cache = TailCache()
        self.note_cleaned(end_offset)
        if self._disk.faults.lies:
            self.durable_offset = min(self.durable_offset, made[0].base_offset)

    def assign_epoch(self, epoch: Epoch, start: Offset) -> None:
        """Enter an epoch in the cache and its checkpoint."""
        if self.leader_epochs.assign(epoch, start):
            self._write_epochs()

    def adopt_epoch(self, epoch: Epoch) -> None:
        """Note the newest leader epoch with whose beginning this log is whole, and its checkpoint."""
        self.adopted_epoch = epoch
        write_adopted_epoch(self._disk, self._folder, epoch)

    def flush(self) -> Fsynced:
        """fsync; says what was claimed and what is true."""
        self._sync()
        return self.flush_state()

    def flush_state(self) -> Fsynced:
        """What the last fsync claimed and what is true."""
        books = self._disk.books(self._active.name)
        return Fsynced(
            topic=self._tp.topic,
            partition=self._tp.partition,
            path=self._active.name,
            claimed_bytes=books.claimed,
            durable_bytes=books.durable,
            claimed_offset=self.flushed_offset,
            durable_offset=self.durable_offset,
            lied=self.durable_offset < self.flushed_offset,
        )

    def close(self) -> None:
        """Flush and forget what is in memory; the disk keeps the files open."""
        self._sync()
        self._cache = TailCache()

    def _sync(self) -> None:
        """What is durable follows from the faults, not from the outcome: a bug of ours must not look like a lie."""
        disk, created = self._disk, False
        is_true = not disk.faults.lying
        for segment in self._segments:
            books = disk.books(segment.name)
            if not books.settled:
                created |= not books.entry_durable
                is_true &= not books.is_forsaken
                disk.fsync(segment.name)
        if created:
            is_true &= not disk.faults.lying_dir
            disk.fsync_dir(self._folder)
        self.flushed_offset = self.log_end_offset
        if is_true:
            self.durable_offset = self.log_end_offset

    def roll(self, why: str) -> SegmentRolled:
        """Close the newest segment, flushed and with its index files, and go on in a new one."""
        self._sync()
        closed, end_offset = self._active, self.log_end_offset
        write_indexes(self._disk, closed, end_offset)
        self._begin_segment(end_offset)
        self._drop_deleted()
        return SegmentRolled(
            topic=self._tp.topic, partition=self._tp.partition, base_offset=closed.base_offset, end_offset=end_offset,
            size_bytes=closed.size, why=why,
        )  # fmt: skip

    def _begin_segment(self, base_offset: Offset) -> None:
        name = segment_name(self._folder, base_offset)
        self._disk.create(name)
        self._active = Segment(name, base_offset, self._disk.now_ms())
        self._segments.append(self._active)

    def _drop(self, segment: Segment) -> None:
        drop_indexes(self._disk, segment)
        self._disk.unlink(segment.name)

    def _write_epochs(self) -> None:
        write_leader_epochs(self._disk, self._folder, self.leader_epochs.entries())

    def _read_file(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None) -> bytes:
        return read_batches(self._disk, self._segment_of(start_offset), start_offset, max_bytes, end_offset)
