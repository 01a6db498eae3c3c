"""DescribeProducers: the idempotent producers that a leader remembers. Source: KIP-664, API key 61."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class DescribeProducersRequest(Positional, kw_only=True):
    """Who writes here?"""

    topic: str
    """Topic name."""
    partition: int
    """Index."""


class DescribeProducersResponse(Positional, kw_only=True):
    """What is remembered of each."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    producers: tuple[tuple[int, int, int, int], ...] = ()
    """(producer id, producer epoch, sequence number of its last record, timestamp of its last batch in ms) each."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""
