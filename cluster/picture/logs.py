"""One replica's log as its events tell it: cells, ends, what was cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.identifiers import Epoch, NodeId, Offset, TopicPartition

CELLS_MAX = 100_000


class Cell(NamedTuple):
    """One batch."""

    base_offset: Offset
    """First offset."""
    end_offset: Offset
    """Exclusive."""
    epoch: Epoch
    """Leader epoch."""
    digest: str
    """CRC of the batch as hex; empty for metadata."""


class LogCut(NamedTuple):
    """A log became shorter."""

    t_ns: int
    """Monotonic clock."""
    node: NodeId
    """Whose log."""
    topic_partition: TopicPartition
    """Which log."""
    old_end_offset: Offset
    """Before."""
    end_offset: Offset
    """After."""
    high_watermark: Offset
    """Of that replica before the cut; -1 unknown."""
    kind: str
    """truncated by the protocol, or lost when the log was found shorter at a start."""
    why: str
    """One clause."""


@dataclass(slots=True)
class LogState:
    """What is known of one log."""

    cells: list[Cell] = field(default_factory=list)
    """Ascending; the oldest are forgotten past CELLS_MAX, and those that are deleted."""
    log_start_offset: Offset = 0
    """First offset that is kept (inclusive)."""
    log_end_offset: Offset = 0
    """Exclusive."""
    high_watermark: Offset = -1
    """Exclusive; -1 unknown."""
    durable_offset: Offset = 0
    """Exclusive: survives a power loss."""
    claimed_offset: Offset = 0
    """Exclusive: what fsync said is durable."""
    ghosts: list[Cell] = field(default_factory=list)
    """Cells removed by the newest cut."""

    def append(self, cells: list[Cell], end_offset: Offset) -> None:
        """Put cells at the end; what lies at or past the first is replaced."""
        if cells and cells[0].base_offset < self.log_end_offset:
            self._drop(cells[0].base_offset)
        self.cells.extend(cells)
        self.log_end_offset = end_offset
        if len(self.cells) > 2 * CELLS_MAX:
            del self.cells[:CELLS_MAX]

    def cut(self, end_offset: Offset) -> None:
        """Remove [end_offset, log end); the removed cells are ghosts until the next cut."""
        self.ghosts = self._drop(end_offset)
        self.durable_offset = min(self.durable_offset, end_offset)
        self.claimed_offset = min(self.claimed_offset, end_offset)

    def delete(self, start_offset: Offset) -> None:
        """What is before start_offset (inclusive start) is gone; a log that ends before begins anew there."""
        self.log_start_offset = start_offset
        self.log_end_offset = max(self.log_end_offset, start_offset)
        kept = bisect_right(self.cells, start_offset, key=lambda cell: cell.end_offset)
        del self.cells[:kept]

    def _drop(self, end_offset: Offset) -> list[Cell]:
        gone: list[Cell] = []
        while self.cells and self.cells[-1].end_offset > end_offset:
            gone.append(self.cells.pop())
        self.log_end_offset = end_offset
        return gone[::-1]

    def cell_at(self, offset: Offset) -> Cell | None:
        """The cell that holds the offset; None past the end or when forgotten."""
        index = bisect_right(self.cells, offset, key=lambda cell: cell.base_offset) - 1
        if index < 0 or self.cells[index].end_offset <= offset:
            return None
        return self.cells[index]

    def within(self, offset: Offset, end_offset: Offset) -> Iterator[tuple[Offset, Offset, str]]:
        """(first, one past the last, digest) of what each batch has in [offset, end_offset); no digest of a hole."""
        while offset < end_offset:
            cell = self.cell_at(offset)
            upto = end_offset if cell is None else min(cell.end_offset, end_offset)
            yield offset, upto, "" if cell is None else cell.digest
            offset = upto

    def lacks(self, offset: Offset, digest: str) -> bool:
        """Whether the log certainly does not hold the batch with this digest at the offset.

        Nothing is certain of cells that were forgotten, and an empty digest says nothing.
        """
        if offset >= self.log_end_offset:
            return True
        cell = self.cell_at(offset)
        return cell is not None and digest != "" and cell.digest != digest


def first_difference(one: LogState, other: LogState) -> Offset | None:
    """First offset that both logs hold with different content; None when they agree as far as both go."""
    mine = {cell.base_offset: cell for cell in one.cells}
    for cell in other.cells:
        match = mine.get(cell.base_offset)
        if match is not None and (match.digest, match.epoch) != (cell.digest, cell.epoch):
            return cell.base_offset
    return None
