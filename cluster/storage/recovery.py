"""What a log holds after a start: scan, cut at the first batch that is short or bad, rebuild index and epoch cache.

Source: Kafka LogLoader.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct, field

from cluster.model.errors import StorageFailed
from cluster.model.identifiers import Epoch, Offset
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.record_batch import HEADER_BYTES, BatchHeader, CorruptBatchError, check_crc, read_header
from cluster.storage.checkpoints import read_leader_epochs, write_leader_epochs
from cluster.storage.disk import Disk
from cluster.storage.segment import Segment, base_offset_of, segment_name

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


def recover(disk: Disk, folder: str, *, clean: bool) -> Recovered:
    """Scan a log's folder; cut at the first bad batch and drop later segments. Makes the first segment when missing."""
    found = Recovered(why="clean" if clean else "scanned")
    names = [(base, name) for name in disk.names(folder) if (base := base_offset_of(name)) is not None]
    if not names:
        names = [(0, segment_name(folder, 0))]
        disk.create(names[0][1])
    found.end_offset = found.claimed_offset = found.durable_offset = names[0][0]
    cut = ""
    for base, name in names:
        if cut or base != found.end_offset:
            found.dropped_bytes += disk.books(name).written
            disk.unlink(name)
            cut = cut or BAD_BATCH
            continue
        cut = _scan(disk, Segment(name, base), found, clean=clean)
    found.why = cut or found.why
    _mend_epochs(disk, folder, found.leader_epochs)
    return found


def _scan(disk: Disk, segment: Segment, found: Recovered, *, clean: bool) -> str:
    """Take in one segment; why its tail was cut, or nothing."""
    books = disk.books(segment.name)
    found.segments.append(segment)
    durable_bytes = books.durable if books.entry_durable else 0
    reader = _Reader(disk, segment.name, books.written)
    while (header := reader.next_batch(segment.size, found.end_offset, clean=clean)) is not None:
        size = segment.size + header.size_bytes
        if size <= books.claimed and found.claimed_offset == found.end_offset:
            found.claimed_offset = header.end_offset
        if size <= durable_bytes and found.durable_offset == found.end_offset:
            found.durable_offset = header.end_offset
        segment.add(header.base_offset, header.size_bytes)
        found.end_offset = header.end_offset
        if header.leader_epoch > found.leader_epochs.latest():
            found.leader_epochs.assign(header.leader_epoch, header.base_offset)
        found.last_batches.append((header.base_offset, header.count, header.leader_epoch, (f"{header.crc:08x}",)))
    found.valid_bytes += segment.size
    if segment.size == books.written:
        return ""
    found.dropped_bytes += books.written - segment.size
    disk.truncate(segment.name, segment.size)
    return TORN_TAIL if reader.ends_early else BAD_BATCH


class _Reader:
    """Reads a segment front to back in large pieces."""

    __slots__ = ("_data", "_disk", "_name", "_start", "_written", "ends_early")

    def __init__(self, disk: Disk, name: str, written: int) -> None:
        self._disk, self._name, self._written = disk, name, written
        self.ends_early = False
        """The newest batch asked for reaches past the end of the file."""
        self._start = 0
        self._data = b""

    def next_batch(self, position: int, base_offset: Offset, *, clean: bool) -> BatchHeader | None:
        """The batch at position; None when there is no whole, sane one with this base offset."""
        self.ends_early = position + HEADER_BYTES > self._written
        try:
            header = read_header(self._piece(position, HEADER_BYTES))
            self.ends_early = position + header.size_bytes > self._written
            if header.base_offset != base_offset or self.ends_early:
                return None
            if clean or check_crc(self._piece(position, header.size_bytes)):
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


def _mend_epochs(disk: Disk, folder: str, epochs: LeaderEpochs) -> None:
    try:
        stored = read_leader_epochs(disk, folder)
    except StorageFailed:
        stored = None
    if stored != epochs.entries() and (stored or epochs.entries()):
        write_leader_epochs(disk, folder, epochs.entries())
