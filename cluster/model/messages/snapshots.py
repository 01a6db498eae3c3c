"""FetchSnapshot: a node that is behind the log start fetches a snapshot in chunks. Source: KIP-630."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, Epoch, NodeId, SnapshotId
from cluster.model.positional import Positional


class FetchSnapshotRequest(Positional, kw_only=True):
    """Give me this snapshot from that byte on. Source: API key 59."""

    wire_number: ClassVar[int] = 70
    replica_id: NodeId
    current_leader_epoch: Epoch
    """Quorum epoch the fetcher is in."""
    snapshot_id: SnapshotId
    """As the leader named it in answer to a fetch."""
    position: int
    """First byte wanted: so many it has."""
    max_bytes: int
    directory_id: str = ""
    """Of the fetcher's disk; empty in a static quorum. Source: KIP-853, ReplicaDirectoryId."""


class FetchSnapshotResponse(Positional, kw_only=True):
    """A chunk of it, or why not."""

    wire_number: ClassVar[int] = 71
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; SNAPSHOT_NOT_FOUND when it is gone, POSITION_OUT_OF_RANGE past its end."""
    leader_id: NodeId = NO_NODE
    """Leader the answerer knows."""
    leader_epoch: Epoch = NO_EPOCH
    snapshot_id: SnapshotId
    size_bytes: int = 0
    """Of the whole snapshot."""
    position: int = 0
    """Of the first byte of data."""
    data: bytes = b""


SnapshotMessage: TypeAlias = FetchSnapshotRequest | FetchSnapshotResponse
