"""One replica's log as its events tell it: cells, ends, epochs, what was cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from cluster.model.identifiers import Epoch, NodeId, Offset, TopicPartition
from cluster.picture.log_transactions import LogTransactions
from cluster.picture.part import Journal, SharedPart

CELLS_MAX = 4096
"""Batches of a log that are remembered one by one, the newest, and up to twice as many for a while."""
GHOSTS_MAX = 200
"""Records of the newest cut that are remembered one by one."""
Batch: TypeAlias = tuple[Offset, int, Epoch, str]
"""(base offset, count, leader epoch, digest) of one batch, as events tell it; the digest is empty for metadata."""


class Cell(NamedTuple):
    """One batch of a replica's log."""

    base_offset: Offset
    record_count: int
    epoch: Epoch
    digest: str
    """CRC of the batch as hex; empty for metadata."""

    @property
    def end_offset(self) -> Offset:
        """Exclusive."""
        return self.base_offset + self.record_count


class Ghost(NamedTuple):
    """A record that the newest cut removed."""

    offset: Offset
    epoch: Epoch


class LogCut(NamedTuple):
    """A log became shorter."""

    t_ns: int
    node: NodeId
    topic_partition: TopicPartition
    old_end_offset: Offset
    """Exclusive."""
    end_offset: Offset
    """Exclusive."""
    high_watermark: Offset
    """Of that replica before the cut; -1 unknown."""
    kind: str
    """truncated by the protocol, or lost with the power or when the log was found shorter at a start."""
    why: str


def _base(cell: Batch) -> Offset:
    return cell[0]


def _end(cell: Batch) -> Offset:
    return cell[0] + cell[1]


