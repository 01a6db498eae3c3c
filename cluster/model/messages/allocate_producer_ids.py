"""AllocateProducerIds: a broker gets a block of ids to give to producers. Source: KIP-730, API key 67."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class AllocateProducerIdsRequest(Positional, kw_only=True):
    """Give me the next block."""

    broker_id: NodeId
    """Who."""
    broker_epoch: int
    """Of its registration."""


class AllocateProducerIdsResponse(Positional, kw_only=True):
    """A block that is committed, or why not."""

    error: int = 0
    """An ErrorCode."""
    producer_id_start: int = -1
    """First id of the block (inclusive); -1 with an error."""
    producer_id_count: int = 0
    """How many."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
