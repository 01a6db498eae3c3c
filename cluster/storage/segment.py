"""One file of a log and its sparse index: batch base offset to file position."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from cluster.model.identifiers import Offset

INDEX_BYTES = 4096
"""At most one index entry for so many bytes. Source: Kafka index.interval.bytes."""
SEGMENT_BYTES = 64 << 20
"""A log goes on in a new file past this size."""


class Segment:
    """Where the batches of one file are; the index is in memory only and rebuilt at start."""

    __slots__ = ("_offsets", "_positions", "base_offset", "name", "size")

    def __init__(self, name: str, base_offset: Offset) -> None:
        self.name = name
        """Relative to the data folder."""
        self.base_offset = base_offset
        """First offset it can hold."""
        self.size = 0
        """Bytes of whole batches."""
        self._offsets: list[Offset] = []
        self._positions: list[int] = []

    def add(self, base_offset: Offset, size_bytes: int) -> None:
        """Note one batch at the file's end."""
        if not self._positions or self.size - self._positions[-1] >= INDEX_BYTES:
            self._offsets.append(base_offset)
            self._positions.append(self.size)
        self.size += size_bytes

    def position_before(self, offset: Offset) -> int:
        """A batch boundary at or before the batch that holds offset."""
        index = bisect_right(self._offsets, offset) - 1
        return self._positions[index] if index >= 0 else 0

    def cut(self, size: int) -> None:
        """Forget all at or past this position."""
        keep = bisect_left(self._positions, size)
        del self._offsets[keep:], self._positions[keep:]
        self.size = size


def segment_name(folder: str, base_offset: Offset) -> str:
    """The file's name: twenty digits of its base offset."""
    return f"{folder}/{base_offset:020d}.log"


def base_offset_of(name: str) -> Offset | None:
    """The base offset in a file's name; None when it is not a segment."""
    stem, _, ending = name.rpartition("/")[2].partition(".")
    return int(stem) if ending == "log" and len(stem) == 20 and stem.isdecimal() and stem.isascii() else None
