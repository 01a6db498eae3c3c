"""Events of snapshots of the metadata log, and of the log start that follows them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.positional import Positional


class SnapshotWritten(Positional, kw_only=True):
    """A node wrote what all records below an offset add up to."""

    name: ClassVar[str] = "raft.snapshot_written"
    end_offset: Offset
    """Exclusive."""
    epoch: Epoch
    """Of the last record below."""
    size_bytes: int
    record_count: int
    """Records that rebuild the image, without header and footer."""
    digest: str
    """Of the image, as hex: the same on every node that stands at this offset."""
    voters: tuple[NodeId, ...] = ()
    """That it names: those in force at its end; empty in a static quorum."""
    directories: tuple[str, ...] = ()
    """Of the disk of each of them, in the same order; empty ones where voters are numbers alone."""


class SnapshotLoaded(Positional, kw_only=True):
    """A node put the image of a snapshot in place of its own, at its start or after it has fetched one."""

    name: ClassVar[str] = "raft.snapshot_loaded"
    end_offset: Offset
    """Exclusive: records from here on are applied on top."""
    epoch: Epoch
    """Of the last record below."""
    record_count: int
    """Without header and footer."""
    digest: str
    """Of the image it made, as hex."""
    kept: tuple[tuple[Offset, Epoch], ...]
    """(end offset, epoch) of every good snapshot of this node, oldest first."""


class SnapshotOffered(Positional, kw_only=True):
    """The leader told a fetcher to fetch a snapshot, because its log does not hold what is wanted."""

    name: ClassVar[str] = "raft.snapshot_offered"
    replica_id: NodeId
    fetch_offset: Offset
    last_fetched_epoch: Epoch
    """Of the fetcher's last record."""
    log_start_offset: Offset
    """Of the leader (inclusive)."""
    end_offset: Offset
    """Of the snapshot (exclusive)."""
    epoch: Epoch
    """Of the snapshot."""


class SnapshotFetchBegun(Positional, kw_only=True):
    """A node asks its leader for a snapshot, and for no records meanwhile."""

    name: ClassVar[str] = "raft.snapshot_fetch_begun"
    end_offset: Offset
    """Of the snapshot (exclusive)."""
    epoch: Epoch
    """Of the snapshot."""
    leader_id: NodeId


class SnapshotFetchEnded(Positional, kw_only=True):
    """A node gave a snapshot up before it was whole; nothing of it is used."""

    name: ClassVar[str] = "raft.snapshot_fetch_ended"
    end_offset: Offset
    """Of the snapshot (exclusive)."""
    epoch: Epoch
    """Of the snapshot."""
    fetched_bytes: int
    why: str


class SnapshotInstalled(Positional, kw_only=True):
    """A node wrote a snapshot that it fetched, and its log begins anew at the end of it."""

    name: ClassVar[str] = "raft.snapshot_installed"
    end_offset: Offset
    """Exclusive: log start and log end now."""
    epoch: Epoch
    """Of the last record below."""
    size_bytes: int
    old_log_start_offset: Offset
    """Inclusive."""
    old_end_offset: Offset
    """Exclusive."""
    leader_id: NodeId
    """Who gave it."""


class MetadataLogStartAdvanced(Positional, kw_only=True):
    """A node deleted the front of its metadata log: a snapshot ends there."""

    name: ClassVar[str] = "raft.log_start_advanced"
    log_start_offset: Offset
    """First offset kept (inclusive)."""
    old_log_start_offset: Offset
    log_end_offset: Offset
    """Exclusive."""


class SnapshotDeleted(Positional, kw_only=True):
    """A node deleted a snapshot that ends before its log start."""

    name: ClassVar[str] = "raft.snapshot_deleted"
    end_offset: Offset
    """Exclusive."""
    epoch: Epoch


class SnapshotRejected(Positional, kw_only=True):
    """A snapshot is not what was written: it is never used."""

    name: ClassVar[str] = "st.snapshot_rejected"
    path: str
    """File, relative to the data folder; where it came over the network, the file that it would have become."""
    why: str
    """cut short, CRC, misnamed, no footer, ..."""
    source: NodeId
    """The leader that gave it; -1 for the own disk."""


SnapshotEvent: TypeAlias = (
    SnapshotWritten
    | SnapshotLoaded
    | SnapshotOffered
    | SnapshotFetchBegun
    | SnapshotFetchEnded
    | SnapshotInstalled
    | MetadataLogStartAdvanced
    | SnapshotDeleted
    | SnapshotRejected
)
