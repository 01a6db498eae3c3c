"""The newest batches of a log in memory, so that followers at the end read no file."""

from __future__ import annotations

from bisect import bisect_right

from cluster.model.identifiers import Offset

CACHE_BYTES = 4 << 20
_COMPACT = 1024


class TailCache:
    """The newest batches, in order up to the log's end, at most about limit bytes; the newest one is always kept."""

    __slots__ = ("_bytes_before", "_data", "_ends", "_head", "_limit", "_starts", "_total")

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit = limit
        self._starts: list[Offset] = []
        self._ends: list[Offset] = []
        self._data: list[bytes] = []
        self._bytes_before: list[int] = []
        self._head = 0
        self._total = 0

    def append(self, base_offset: Offset, end_offset: Offset, batch: bytes) -> None:
        """Add the newest batch; the oldest ones leave."""
        self._starts.append(base_offset)
        self._ends.append(end_offset)
        self._data.append(batch)
        self._bytes_before.append(self._total)
        self._total += len(batch)
        if self._total - self._bytes_before[self._head] > self._limit:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        last = len(self._data) - 1
        while self._head < last and self._total - self._bytes_before[self._head] > self._limit:
            self._data[self._head] = b""
            self._head += 1
        if self._head >= _COMPACT:
            for column in (self._starts, self._ends, self._data, self._bytes_before):
                del column[: self._head]
            self._head = 0

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None) -> bytes | None:
        """Whole batches as Log.read gives them; None when start_offset is older than the cache."""
        first, last = bisect_right(self._ends, start_offset, self._head), len(self._data)
        if first == last or start_offset < self._starts[self._head]:
            return None
        if end_offset is not None:
            last = self._ending_by(end_offset)
        if first >= last:
            return b""
        fits = bisect_right(self._bytes_before, self._bytes_before[first] + max_bytes, first)
        if fits < len(self._data) or self._total - self._bytes_before[first] > max_bytes:
            last = min(last, max(fits - 1, first + 1))
        return self._data[first] if last == first + 1 else b"".join(self._data[first:last])

    def truncate(self, end_offset: Offset) -> None:
        """Forget batches that end past end_offset."""
        keep = max(self._head, self._ending_by(end_offset))
        if keep < len(self._data):
            self._total = self._bytes_before[keep]
            for column in (self._starts, self._ends, self._data, self._bytes_before):
                del column[keep:]

    def _ending_by(self, end_offset: Offset) -> int:
        """How many batches, those that left included, end at or below end_offset."""
        return bisect_right(self._ends, end_offset, self._head)
