"""ListGroups: the groups that one broker coordinates. Source: KIP-518, KIP-848, API key 16."""

from __future__ import annotations

from cluster.model.positional import Positional


class ListGroupsRequest(Positional, kw_only=True):
    """Which groups are there?"""

    states: tuple[str, ...] = ()
    """Only groups in these states; empty for all."""
    types: tuple[str, ...] = ()
    """Only groups of these types (classic, consumer), in any case; empty for all."""


class ListGroupsResponse(Positional, kw_only=True):
    """Names and states."""

    error: int = 0
    """An ErrorCode."""
    groups: tuple[tuple[str, str, str, str], ...] = ()
    """(group, protocol type, state, type) each."""
