"""How a machine reads a log it may not write: writing is an effect."""

from __future__ import annotations

from typing import Protocol

from cluster.model.identifiers import Epoch, LogEnd, Offset
from cluster.model.leader_epochs import LeaderEpochs


class LogView(Protocol):
    """Read-only view of one replica's log. Effects are performed before the next input, so it is never stale."""

    @property
    def log_start_offset(self) -> Offset:
        """First offset kept (inclusive)."""

    @property
    def log_end_offset(self) -> Offset:
        """One past the last written record."""

    @property
    def flushed_offset(self) -> Offset:
        """One past the last record that fsync has claimed durable."""

    @property
    def last_epoch(self) -> Epoch:
        """Epoch of the last record; 0 for an empty log."""

    @property
    def leader_epochs(self) -> LeaderEpochs:
        """The epoch cache; changed only by performing effects."""

    def end(self) -> LogEnd:
        """(last_epoch, log_end_offset)."""

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None = None) -> bytes:
        """Whole batches from the one holding start_offset; at least one batch if any is there.

        Stops before end_offset (exclusive) when given. Empty at the log's end.
        OffsetError below the log start or past the end.
        """
