"""OffsetDelete: forget some offsets of a group. Source: KIP-496, API key 47."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class OffsetDeleteRequest:
    """Forget these offsets."""

    group: str
    """Untrusted text."""
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) each."""


@dataclass(slots=True, kw_only=True)
class OffsetDeleteResponse:
    """What became of each."""

    error: int = 0
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""
