"""ElectLeaders: run an election for one partition. Source: KIP-183, KIP-460, API key 43."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class ElectLeadersRequest(Positional, kw_only=True):
    """Elect."""

    topic: str
    """Topic name."""
    partition: int
    """Index."""
    unclean: bool
    """False elects the preferred leader; true allows loss."""


class ElectLeadersResponse(Positional, kw_only=True):
    """Done, or why not."""

    error: int = 0
    """An ErrorCode."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
