"""How a machine reads a log it may not write: writing is an effect."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cluster.model.identifiers import Epoch, LogEnd, Offset, SnapshotId
from cluster.model.leader_epochs import LeaderEpochs


class SegmentFacts(NamedTuple):
    """Which offsets a segment of a log holds, and its size."""

    base_offset: Offset
    """First offset it may hold."""
    end_offset: Offset
    """Exclusive: where the next one begins, or the log ends."""
    size_bytes: int
    newest_ms: int
    """Largest time of its records, in ms since 1970; where they have none, when its file was written last."""


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

    @property
    def adopted_epoch(self) -> Epoch:
        """Newest leader epoch with whose beginning the log is whole; -1 for none."""

    @property
    def cleaned_offset(self) -> Offset:
        """Up to where it was compacted (exclusive); -1 when it never was, and so has no gaps."""

    def segments(self) -> tuple[SegmentFacts, ...]:
        """Oldest first; the last one is written to."""

    def end_of_cut(self, end_offset: Offset) -> Offset:
        """Where it would end if it was cut to end_offset: after whole batches only."""

    def end(self) -> LogEnd:
        """(last_epoch, log_end_offset)."""

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None = None) -> bytes:
        """Whole batches from the one holding start_offset; at least one batch if any is there.

        Stops before end_offset (exclusive) when given. Empty at the log's end.
        OffsetError below the log start or past the end.
        """


class KeptSnapshot(NamedTuple):
    """A good snapshot on the disk."""

    snapshot_id: SnapshotId
    size_bytes: int
    last_timestamp_ms: int
    """Of the last record that it stands for."""


class SnapshotView(Protocol):
    """Read-only view of the snapshots of the metadata log. What is found to be bad is told and is none of them."""

    @property
    def kept(self) -> tuple[KeptSnapshot, ...]:
        """Oldest first."""

    @property
    def log_bytes(self) -> int:
        """Of the log that they belong to."""

    def read(self, snapshot_id: SnapshotId, position: int = 0, max_bytes: int | None = None) -> bytes | None:
        """Bytes from position on, all of them unless told; checked as a whole when asked from the start.

        None when there is no such snapshot, or when its bytes have gone bad since.
        """


class NoSnapshots:
    """Of a log that is kept whole."""

    kept: tuple[KeptSnapshot, ...] = ()
    log_bytes = 0

    def read(self, snapshot_id: SnapshotId, position: int = 0, max_bytes: int | None = None) -> bytes | None:
        """There is none."""
        return None
