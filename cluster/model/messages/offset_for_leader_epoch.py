"""OffsetForLeaderEpoch: where did a leader epoch end? Source: KIP-101, KIP-279, API key 23.

Kafka asks for many partitions in one request; here it is one request for each partition.
"""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class OffsetForLeaderEpochRequest(Positional, kw_only=True):
    """A follower in mode kip101 or kip279 asks before it fetches."""

    replica_id: NodeId
    """Who asks."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the follower believes in; -1 skips the check, as before KIP-320."""
    leader_epoch: Epoch
    """Of the follower's last record."""


class OffsetForLeaderEpochResponse(Positional, kw_only=True):
    """The end of that epoch on the leader."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    leader_epoch: Epoch = NO_EPOCH
    """The largest epoch the leader has that is not above the asked one; -1 in mode kip101, which does not return it."""
    end_offset: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 when the leader cannot tell."""
