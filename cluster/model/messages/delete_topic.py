"""DeleteTopic: remove one topic with all its records. Source: API key 20, KIP-516."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class DeleteTopicRequest(Positional, kw_only=True):
    """Remove it."""

    topic: str
    """Its name."""


class DeleteTopicResponse(Positional, kw_only=True):
    """Decided and committed, or why not; brokers drop their logs when they have read of it."""

    error: int = 0
    """An ErrorCode."""
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
