"""OffsetDelete: forget some offsets of a group. Source: KIP-496, API key 47."""

from __future__ import annotations

from cluster.model.positional import Positional


class OffsetDeleteRequest(Positional, kw_only=True):
    """Forget these offsets."""

    group: str
    """Untrusted text."""
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) each."""


class OffsetDeleteResponse(Positional, kw_only=True):
    """What became of each."""

    error: int = 0
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""
