"""SyncGroup: the leader hands in the assignment, everybody gets a part of it. Source: API key 14."""

from __future__ import annotations

from cluster.model.positional import Positional


class SyncGroupRequest(Positional, kw_only=True):
    """Give me my part; the leader sends those of all."""

    group: str
    """Untrusted text, as all text below."""
    generation: int
    """The member's."""
    member_id: str
    """As given by JoinGroup."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    protocol_type: str = ""
    """Must be the group's unless empty."""
    protocol: str = ""
    """Must be the chosen assignor unless empty."""
    assignments: tuple[tuple[str, bytes], ...] = ()
    """(member id, its part); from the leader only."""


class SyncGroupResponse(Positional, kw_only=True):
    """The member's part."""

    error: int = 0
    """An ErrorCode."""
    protocol_type: str = ""
    """Of the group."""
    protocol: str = ""
    """The chosen assignor."""
    assignment: bytes = b""
    """As the leader wrote it."""
