"""Heartbeat: a member is alive, and learns whether its group rebalances. Source: API key 12."""

from __future__ import annotations

from cluster.model.positional import Positional


class HeartbeatRequest(Positional, kw_only=True):
    """I am still here."""

    group: str
    """Untrusted text."""
    generation: int
    """The member's."""
    member_id: str
    """As given by JoinGroup."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""


class HeartbeatResponse(Positional, kw_only=True):
    """Go on, or join again."""

    error: int = 0
    """An ErrorCode; REBALANCE_IN_PROGRESS asks the member to join again."""