@dataclass(slots=True)
class LogState(SharedPart):
    """What is known of one log. Offsets are inclusive starts and exclusive ends."""

    cells: Journal[Batch] = field(default_factory=lambda: Journal(most=CELLS_MAX))
    """Ascending; the oldest are forgotten past CELLS_MAX, and those that are deleted."""
    epochs: list[tuple[Epoch, Offset]] = field(default_factory=list)
    """Each epoch of its records with the first offset that it wrote, ascending: its leader epoch cache."""
    begun: tuple[Epoch, Offset] | None = None
    """(leader epoch, first offset) that its broker leads in, before it has written anything; None for a follower."""
    log_start_offset: Offset = 0
    """What is before it is deleted."""
    log_end_offset: Offset = 0
    high_watermark: Offset = -1
    """-1 unknown."""
    durable_offset: Offset = 0
    """What survives a power loss ends here."""
    claimed_offset: Offset = 0
    """What fsync said is durable ends here."""
    newest_cut: LogCut | None = None
    ghosts: tuple[Ghost, ...] = ()
    """Records that the newest cut removed, at most the first GHOSTS_MAX, as far as nothing was written there since."""
    struck: tuple[Ghost, ...] = ()
    """The same, whatever was written there since."""
    cleaned_to: Offset = 0
    """Below it some replica of the partition was compacted (exclusive): batches there need not be the same."""
    transactions: LogTransactions | None = None
    """None while it holds none."""
    version: int = 0
    """Higher whenever its end was cut or written over, or it was made anew: while it is the same the log only grows."""

    def append(
        self,
        base_offset: Offset,
        end_offset: Offset,
        batches: Sequence[Batch],
        transactional: Sequence[tuple[Offset, int, int, str]] = (),
    ) -> None:
        """Put batches in [base_offset, end_offset) at the end; what lies there or past it is replaced.

        Args:
            transactional: what of them is part of a transaction, as events tell it.
        """
        if base_offset < self.log_end_offset:
            self._drop(base_offset)
        self.cells.extend(batches)
        epochs = self.epochs
        for start, _, epoch, _ in batches:
            if not epochs or epochs[-1][0] != epoch:
                epochs.append((epoch, start))
        self.log_end_offset = end_offset
        if self.ghosts:
            self.ghosts = tuple(ghost for ghost in self.ghosts if ghost.offset >= end_offset)
        if transactional:
            if self.transactions is None:
                self.transactions = LogTransactions()
            self.transactions.extend(transactional, {base: base + count for base, count, _, _ in batches})

    def recover(self, end_offset: Offset, batches: Sequence[Batch]) -> None:
        """All that a start found in the files of the log; what is known of its transactions stays."""
        transactions, self.transactions = self.transactions, None
        self.append(batches[0][0] if batches else end_offset, end_offset, batches)
        self.transactions = transactions

    @property
    def stable_offset(self) -> Offset:
        """Where a reader of committed records stops (exclusive): this replica's last stable offset; -1 unknown."""
        if self.transactions is None or self.high_watermark < 0:
            return self.high_watermark
        return self.transactions.stable_offset(self.high_watermark, self.log_start_offset)

    def cut(self, told: LogCut) -> None:
        """Remove [end_offset, log end): the first removed records are remembered."""
        end = told.end_offset
        if end < self.log_end_offset:
            last = min(self.log_end_offset, end + GHOSTS_MAX)
            self.ghosts = self.struck = tuple(Ghost(offset, self.epoch_at(offset)) for offset in range(end, last))
            self.newest_cut = told
            self._drop(end)
        self.log_start_offset = min(self.log_start_offset, end)
        self.high_watermark = min(self.high_watermark, end)
        self.durable_offset = min(self.durable_offset, end)
        self.claimed_offset = min(self.claimed_offset, end)

    def delete(self, start_offset: Offset) -> None:
        """What is before start_offset (inclusive start) is gone; a log that ends before begins anew there."""
        held = self.epoch_at(start_offset) if start_offset < self.log_end_offset else None
        self.epochs = [item for item in self.epochs if item[1] > start_offset]
        if held is not None and (not self.epochs or self.epochs[0][0] != held):
            self.epochs.insert(0, (held, start_offset))
        self.log_start_offset = start_offset
        self.log_end_offset = max(self.log_end_offset, start_offset)
        self.cells.drop(bisect_right(self.cells, start_offset, key=_end))

    def compact(self, end_offset: Offset, batches: Iterable[Batch]) -> None:
        """These batches are all that is left below end_offset."""
        rest = self.cells[bisect_right(self.cells, end_offset, key=_end) :]
        kept = [cell for cell in rest if cell[0] >= end_offset]
        self.cells = Journal((*batches, *kept), most=CELLS_MAX)
        self.version += 1

    def _drop(self, end_offset: Offset) -> None:
        self.version += 1
        if self.transactions is not None:
            self.transactions.cut(end_offset)
        self.cells.cut(bisect_right(self.cells, end_offset, key=_end))
        self.epochs = [item for item in self.epochs if item[1] < end_offset]
        self.log_end_offset = end_offset

    def epoch_at(self, offset: Offset) -> Epoch:
        """Epoch of the record at offset; 0 when unknown."""
        epoch_there = 0
        for epoch, start in self.epochs:
            if start > offset:
                break
            epoch_there = epoch
        return epoch_there

    def holds(self, offset: Offset, epoch: Epoch) -> bool:
        """Whether the record of that offset and epoch is there."""
        return self.log_start_offset <= offset < self.log_end_offset and self.epoch_at(offset) == epoch

    def cell_at(self, offset: Offset) -> Cell | None:
        """The cell that holds the offset; None past the end or when forgotten."""
        index = bisect_right(self.cells, offset, key=_base) - 1
        if index < 0:
            return None
        cell = Cell._make(self.cells[index])
        return cell if offset < cell.end_offset else None

    def digests(self) -> dict[Offset, str]:
        """The digest of each batch that is known, by its first offset."""
        return {base_offset: digest for base_offset, _, _, digest in self.cells}

    def since(self, offset: Offset) -> list[Batch]:
        """Batches that begin there or later."""
        return self.cells[bisect_left(self.cells, offset, key=_base) :]

    def within(self, offset: Offset, end_offset: Offset) -> Iterator[tuple[Offset, Offset, str]]:
        """(first, one past the last, digest) of what each batch has in [offset, end_offset); no digest of a hole."""
        while offset < end_offset:
            cell = self.cell_at(offset)
            upto = end_offset if cell is None else min(cell.end_offset, end_offset)
            yield offset, upto, "" if cell is None else cell.digest
            offset = upto

    def lacks(self, offset: Offset, digest: str) -> bool:
        """Whether the log certainly does not hold the batch with this digest at the offset.

        Nothing is certain of cells that were forgotten or compacted, and an empty digest says nothing.
        """
        if offset >= self.log_end_offset:
            return True
        if offset < self.cleaned_to:
            return False
        cell = self.cell_at(offset)
        return cell is not None and digest != "" and cell.digest != digest


def difference(ours: LogState, theirs: LogState, offset: Offset = 0) -> Offset | None:
    """First offset that both hold with different content, from one on that neither has compacted; None when they agree
    as far as both go.
    """
    offset = max(offset, ours.cleaned_to, theirs.cleaned_to)
    batches = {base: (epoch, digest) for base, _, epoch, digest in ours.since(offset)}
    for base, _, epoch, digest in theirs.since(offset):
        if batches.get(base, (epoch, digest)) != (epoch, digest):
            return base
    return None
