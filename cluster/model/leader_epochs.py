"""The leader-epoch cache: which epoch wrote from which offset. Source: KIP-101, KIP-279, LeaderEpochFileCache."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from cluster.model.identifiers import NO_EPOCH, UNKNOWN_OFFSET, Epoch, EpochEnd, Offset

UNKNOWN_END = EpochEnd(NO_EPOCH, UNKNOWN_OFFSET)


class LeaderEpochs:
    """Ascending (epoch, start_offset) entries; both strictly increase."""

    __slots__ = ("_epochs", "_starts")

    def __init__(self, entries: Iterable[tuple[Epoch, Offset]] = ()) -> None:
        self._epochs: list[Epoch] = []
        self._starts: list[Offset] = []
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)

    def entries(self) -> tuple[tuple[Epoch, Offset], ...]:
        """All entries, oldest first, as (epoch, first offset it wrote)."""
        return tuple(zip(self._epochs, self._starts, strict=True))

    def latest(self) -> Epoch:
        """The newest epoch known; -1 when the cache is empty."""
        return self._epochs[-1] if self._epochs else NO_EPOCH

    def epoch_at(self, offset: Offset) -> Epoch:
        """The epoch that wrote the record at this offset; -1 when no entry covers it."""
        index = bisect_right(self._starts, offset) - 1
        return self._epochs[index] if index >= 0 else NO_EPOCH

    def assign(self, epoch: Epoch, start_offset: Offset) -> bool:
        """Note that epoch writes from start_offset on; True when the cache changed.

        Entries the new one contradicts (a later epoch, or a start at or past it) are dropped.
        """
        if self._epochs and self._epochs[-1] == epoch and start_offset >= self._starts[-1]:
            return False
        while self._epochs and (self._epochs[-1] >= epoch or self._starts[-1] >= start_offset):
            self._epochs.pop()
            self._starts.pop()
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        return True

    def truncate_from_end(self, end_offset: Offset) -> bool:
        """Forget entries that start at or past end_offset (exclusive log end); True when some went."""
        before = len(self._starts)
        while self._starts and self._starts[-1] >= end_offset:
            self._epochs.pop()
            self._starts.pop()
        return len(self._starts) != before

    def truncate_from_start(self, start_offset: Offset) -> bool:
        """Forget entries that end at or before start_offset (inclusive log start); True when the cache changed.

        The one that wrote the record at start_offset begins there now. Source: LeaderEpochFileCache.truncateFromStart.
        """
        index = bisect_right(self._starts, start_offset) - 1
        if index < 0 or (index == 0 and self._starts[0] == start_offset):
            return False
        del self._starts[:index], self._epochs[:index]
        self._starts[0] = start_offset
        return True

    def end_offset_for(self, epoch: Epoch, log_end_offset: Offset) -> EpochEnd:
        """The largest own epoch not above the asked one, and its exclusive end.

        (-1, -1) when unknown. When every entry is above the asked epoch the answer is the asked epoch itself with
        the start of the first entry. Source: LeaderEpochFileCache.endOffsetFor.
        """
        if epoch == NO_EPOCH or not self._epochs:
            return UNKNOWN_END
        if epoch == self._epochs[-1]:
            return EpochEnd(epoch, log_end_offset)
        index = bisect_right(self._epochs, epoch)
        if index == len(self._epochs):
            return UNKNOWN_END
        if index == 0:
            return EpochEnd(epoch, self._starts[0])
        return EpochEnd(self._epochs[index - 1], self._starts[index])
