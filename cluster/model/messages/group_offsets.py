"""OffsetCommit, OffsetFetch, OffsetDelete: how far groups have read."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Offset
from cluster.model.positional import Positional


class OffsetCommitRequest(Positional, kw_only=True):
    """Remember these offsets. Source: API key 8."""

    wire_number: ClassVar[int] = 54
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


class TxnOffsetCommitRequest(Positional, kw_only=True):
    """Remember these offsets if the transaction commits. Source: KIP-98, KIP-447, API key 28."""

    wire_number: ClassVar[int] = 95
    group: str
    """Untrusted text, as the transactional id."""
    transactional_id: str
    producer_id: int
    producer_epoch: int
    generation: int = -1
    """As in OffsetCommit; -1 for a producer that does not say whose offsets they are."""
    member_id: str = ""
    instance_id: str = ""
    offsets: tuple[tuple[str, int, Offset, int, str], ...]
    """(topic, partition, next offset to read, leader epoch or -1, metadata) each."""
    adds_partition: bool = False
    """The group's partition becomes part of the transaction with this request: version 5 and later (KIP-890)."""


class TxnOffsetCommitResponse(Positional, kw_only=True):
    """What became of each."""

    wire_number: ClassVar[int] = 96
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""


class OffsetCommitResponse(Positional, kw_only=True):
    """What became of each."""

    wire_number: ClassVar[int] = 55
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""


class OffsetFetchRequest(Positional, kw_only=True):
    """How far is the group? Source: API key 9."""

    wire_number: ClassVar[int] = 56
    group: str
    """Untrusted text."""
    partitions: tuple[tuple[str, int], ...] | None = None
    """(topic, partition) each; None for all that the group has."""
    member_id: str | None = None
    """Of a member of a group of the newer protocol; None for anybody else."""
    member_epoch: int = -1
    require_stable: bool = False
    """Say so of partitions for which a transaction that is open has offsets."""


class OffsetFetchResponse(Positional, kw_only=True):
    """The committed offsets."""

    wire_number: ClassVar[int] = 57
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode that holds for all."""
    offsets: tuple[tuple[str, int, Offset, int, str], ...] = ()
    """(topic, partition, next offset to read or -1 for none, leader epoch or -1, metadata) each."""
    unstable: tuple[tuple[str, int], ...] = ()
    """(topic, partition) of those that a transaction that is open may change; only for who asked."""


class OffsetDeleteRequest(Positional, kw_only=True):
    """Forget these offsets. Source: KIP-496, API key 47."""

    wire_number: ClassVar[int] = 64
    group: str
    """Untrusted text."""
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) each."""


class OffsetDeleteResponse(Positional, kw_only=True):
    """What became of each."""

    wire_number: ClassVar[int] = 65
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""


GroupOffsetMessage: TypeAlias = (
    TxnOffsetCommitRequest
    | TxnOffsetCommitResponse
    | OffsetCommitRequest
    | OffsetCommitResponse
    | OffsetFetchRequest
    | OffsetFetchResponse
    | OffsetDeleteRequest
    | OffsetDeleteResponse
)
