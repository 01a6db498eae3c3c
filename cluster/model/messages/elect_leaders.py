"""ElectLeaders: run an election for one partition. Source: KIP-183, KIP-460, API key 43."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.identifiers import NO_NODE, NodeId


@dataclass(slots=True, kw_only=True)
class ElectLeadersRequest:
    """Elect."""

    topic: str
    """Topic name."""
    partition: int
    """Index."""
    unclean: bool
    """False elects the preferred leader; true allows loss."""


@dataclass(slots=True, kw_only=True)
class ElectLeadersResponse:
    """Done, or why not."""

    error: int = 0
    """An ErrorCode."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
