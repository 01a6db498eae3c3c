"""LeaveGroup: members go. Source: KIP-345, API key 13."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class LeaveGroupRequest:
    """Remove these members."""

    group: str
    """Untrusted text."""
    members: tuple[tuple[str, str], ...]
    """(member id, instance id) each; an empty member id names a static member by its instance id."""


@dataclass(slots=True, kw_only=True)
class LeaveGroupResponse:
    """What became of each."""

    error: int = 0
    """An ErrorCode; when it is not NONE, nothing was done."""
    members: tuple[tuple[str, str, int], ...] = ()
    """(member id, instance id, ErrorCode) in the order of the request."""
