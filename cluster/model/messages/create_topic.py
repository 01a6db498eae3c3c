"""CreateTopic: make one topic. Source: API key 19."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class CreateTopicRequest(Positional, kw_only=True):
    """Create it."""

    topic: str
    """Its name."""
    partitions: int
    """How many."""
    replication_factor: int
    """Copies of each."""
    min_insync_replicas: int = 1
    """Least ISR size for acks=all."""
    assignment: tuple[NodeId, ...] = ()
    """Replicas of every partition in order; empty lets the controller place them."""


class CreateTopicResponse(Positional, kw_only=True):
    """Done, or why not."""

    error: int = 0
    """An ErrorCode."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
