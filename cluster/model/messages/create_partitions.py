"""CreatePartitions: give one topic more partitions. Source: KIP-195, API key 37."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class CreatePartitionsRequest(Positional, kw_only=True):
    """Have it have this many."""

    topic: str
    """Its name."""
    count: int
    """Partitions it is to have, those it has included."""
    assignments: tuple[tuple[NodeId, ...], ...] = ()
    """Replicas of each new partition, in order; empty lets the controller place them."""
    validate_only: bool = False
    """Only say whether it could be done."""


class CreatePartitionsResponse(Positional, kw_only=True):
    """Done, or why not."""

    error: int = 0
    """An ErrorCode."""
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
