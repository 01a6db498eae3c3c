"""DeleteGroups: forget empty groups and their offsets. Source: KIP-229, API key 42."""

from __future__ import annotations

from cluster.model.positional import Positional


class DeleteGroupsRequest(Positional, kw_only=True):
    """Forget these groups."""

    groups: tuple[str, ...]
    """Untrusted text."""


class DeleteGroupsResponse(Positional, kw_only=True):
    """What became of each."""

    groups: tuple[tuple[str, int], ...] = ()
    """(group, ErrorCode) in the order of the request."""
