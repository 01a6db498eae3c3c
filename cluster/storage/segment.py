"""One file of a log and its sparse indexes: batch base offset to file position, and to the largest time so far."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from cluster.model.identifiers import Offset
from cluster.model.record_batch import HEADER_BYTES, BatchHeader, read_header
from cluster.storage.disk import Disk

INDEX_BYTES = 4096
"""At most one index entry for so many bytes. Source: Kafka index.interval.bytes."""
SEGMENT_BYTES = 64 << 20
"""A log goes on in a new file past this size, unless its topic says otherwise. Kafka's default is 1 GiB."""
NO_TIME = -1
"""Built-in producers give their records the time 0, which stands for none."""
SUFFIX = ".log"
"""Of a file of batches."""


class Segment:
    """Where the batches of one file are, and how old they are."""

    __slots__ = (
        "_offsets",
        "_positions",
        "_times",
        "base_offset",
        "begun_ms",
        "first_ms",
        "largest_ms",
        "name",
        "size",
    )

    def __init__(self, name: str, base_offset: Offset, begun_ms: int = 0) -> None:
        self.name = name
        """Relative to the data folder."""
        self.base_offset = base_offset
        """First offset it can hold."""
        self.begun_ms = begun_ms
        """By the wall clock, when it was made or opened."""
        self.size = 0
        """Bytes of whole batches."""
        self.first_ms = NO_TIME
        """Time of its first batch, in ms since 1970; -1 while it has none."""
        self.largest_ms = NO_TIME
        """Largest time of its records; after a cut perhaps that of a record that is gone."""
        self._offsets: list[Offset] = []
        self._positions: list[int] = []
        self._times: list[int] = []

    def add(self, base_offset: Offset, size_bytes: int, time_ms: int = NO_TIME) -> None:
        """Note one batch at the file's end, and its largest time."""
        if time_ms > 0:
            if self.first_ms < 0:
                self.first_ms = time_ms
            self.largest_ms = max(self.largest_ms, time_ms)
        if not self._positions or self.size - self._positions[-1] >= INDEX_BYTES:
            self._offsets.append(base_offset)
            self._positions.append(self.size)
            self._times.append(self.largest_ms)
        self.size += size_bytes

    def position_before(self, offset: Offset) -> int:
        """A batch boundary at or before the batch that holds offset."""
        index = bisect_right(self._offsets, offset) - 1
        return self._positions[index] if index >= 0 else 0

    def entries(self) -> Iterator[tuple[Offset, int, int]]:
        """(base offset, position, largest time so far) of each indexed batch."""
        return zip(self._offsets, self._positions, self._times, strict=True)

    def take_entries(self, entries: list[tuple[Offset, int, int]]) -> None:
        """Believe an index that was written down."""
        self._offsets = [offset for offset, _, _ in entries]
        self._positions = [position for _, position, _ in entries]
        self._times = [time_ms for _, _, time_ms in entries]

    def cut(self, size: int) -> None:
        """Forget all at or past this position."""
        keep = bisect_left(self._positions, size)
        del self._offsets[keep:], self._positions[keep:], self._times[keep:]
        self.size = size


def segment_name(folder: str, base_offset: Offset) -> str:
    """The file's name: twenty digits of its base offset."""
    return f"{folder}/{base_offset:020d}{SUFFIX}"


def base_offset_of(name: str) -> Offset | None:
    """The base offset in a file's name; None when it is not a segment."""
    stem, dot, ending = name.rpartition("/")[2].partition(".")
    return int(stem) if dot + ending == SUFFIX and len(stem) == 20 and stem.isdecimal() and stem.isascii() else None


class Rolling(NamedTuple):
    """When a log goes on in a new file. Source: Kafka LogConfig."""

    segment_bytes: int = SEGMENT_BYTES
    """segment.bytes."""
    segment_ms: int = 604_800_000
    """segment.ms: between the first record of a file and the newest."""

    def why(self, active: Segment, more_bytes: int, time_ms: int, now_ms: int) -> str:
        """The setting because of which the next batches go into a new file; empty for none.

        Times are those of the records; where they have none, the time since the file was begun counts.
        Source: Kafka LogSegment.shouldRoll, timeWaitedForRoll.

        Args:
            time_ms: of what is to be written; 0 or less for none.
            now_ms: the wall clock.
        """
        if not active.size:
            return ""
        if active.size + more_bytes > self.segment_bytes:
            return "segment.bytes"
        is_dated = active.first_ms > 0 and time_ms > 0
        waited_ms = time_ms - active.first_ms if is_dated else now_ms - active.begun_ms
        return "segment.ms" if waited_ms > self.segment_ms else ""


def locate(disk: Disk, segment: Segment, offset: Offset) -> tuple[BatchHeader | None, int, Offset]:
    """The first batch that ends past offset, its position, and where the log would end without it (exclusive).

    None when the segment has none. A gap that compaction left before it goes with it: a log ends with a batch.
    """
    begin = position = segment.position_before(offset - 1)
    end_offset = segment.base_offset
    while position < segment.size:
        header = read_header(disk.read(segment.name, position, HEADER_BYTES))
        if header.end_offset > offset:
            if position == begin > 0:  # what is before it is not read yet
                end_offset = locate(disk, segment, header.base_offset)[2]
            return header, position, end_offset
        position, end_offset = position + header.size_bytes, header.end_offset
    return None, position, end_offset


def read_batches(
    disk: Disk, segment: Segment, start_offset: Offset, max_bytes: int, end_offset: Offset | None
) -> bytes:
    """Whole batches from the one that holds start_offset, as Log.read says."""
    base = segment.position_before(start_offset)
    data = disk.read(segment.name, base, min(max_bytes + INDEX_BYTES, segment.size - base))
    first = position = -1
    cursor = 0
    while base + cursor < segment.size:
        if len(data) - cursor < HEADER_BYTES:
            if first >= 0:
                break
            base, cursor = base + cursor, 0
            data = disk.read(segment.name, base, HEADER_BYTES)
        header = read_header(data, cursor)
        after = cursor + header.size_bytes
        if header.end_offset > start_offset:
            if end_offset is not None and header.end_offset > end_offset:
                break
            if first >= 0 and after - first > max_bytes:
                break
            first = cursor if first < 0 else first
            position = after
        cursor = after
    if first < 0:
        return b""
    if position > len(data):
        return disk.read(segment.name, base + first, position - first)
    return data[first:position]
