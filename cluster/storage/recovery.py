"""What a log holds after a start: scan, cut at the first batch that is short or bad, rebuild index and epoch cache.

Segments that were closed and flushed before the recovery point are not read again: their index files and the checkpoint
of leader epochs say what is in them, and the last batches must fit. What does not is told, and the segment is read.
Source: Kafka LogLoader, LogSegment.sanityCheck.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct, field

from cluster.model.errors import StorageFailed
from cluster.model.events.storage import SegmentsTrusted
from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, Offset, TopicPartition
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.record_batch import (
    HEADER_BYTES,
    BatchHeader,
    CorruptBatchError,
    batch_times,
    check_crc,
    read_header,
)
from cluster.storage.checkpoints import CLEANED, LEADER_EPOCHS, read_cleaned, read_leader_epochs, write_leader_epochs
from cluster.storage.disk import Disk
from cluster.storage.segment import SUFFIX, Segment, base_offset_of, segment_name
from cluster.storage.segment_index import drop_indexes, drop_strays, take_indexes, write_indexes
from cluster.storage.segment_swap import finish_swaps

CHUNK_BYTES = 4 << 20
LAST_BATCHES = 200
TORN_TAIL, BAD_BATCH = "torn tail", "bad batch"
"""Why a scan cut a log: its last batch was not written whole; or its bytes fail their CRC or are no next batch."""


class Recovered(Struct):
    """The result of a scan."""

    segments: list[Segment] = field(default_factory=list)
    """At least one, in order."""
    leader_epochs: LeaderEpochs = field(default_factory=LeaderEpochs)
    """Rebuilt from the batches."""
    end_offset: Offset = 0
    """Exclusive."""
    claimed_offset: Offset = 0
    """Exclusive; what fsync had claimed."""
    durable_offset: Offset = 0
    """Exclusive; what is durable."""
    valid_bytes: int = 0
    dropped_bytes: int = 0
    last_batches: deque[tuple[Offset, int, Epoch, tuple[str, ...]]] = field(
        default_factory=lambda: deque(maxlen=LAST_BATCHES)
    )
    """(base offset, count, leader epoch, (crc,)) of the newest batches."""
    why: str = "scanned"
    """clean, scanned, torn tail, bad batch."""
    trusted: int = 0
    """Segments that were not read, from the first on."""
    cleaned_offset: Offset = UNKNOWN_OFFSET
    """Up to where it was compacted (exclusive); -1 when it never was: then a gap is damage."""
    damages: list[tuple[str, str, str]] = field(default_factory=list)
    """(file, what is wrong with it, what is believed instead) each."""


def recover(disk: Disk, folder: str, *, clean: bool, recovery_point: Offset = 0) -> Recovered:
    """Scan a log's folder; cut at the first bad batch and drop later segments. Makes the first segment when missing.

    Args:
        recovery_point: all before it (exclusive) was flushed; when clean all was.
    """
    recovered = Recovered(why="clean" if clean else "scanned")
    recovered.cleaned_offset = _cleaned_offset(disk, folder, recovered)
    recovered.damages += finish_swaps(disk, folder)
    recovered.damages += [*drop_strays(disk, folder), *_misnamed(disk, folder)]
    names = [(base, name) for name in disk.names(folder) if (base := base_offset_of(name)) is not None]
    if not names:
        names = [(0, segment_name(folder, 0))]
        disk.create(names[0][1])
    recovered.end_offset = recovered.claimed_offset = recovered.durable_offset = names[0][0]
    stored = _stored_epochs(disk, folder, recovered)
    cut = ""
    for index, (base, name) in enumerate(names):
        segment = Segment(name, base, disk.now_ms())
        # Behind a bad batch nothing counts, however good it is. A log is known to others by where it ends: with the
        # later segments it would claim the hole, too, a follower would never ask for what is missing, and a leader
        # never have it.
        if cut or base != recovered.end_offset:
            _drop(
                disk, segment, recovered, f"it does not begin at {recovered.end_offset}, where the log before it ends"
            )
            cut = cut or BAD_BATCH
            continue
        end_offset = names[index + 1][0] if index + 1 < len(names) else base
        is_closed = index + 1 < len(names) and (clean or end_offset <= recovery_point)
        if is_closed and _trust(disk, segment, end_offset, stored, recovered):
            continue
        cut = _scan(disk, segment, recovered, clean=clean)
        if is_closed and not cut and recovered.end_offset == end_offset:
            write_indexes(disk, segment, end_offset)
    recovered.why = cut or recovered.why
    drop_indexes(disk, recovered.segments[-1])
    recovered.leader_epochs.truncate_from_start(recovered.segments[0].base_offset)  # a crash may have kept older ones
    _mend_epochs(disk, folder, recovered.leader_epochs, stored)
    return recovered


def _misnamed(disk: Disk, folder: str) -> list[tuple[str, str, str]]:
    """Segments whose names say no offset; they stay where they are."""
    names = [name for name in disk.names(folder) if name.endswith(SUFFIX) and base_offset_of(name) is None]
    return [(name, "its name is no offset of twenty digits", "the segments beside it") for name in names]


def _drop(disk: Disk, segment: Segment, log: Recovered, why: str) -> None:
    log.dropped_bytes += disk.books(segment.name).written
    log.damages.append((segment.name, why, "nothing: what it holds is not used"))
    drop_indexes(disk, segment)
    disk.unlink(segment.name)


def _trust(
    disk: Disk, segment: Segment, end_offset: Offset, stored: tuple[tuple[Epoch, Offset], ...] | None, log: Recovered
) -> bool:
    """Take a closed segment as its index files say, if they fit it and it ends where the next begins."""
    books = disk.books(segment.name)
    if stored is None or log.trusted < len(log.segments) or not books.settled or books.claimed < books.written:
        return False
    has_gaps = log.cleaned_offset >= 0
    name, wrong = take_indexes(disk, segment, books.written, end_offset, has_gaps=has_gaps)
    if wrong:
        log.damages.append((name, wrong, "the batches of the segment"))
        return False
    last = _last_batches(disk, segment, books.written, end_offset, has_gaps=has_gaps)
    epochs = [(epoch, start) for epoch, start in stored if start < end_offset]
    if last is None:
        log.damages.append((segment.name, f"it does not end at {end_offset}, as its index says", "its whole batches"))
    elif not epochs or epochs[-1][0] != last[-1].leader_epoch:
        wrong = f"it does not know the leader epoch of offset {end_offset - 1}"
        log.damages.append((_epochs_name(segment), wrong, "the batches of the log"))
    else:
        segment.size = books.written
        log.segments.append(segment)
        log.trusted += 1
        log.leader_epochs = LeaderEpochs(epochs)
        log.end_offset = log.claimed_offset = log.durable_offset = end_offset
        log.valid_bytes += segment.size
        log.last_batches.extend(map(_told, last))
        return True
    segment.take_entries([])
    return False


def _last_batches(
    disk: Disk, segment: Segment, written: int, end_offset: Offset, *, has_gaps: bool
) -> list[BatchHeader] | None:
    """Headers from the last one of the index to the segment's end; None when they are not as they should be."""
    offset, position, _ = list(segment.entries())[-1]
    reader, headers = _Reader(disk, segment.name, written, has_gaps=has_gaps), []
    while position < written and (header := reader.next_batch(position, offset, clean=True)) is not None:
        headers.append(header)
        offset, position = header.end_offset, position + header.size_bytes
    return headers if (offset, position) == (end_offset, written) else None


