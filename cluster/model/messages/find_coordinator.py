"""FindCoordinator: which broker serves a group. Source: API key 10."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.identifiers import NO_NODE, NodeId


@dataclass(slots=True, kw_only=True)
class FindCoordinatorRequest:
    """Who coordinates this group?"""

    group: str
    """Its name; untrusted text."""


@dataclass(slots=True, kw_only=True)
class FindCoordinatorResponse:
    """The leader of the group's partition of __consumer_offsets."""

    error: int = 0
    """An ErrorCode."""
    group: str
    """As asked."""
    coordinator: NodeId = NO_NODE
    """The broker; -1 with an error."""
