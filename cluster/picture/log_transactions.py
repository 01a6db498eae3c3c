"""The transactions in one replica's log: which records are part of one, and what became of it. Source: KIP-98."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from cluster.model.identifiers import Offset
from cluster.picture.part import Journal, Part

DATA, COMMIT, ABORT = "data", "commit", "abort"
"""What a batch of a transaction is, as replicas tell."""
OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"
"""What has become of the transaction of a record."""
BATCHES_MAX = 8192
Marked: TypeAlias = tuple[Offset, Offset, int, str, Offset]
"""(base offset, end (exclusive), producer id, what, where its transaction begins) of one batch; the last is -1 for a
marker that ends nothing here."""


@dataclass(slots=True)
class LogTransactions(Part):
    """Batches of transactions in one log, the newest BATCHES_MAX, and which transactions are open."""

    batches: Journal[Marked] = field(default_factory=lambda: Journal(most=BATCHES_MAX))
    open: dict[int, Offset] = field(default_factory=dict)
    """By producer id: where its transaction begins."""

    def extend(self, batches: Iterable[tuple[Offset, int, int, str]], ends: dict[Offset, Offset]) -> None:
        """Batches behind those that are there: (base offset, producer id, producer epoch, what) each.

        Args:
            ends: end (exclusive) of each batch by its base offset.
        """
        for base, producer_id, _, what in batches:
            first = self.open.setdefault(producer_id, base) if what == DATA else self.open.pop(producer_id, -1)
            self.batches.append((base, ends.get(base, base + 1), producer_id, what, first))

    def cut(self, end_offset: Offset) -> None:
        """The log ends there now (exclusive): what a marker ended that is gone is open again."""
        kept = bisect_left(self.batches, end_offset + 1, key=_end)
        for base, _, producer_id, what, first in reversed(self.batches[kept:]):
            if what != DATA and first >= 0:
                self.open[producer_id] = first
            elif what == DATA and first == base:
                self.open.pop(producer_id, None)
        self.batches.cut(kept)

    def stable_offset(self, high_watermark: Offset, log_start_offset: Offset) -> Offset:
        """Where a reader of committed records stops (exclusive): the first record of a transaction that no committed
        marker ends, or the high watermark.
        """
        late = [first for base, _, _, what, first in self.since(high_watermark) if what != DATA and first >= 0]
        return min([high_watermark, *(max(first, log_start_offset) for first in (*self.open.values(), *late))])

    def since(self, offset: Offset) -> list[Marked]:
        """Batches that end behind the offset."""
        return self.batches[bisect_left(self.batches, offset + 1, key=_end) :]

    def fates(self, first: Offset, end: Offset) -> dict[Offset, str]:
        """What each record of a transaction in [first, end) is: open, committed or aborted, or a marker that commits or
        aborts one.
        """
        shown: dict[Offset, str] = {}
        waiting: dict[int, list[Marked]] = {}
        for batch in self.since(first):
            base, upto, producer_id, what, begun = batch
            if base >= end and not waiting:
                break
            if what == DATA:
                if base < end:
                    waiting.setdefault(producer_id, []).append(batch)
                continue
            fate = COMMITTED if what == COMMIT else ABORTED
            for piece in waiting.pop(producer_id, ()):
                shown.update(dict.fromkeys(range(max(first, piece[0]), min(end, piece[1])), fate))
            if first <= base < end:
                shown[base] = what
        for piece in (batch for batches in waiting.values() for batch in batches):
            shown.update(dict.fromkeys(range(max(first, piece[0]), min(end, piece[1])), OPEN))
        return shown

    def records_of(self, producer_id: int, first_offset: Offset, marker: Offset) -> int:
        """Records of a producer's transaction, from its first one to the marker that ends it."""
        batches = (batch for batch in self.since(first_offset) if batch[2] == producer_id and batch[3] == DATA)
        return sum(upto - base for base, upto, *_ in batches if base < marker)


def _end(batch: Marked) -> Offset:
    return batch[1]
