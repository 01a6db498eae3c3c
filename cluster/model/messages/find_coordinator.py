"""FindCoordinator: which broker serves a group. Source: API key 10."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class FindCoordinatorRequest(Positional, kw_only=True):
    """Who coordinates this group?"""

    group: str
    """Its name; untrusted text."""


class FindCoordinatorResponse(Positional, kw_only=True):
    """The leader of the group's partition of __consumer_offsets."""

    error: int = 0
    """An ErrorCode."""
    group: str
    """As asked."""
    coordinator: NodeId = NO_NODE
    """The broker; -1 with an error."""
