"""OffsetCommit: how far a group has read. Source: API key 8."""

from __future__ import annotations

from cluster.model.identifiers import Offset
from cluster.model.positional import Positional


class OffsetCommitRequest(Positional, kw_only=True):
    """Remember these offsets."""

    group: str
    """Untrusted text."""
    generation: int = -1
    """The member's, or its member epoch in a group of the newer protocol; -1 for a consumer that is in no group."""
    member_id: str = ""
    """As given by JoinGroup; empty with generation -1."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    offsets: tuple[tuple[str, int, Offset, int, str], ...]
    """(topic, partition, next offset to read, leader epoch or -1, metadata) each."""
    knows_member_epochs: bool = False
    """Version 9 or newer: what it calls the generation may be a member epoch."""


class OffsetCommitResponse(Positional, kw_only=True):
    """What became of each."""

    error: int = 0
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""
