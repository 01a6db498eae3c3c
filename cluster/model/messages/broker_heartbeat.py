"""BrokerHeartbeat: a broker is alive and has read this far. Source: KIP-631, API key 63."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.positional import Positional


class BrokerHeartbeatRequest(Positional, kw_only=True):
    """I am alive."""

    broker_id: NodeId
    """Who."""
    broker_epoch: int
    """From registration."""
    metadata_offset: Offset
    """Offset of the last applied metadata record; -1 for none."""
    want_fence: bool
    """Asks to stay or become fenced."""
    want_shut_down: bool
    """Asks for a controlled shutdown."""


class BrokerHeartbeatResponse(Positional, kw_only=True):
    """Your state."""

    error: int = 0
    """An ErrorCode."""
    is_caught_up: bool = False
    """It has applied its own registration."""
    is_fenced: bool = True
    """Out of service."""
    should_shut_down: bool = False
    """Leaderships are moved: it may go."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
