"""From a time to a record of one log. Source: UnifiedLog.fetchOffsetByTimestamp; KAFKA-16310 and KAFKA-16342.

Nobody pays for it until somebody asks; then the headers of what the log holds are read once, and later questions read
what is new. The batch that has the answer is opened, whatever it is compressed with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from cluster.model.identifiers import Epoch, Offset
from cluster.model.log_view import LogView
from cluster.model.record_batch import BatchHeader, batch_times, batches, record_times

SPAN_BYTES = 1 << 20
"""So much of the log is remembered by its largest timestamp only."""


class FoundRecord(NamedTuple):
    """A record and when it was written."""

    offset: Offset
    timestamp_ms: int
    leader_epoch: Epoch


class _Span(Struct):
    start_offset: Offset
    end_offset: Offset
    largest_ms: int
    size_bytes: int


class TimeIndex:
    """The largest timestamp of each piece of a log."""

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        self._spans: list[_Span] = []

    def truncate(self, end_offset: Offset) -> None:
        """Forget what a cut to end_offset (exclusive) may have taken."""
        while self._spans and self._spans[-1].end_offset > end_offset:
            self._spans.pop()

    def first_at(self, log: LogView, timestamp_ms: int, start_offset: Offset) -> FoundRecord | None:
        """The first record from start_offset (inclusive) on with that time or a later one.

        CorruptBatchError when the log cannot be read.
        """
        self._extend(log)
        for header, batch in self._batches_reaching(log, timestamp_ms):
            if header.end_offset <= start_offset:
                continue
            for offset, written_ms in record_times(batch):
                if written_ms >= timestamp_ms and offset >= start_offset:
                    return FoundRecord(offset, written_ms, header.leader_epoch)
        return None

    def largest(self, log: LogView, start_offset: Offset) -> FoundRecord | None:
        """The first of the records with the largest timestamp."""
        self._extend(log)
        kept = [span.largest_ms for span in self._spans if span.end_offset > start_offset]
        if not kept:
            return None
        for header, batch in self._batches_reaching(log, max(kept)):
            if header.end_offset <= start_offset:
                continue
            largest_ms, at = batch_times(batch)[1], header.end_offset - 1
            at = next((offset for offset, written_ms in record_times(batch) if written_ms >= largest_ms), at)
            return FoundRecord(max(at, start_offset), largest_ms, header.leader_epoch)
        return None

    def _extend(self, log: LogView) -> None:
        """Read what was written since; a short last piece is read again with what follows it."""
        position = log.log_start_offset
        while self._spans and self._spans[0].end_offset <= position:
            self._spans.pop(0)
        if self._spans and self._spans[0].start_offset < position:
            self._spans[0].start_offset = position
        if self._spans:
            if self._spans[-1].size_bytes < SPAN_BYTES // 2:
                position = self._spans.pop().start_offset
            else:
                position = self._spans[-1].end_offset
        while position < log.log_end_offset:
            data = log.read(position, SPAN_BYTES)
            largest_ms, end_offset = -1, position
            for header, batch in batches(data):
                end_offset = header.end_offset
                if header.records:
                    largest_ms = max(largest_ms, batch_times(batch)[1])
            self._spans.append(_Span(position, end_offset, largest_ms, len(data)))
            position = end_offset

    def _batches_reaching(self, log: LogView, timestamp_ms: int) -> Iterator[tuple[BatchHeader, memoryview | bytes]]:
        for span in self._spans:
            if span.largest_ms < timestamp_ms:
                continue
            for header, batch in batches(log.read(span.start_offset, SPAN_BYTES, span.end_offset)):
                if header.records and batch_times(batch)[1] >= timestamp_ms:
                    yield header, batch
