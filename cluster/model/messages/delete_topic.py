"""DeleteTopic: remove one topic with all its records. Source: API key 20, KIP-516."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.identifiers import NO_NODE, NodeId


@dataclass(slots=True, kw_only=True)
class DeleteTopicRequest:
    """Remove it."""

    topic: str
    """Its name."""


@dataclass(slots=True, kw_only=True)
class DeleteTopicResponse:
    """Decided and committed, or why not; brokers drop their logs when they have read of it."""

    error: int = 0
    """An ErrorCode."""
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
