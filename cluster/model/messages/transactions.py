"""AddPartitionsToTxn and its neighbours: a producer writes to several partitions, all or nothing.

Kafka asks for many transactions or partitions in one request; here it is one transaction, and for
markers one partition.
Source: KIP-98, KIP-890.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class AddPartitionsToTxnRequest(Positional, kw_only=True):
    """My transaction writes to these, too. Source: API key 24."""

    wire_number: ClassVar[int] = 86
    transactional_id: str
    """Untrusted text, as everywhere below."""
    producer_id: int
    producer_epoch: int
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) each."""
    verify_only: bool = False
    """A broker asks whether they are part of it, before it appends; nothing is added."""


class AddPartitionsToTxnResponse(Positional, kw_only=True):
    """Added, or why not."""

    wire_number: ClassVar[int] = 87
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode that holds for all; NONE when each has its own."""
    partitions: tuple[tuple[str, int, int], ...] = ()
    """(topic, partition, ErrorCode) in the order of the request."""


class AddOffsetsToTxnRequest(Positional, kw_only=True):
    """My transaction commits offsets of this group. Source: API key 25."""

    wire_number: ClassVar[int] = 88
    transactional_id: str
    producer_id: int
    producer_epoch: int
    group: str


class AddOffsetsToTxnResponse(Positional, kw_only=True):
    """The group's partition of __consumer_offsets is part of it, or why not."""

    wire_number: ClassVar[int] = 89
    error: ErrorCode = ErrorCode.NONE


class EndTxnRequest(Positional, kw_only=True):
    """Commit or abort it. Source: API key 26."""

    wire_number: ClassVar[int] = 90
    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    bumps_epoch: bool = False
    """The producer goes on with the epoch of the answer: version 5 and later (KIP-890)."""


class EndTxnResponse(Positional, kw_only=True):
    """It is decided, or why not; the markers follow."""

    wire_number: ClassVar[int] = 91
    error: ErrorCode = ErrorCode.NONE
    producer_id: int = -1
    """To go on with; -1 for the same."""
    producer_epoch: int = -1
    """To go on with; -1 for the same."""


class WriteTxnMarkersRequest(Positional, kw_only=True):
    """A coordinator tells a partition's leader how a transaction ended. Source: API key 27."""

    wire_number: ClassVar[int] = 92
    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    """With bumps_epoch one that no record of the transaction has."""
    coordinator_epoch: Epoch
    """Leader epoch of the transaction's partition of __transaction_state."""
    committed: bool
    bumps_epoch: bool = False
    """The producer's epoch grew with the end of the transaction (KIP-890)."""


class WriteTxnMarkersResponse(Positional, kw_only=True):
    """The marker is committed, or why not."""

    wire_number: ClassVar[int] = 93
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""


class OffsetsDecided(Positional, kw_only=True):
    """A marker in __consumer_offsets is committed: its leader tells the coordinator of groups on the same broker.

    Kafka calls GroupCoordinator.completeTransaction instead.
    """

    wire_number: ClassVar[int] = 94
    partition: int
    producer_id: int
    committed: bool
    offset: Offset = UNKNOWN_OFFSET
    """Of the marker."""


class DescribeTransactionsRequest(Positional, kw_only=True):
    """How are these? Source: KIP-664, API key 65."""

    wire_number: ClassVar[int] = 97
    transactional_ids: tuple[str, ...]


class DescribeTransactionsResponse(Positional, kw_only=True):
    """What the coordinator knows of each."""

    wire_number: ClassVar[int] = 98
    transactions: tuple[tuple[int, str, str, int, int, int, int, tuple[tuple[str, int], ...]], ...] = ()
    """(ErrorCode, transactional id, state, timeout in ms, ms since its start or -1, producer id, producer epoch,
    partitions) each."""


class ListTransactionsRequest(Positional, kw_only=True):
    """Which are there? Source: KIP-664, KIP-994, API key 66."""

    wire_number: ClassVar[int] = 99
    states: tuple[str, ...] = ()
    """Only those in one of these; empty for all."""
    producer_ids: tuple[int, ...] = ()
    """Only of these; empty for all."""
    duration_ms: int = -1
    """Only those that have been open for longer; -1 for all."""


class ListTransactionsResponse(Positional, kw_only=True):
    """Those of the answering broker."""

    wire_number: ClassVar[int] = 108
    error: ErrorCode = ErrorCode.NONE
    unknown_states: tuple[str, ...] = ()
    """Asked for, and no state of a transaction."""
    transactions: tuple[tuple[str, int, str], ...] = ()
    """(transactional id, producer id, state) each."""


TransactionMessage: TypeAlias = (
    AddPartitionsToTxnRequest
    | AddPartitionsToTxnResponse
    | AddOffsetsToTxnRequest
    | AddOffsetsToTxnResponse
    | EndTxnRequest
    | EndTxnResponse
    | WriteTxnMarkersRequest
    | WriteTxnMarkersResponse
    | OffsetsDecided
    | DescribeTransactionsRequest
    | DescribeTransactionsResponse
    | ListTransactionsRequest
    | ListTransactionsResponse
)
