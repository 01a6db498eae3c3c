"""Events of built-in group members: what they own and what they read."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import UNKNOWN_OFFSET, Offset
from cluster.model.positional import Positional


class ConsumerAssigned(Positional, kw_only=True):
    """A member owns partitions from now on."""

    name: ClassVar[str] = "consumer.assigned"
    client_id: str
    group: str
    member_id: str
    generation: int
    added: tuple[tuple[str, int], ...]
    """(topic, partition) that are new."""
    owned: tuple[tuple[str, int], ...]
    """All that it owns now."""


class ConsumerRevoked(Positional, kw_only=True):
    """A member owns some partitions no more: it was asked to give them up, or learned that they were taken."""

    name: ClassVar[str] = "consumer.revoked"
    client_id: str
    group: str
    member_id: str
    generation: int
    """In which it owned them."""
    revoked: tuple[tuple[str, int], ...]
    """(topic, partition) each."""
    is_lost: bool
    """Whether they were gone before it could commit."""


class ConsumerPositioned(Positional, kw_only=True):
    """A member knows where it begins to read a partition."""

    name: ClassVar[str] = "consumer.positioned"
    client_id: str
    group: str
    member_id: str
    topic: str
    partition: int
    offset: Offset
    why: str
    """committed, reset (nothing was committed), out_of_range (the log does not have that offset)."""


class ConsumerPolled(Positional, kw_only=True):
    """A member has read records, and counts them as processed."""

    name: ClassVar[str] = "consumer.polled"
    client_id: str
    group: str
    member_id: str
    generation: int
    """In which it owns the partition."""
    topic: str
    partition: int
    base_offset: Offset
    count: int
    values: tuple[str, ...]
    """Their values cut short, at most 200."""
    end_offset: Offset = UNKNOWN_OFFSET
    """Where it goes on (exclusive), when records between were compacted away; -1: right after these records."""


class ConsumerCommitted(Positional, kw_only=True):
    """A member's commit has ended."""

    name: ClassVar[str] = "consumer.committed"
    client_id: str
    group: str
    member_id: str
    generation: int
    """As it was sent."""
    error: int
    """An ErrorCode, or -1 for no answer."""
    offsets: tuple[tuple[str, int, Offset], ...]
    """(topic, partition, next offset to read) each."""


class ConsumerEnded(Positional, kw_only=True):
    """A member is at work no more."""

    name: ClassVar[str] = "consumer.ended"
    client_id: str
    group: str
    member_id: str
    """Its id there; empty when it never had one."""
    how: str
    """left, killed, failed."""


ConsumerEvent: TypeAlias = (
    ConsumerAssigned | ConsumerRevoked | ConsumerPositioned | ConsumerPolled | ConsumerCommitted | ConsumerEnded
)
