"""OffsetFetch: the offsets that a group has committed. Source: API key 9."""

from __future__ import annotations

from cluster.model.identifiers import Offset
from cluster.model.positional import Positional


class OffsetFetchRequest(Positional, kw_only=True):
    """How far is the group?"""

    group: str
    """Untrusted text."""
    partitions: tuple[tuple[str, int], ...] | None = None
    """(topic, partition) each; None for all that the group has."""
    member_id: str | None = None
    """Of a member of a group of the newer protocol; None for anybody else."""
    member_epoch: int = -1
    """Its epoch."""


class OffsetFetchResponse(Positional, kw_only=True):
    """The committed offsets."""

    error: int = 0
    """An ErrorCode that holds for all."""
    offsets: tuple[tuple[str, int, Offset, int, str], ...] = ()
    """(topic, partition, next offset to read or -1 for none, leader epoch or -1, metadata) each."""
