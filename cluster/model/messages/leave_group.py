"""LeaveGroup: members go. Source: KIP-345, API key 13."""

from __future__ import annotations

from cluster.model.positional import Positional


class LeaveGroupRequest(Positional, kw_only=True):
    """Remove these members."""

    group: str
    """Untrusted text."""
    members: tuple[tuple[str, str], ...]
    """(member id, instance id) each; an empty member id names a static member by its instance id."""


class LeaveGroupResponse(Positional, kw_only=True):
    """What became of each."""

    error: int = 0
    """An ErrorCode; when it is not NONE, nothing was done."""
    members: tuple[tuple[str, str, int], ...] = ()
    """(member id, instance id, ErrorCode) in the order of the request."""
