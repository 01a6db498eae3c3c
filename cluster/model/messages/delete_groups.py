"""DeleteGroups: forget empty groups and their offsets. Source: KIP-229, API key 42."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class DeleteGroupsRequest:
    """Forget these groups."""

    groups: tuple[str, ...]
    """Untrusted text."""


@dataclass(slots=True, kw_only=True)
class DeleteGroupsResponse:
    """What became of each."""

    groups: tuple[tuple[str, int], ...] = ()
    """(group, ErrorCode) in the order of the request."""