def _told(header: BatchHeader) -> tuple[Offset, int, Epoch, tuple[str, ...]]:
    return header.base_offset, header.count, header.leader_epoch, (f"{header.crc:08x}",)


def _epochs_name(segment: Segment) -> str:
    return f"{segment.name.rpartition('/')[0]}/{LEADER_EPOCHS}"


def _scan(disk: Disk, segment: Segment, found: Recovered, *, clean: bool) -> str:
    """Take in one segment; why its tail was cut, or nothing."""
    books = disk.books(segment.name)
    found.segments.append(segment)
    durable_bytes = books.durable if books.entry_durable else 0
    reader = _Reader(disk, segment.name, books.written, has_gaps=found.cleaned_offset >= 0)
    while (header := reader.next_batch(segment.size, found.end_offset, clean=clean)) is not None:
        size = segment.size + header.size_bytes
        if size <= books.claimed and found.claimed_offset == found.end_offset:
            found.claimed_offset = header.end_offset
        if size <= durable_bytes and found.durable_offset == found.end_offset:
            found.durable_offset = header.end_offset
        segment.add(header.base_offset, header.size_bytes, reader.newest_ms)
        found.end_offset = header.end_offset
        if header.leader_epoch > found.leader_epochs.latest():
            found.leader_epochs.assign(header.leader_epoch, header.base_offset)
        found.last_batches.append(_told(header))
    found.valid_bytes += segment.size
    if segment.size == books.written:
        return ""
    found.dropped_bytes += books.written - segment.size
    disk.truncate(segment.name, segment.size)
    return TORN_TAIL if reader.ends_early else BAD_BATCH


