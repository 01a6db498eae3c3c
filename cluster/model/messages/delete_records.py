"""DeleteRecords: move the start of one partition's log forward. Source: KIP-107, API key 21."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.positional import Positional

HIGH_WATERMARK = -1
"""Offset that asks for everything that is committed."""


class DeleteRecordsRequest(Positional, kw_only=True):
    """Delete what is before this offset."""

    topic: str
    """Topic name."""
    partition: int
    """Index."""
    before_offset: Offset
    """Exclusive; -1 is the high watermark."""
    timeout_ms: int
    """How long the other replicas may take."""


class DeleteRecordsResponse(Positional, kw_only=True):
    """Every living replica has done so, or why not."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    low_watermark: Offset = -1
    """Smallest log start of the living replicas (inclusive); -1 with an error."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""
