"""Transactions in one log: how far each is decided, and which were aborted. Source: Kafka TransactionIndex, UnifiedLog.

A reader of committed records gets what is below the last stable offset, and is told what to leave out. Here p is the
producer of an open transaction, a of one that was aborted, A its marker:

    offset   4  5  6  7  8  9
    log      a  p  a  A  p  -      high watermark 9, last stable offset 5; aborted: (a, 4)
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import NamedTuple

from cluster.model.identifiers import UNKNOWN_OFFSET, Offset


class AbortedTransaction(NamedTuple):
    """Records of one that no reader of committed records may see. Source: Kafka AbortedTxn."""

    producer_id: int
    first_offset: Offset
    last_offset: Offset
    """Of the marker (inclusive)."""
    last_stable_offset: Offset
    """When the marker was written (exclusive): no transaction that ended later begins below it."""


class LogTransactions:
    """Open, decided and aborted transactions of one log, as far as it was read."""

    __slots__ = ("_aborted", "_ended", "_open")

    def __init__(self) -> None:
        self._open: dict[int, Offset] = {}
        self._ended: dict[Offset, Offset] = {}
        self._aborted: list[AbortedTransaction] = []

    def open_from(self, producer_id: int) -> Offset:
        """First offset of a producer's open transaction; -1 for none."""
        return self._open.get(producer_id, UNKNOWN_OFFSET)

    def last_stable_offset(self, high_watermark: Offset, log_start_offset: Offset) -> Offset:
        """Exclusive: below it each transaction is decided, by a marker that is committed. Source: UnifiedLog."""
        for marker in [marker for marker in self._ended if marker < high_watermark]:
            del self._ended[marker]
        # A transaction holds it back until its marker is committed, not only until it is written:
        #
        #     offset   4  5  6
        #     log      p  -  P      high watermark 6: P, the marker, is on this leader only
        #
        # The last stable offset is 4. Were it 6 by now, the next leader, who may lack P, would have to take it back to
        # 4, behind what readers have read. Source: Kafka ProducerStateManager, its unreplicated transactions.
        undecided = min((*self._open.values(), *self._ended.values()), default=high_watermark)
        return max(log_start_offset, min(undecided, high_watermark))

    def aborted(self, start_offset: Offset, end_offset: Offset) -> tuple[tuple[int, Offset], ...]:
        """(producer id, first offset) of those with something in [start_offset, end_offset), by their ends.

        Source: Kafka TransactionIndex.collectAbortedTxns.
        """
        among = []
        for index in range(bisect_left(self._aborted, start_offset, key=attrgetter("last_offset")), len(self._aborted)):
            each = self._aborted[index]
            if each.first_offset < end_offset:
                among.append((each.producer_id, each.first_offset))
            if each.last_stable_offset >= end_offset:
                break
        return tuple(among)

    def begin(self, producer_id: int, offset: Offset) -> None:
        """The log has a record of a transaction at this offset."""
        self._open.setdefault(producer_id, offset)

    def end(self, producer_id: int, offset: Offset, *, committed: bool) -> None:
        """The log has a marker at this offset; of a producer without a transaction it says nothing."""
        first_offset = self._open.pop(producer_id, None)
        if first_offset is None:
            return
        self._ended[offset] = first_offset
        if not committed:
            stable = min(self._open.values(), default=offset + 1)
            self._aborted.append(AbortedTransaction(producer_id, first_offset, offset, stable))

    def forget_aborted(self, log_start_offset: Offset) -> None:
        """Nobody reads what is before the log start (inclusive): its aborted transactions need no names any more.

        Source: Kafka deletes a segment's transaction index with the segment.
        """
        del self._aborted[: bisect_left(self._aborted, log_start_offset, key=attrgetter("last_offset"))]
