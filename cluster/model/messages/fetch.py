"""Fetch: followers, observers and consumers pull one partition. Source: KIP-595, KIP-320, API key 1.

Kafka asks for many partitions in one request; here it is one request for each partition.
"""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, EpochEnd, NodeId, Offset
from cluster.model.positional import Positional


class FetchRequest(Positional, kw_only=True):
    """Give me what follows my log end."""

    replica_id: NodeId
    """Who fetches; -1 for a consumer."""
    broker_epoch: int = -1
    """Registration epoch of the fetching broker; -1 unknown."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the fetcher believes in; -1 skips the check."""
    fetch_offset: Offset
    """First offset wanted: the log end offset of a replica."""
    last_fetched_epoch: Epoch = NO_EPOCH
    """Epoch of the fetcher's last record; 0 for an empty metadata log; -1 skips the divergence check."""
    high_watermark: Offset = UNKNOWN_OFFSET
    """The fetcher's own high watermark; the leader answers at once when its own is larger (metadata log only)."""
    max_wait_ms: int = 500
    """How long an empty answer may be held."""
    log_start_offset: Offset = 0
    """Of a follower: where its own log begins (inclusive)."""
    max_bytes: int = 1_048_576
    """Soft limit of the answer; one whole batch is always given."""


class FetchResponse(Positional, kw_only=True):
    """Records, or where the logs part."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    leader_id: NodeId = NO_NODE
    """Leader the answerer knows."""
    leader_epoch: Epoch = NO_EPOCH
    """Its epoch."""
    high_watermark: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 unknown."""
    log_start_offset: Offset = 0
    """Inclusive."""
    log_end_offset: Offset = UNKNOWN_OFFSET
    """With OFFSET_OUT_OF_RANGE: where the answerer's log ends; Kafka's follower asks ListOffsets for it."""
    records: bytes = b""
    """Whole encoded batches."""
    diverging: EpochEnd | None = None
    """Largest epoch the logs may share and its exclusive end on the leader."""