class _Reader:
    """Reads a segment front to back in large pieces."""

    __slots__ = ("_data", "_disk", "_has_gaps", "_name", "_start", "_written", "ends_early", "newest_ms")

    def __init__(self, disk: Disk, name: str, written: int, *, has_gaps: bool) -> None:
        self._has_gaps = has_gaps
        self._disk, self._name, self._written = disk, name, written
        self.ends_early = False
        """The newest batch asked for reaches past the end of the file."""
        self.newest_ms = -1
        """Largest time of the batch that was given last."""
        self._start = 0
        self._data = b""

    def next_batch(self, position: int, base_offset: Offset, *, clean: bool) -> BatchHeader | None:
        """The batch at position; None when there is no whole, sane one with this base offset, or a later one if it may
        be one of a compacted log.
        """
        self.ends_early = position + HEADER_BYTES > self._written
        try:
            header = read_header(self._piece(position, HEADER_BYTES))
            self.ends_early = position + header.size_bytes > self._written
            is_next = header.base_offset == base_offset or (self._has_gaps and header.base_offset > base_offset)
            if not is_next or self.ends_early:
                return None
            batch = self._piece(position, HEADER_BYTES if clean else header.size_bytes)
            if clean or check_crc(batch):
                self.newest_ms = batch_times(batch)[1]
                return header
        except CorruptBatchError:
            pass
        return None

    def _piece(self, position: int, size: int) -> memoryview:
        if position < self._start or position + size > self._start + len(self._data):
            self._data = self._disk.read(self._name, position, max(size, CHUNK_BYTES))
            self._start = position
        begin = position - self._start
        return memoryview(self._data)[begin : begin + size]


def trusted(tp: TopicPartition, recovered: Recovered, recovery_point: Offset) -> SegmentsTrusted:
    """What is told of the segments that were not read."""
    skipped = recovered.segments[: recovered.trusted]
    return SegmentsTrusted(
        topic=tp.topic,
        partition=tp.partition,
        segments=len(skipped),
        size_bytes=sum(segment.size for segment in skipped),
        recovery_point=recovery_point,
        scanned_from=recovered.segments[recovered.trusted].base_offset,
    )


def _cleaned_offset(disk: Disk, folder: str, log: Recovered) -> Offset:
    """A checkpoint that is damaged still says that there may be gaps; all is compacted anew."""
    try:
        return read_cleaned(disk, folder)
    except StorageFailed:
        log.damages.append((f"{folder}/{CLEANED}", "it is no checkpoint", "0: all is compacted anew"))
        return 0


def _stored_epochs(disk: Disk, folder: str, log: Recovered) -> tuple[tuple[Epoch, Offset], ...] | None:
    """What the checkpoint of leader epochs says; None when it cannot be believed."""
    try:
        stored = read_leader_epochs(disk, folder)
    except StorageFailed:
        stored = None
    if stored is None or LeaderEpochs(stored).entries() != stored:
        log.damages.append((f"{folder}/{LEADER_EPOCHS}", "it is no list of rising epochs", "the batches of the log"))
        return None
    return stored


def _mend_epochs(
    disk: Disk, folder: str, epochs: LeaderEpochs, stored: tuple[tuple[Epoch, Offset], ...] | None
) -> None:
    if stored != epochs.entries() and (stored or epochs.entries()):
        write_leader_epochs(disk, folder, epochs.entries())
