"""CreateTopic: make one topic. Source: API key 19."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages.alter_configs import ToldConfig
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
    assignments: tuple[tuple[NodeId, ...], ...] = ()
    """Replicas of each partition in order; empty lets the controller place them."""
    configs: tuple[tuple[str, str], ...] = ()
    """(setting, value) each, by Kafka's names; they go before min_insync_replicas."""
    validate_only: bool = False
    """Only say whether it could be done."""


class CreateTopicResponse(Positional, kw_only=True):
    """Done, or why not."""

    error: int = 0
    """An ErrorCode."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
    reason: str = ""
    """In words; empty without an error."""
    topic_id: int = 0
    """Of the new topic."""
    configs: tuple[ToldConfig, ...] = ()
    """What it has now."""
