"""Produce: a client appends records to one partition. Source: API key 0."""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class ProduceRequest(Positional, kw_only=True):
    """Append these records."""

    client_id: str
    """Untrusted text."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    acks: int
    """0 none, 1 leader only, -1 all in-sync replicas."""
    timeout_ms: int
    """How long acks=all may wait."""
    records: bytes
    """One encoded batch; the leader sets offset and epoch."""


class ProduceResponse(Positional, kw_only=True):
    """Where it went, or why not."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    base_offset: Offset = UNKNOWN_OFFSET
    """Offset of the first record, also with an error that came after it was written."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""
    leader_epoch: Epoch = NO_EPOCH
    """Of that leader."""
    log_start_offset: Offset = UNKNOWN_OFFSET
    """Of the leader's log; not told with errors that Kafka tells without it."""
