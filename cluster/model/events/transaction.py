"""Events of transactions and of those who coordinate them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional

TRANSACTIONS_TOLD_MAX = 100
"""A coordinator that is loaded tells of so many at most."""


class TransactionStateChanged(Positional, kw_only=True):
    """A coordinator wrote down how a transaction stands, and that is committed."""

    name: ClassVar[str] = "txn.state_changed"
    transactional_id: str
    """Untrusted text, as everywhere below."""
    producer_id: int
    producer_epoch: int
    state: str
    before: str
    """Empty for a new transactional id."""
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) of all that are part of it now."""
    why: str
    offset: Offset = UNKNOWN_OFFSET
    """Of its record in the partition of __transaction_state."""
    started_ms: int = -1
    """When its transaction began, on the coordinator's clock; -1 for none."""


class TransactionRefused(Positional, kw_only=True):
    """A coordinator refused a request of a producer."""

    name: ClassVar[str] = "txn.refused"
    transactional_id: str
    request: str
    """Its name in Kafka's protocol."""
    producer_id: int
    producer_epoch: int
    error: int
    """An ErrorCode, never 0."""
    state: str
    """Of the transactional id; empty for one that is not known."""
    known_epoch: int = -1
    """The producer epoch that the coordinator knows; -1 for none."""


class TransactionCoordinatorLoaded(Positional, kw_only=True):
    """A broker has read a partition of __transaction_state: it coordinates what stands in it."""

    name: ClassVar[str] = "txn.coordinator_loaded"
    partition: int
    leader_epoch: Epoch
    end_offset: Offset
    """Exclusive: so much was read."""
    transactions: tuple[tuple[str, str, int, int], ...]
    """(transactional id, state, producer id, producer epoch) each; the first few."""


class TransactionCoordinatorResigned(Positional, kw_only=True):
    """A broker coordinates the transactions of a partition no more."""

    name: ClassVar[str] = "txn.coordinator_resigned"
    partition: int
    leader_epoch: Epoch
    transactions: int


class MarkersSent(Positional, kw_only=True):
    """A coordinator tells leaders how a transaction ended."""

    name: ClassVar[str] = "txn.markers_sent"
    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    partitions: tuple[tuple[str, int, NodeId], ...]
    """(topic, partition, leader) each."""


class MarkerWritten(Positional, kw_only=True):
    """A leader wrote into a partition how a transaction ended there."""

    name: ClassVar[str] = "txn.marker_written"
    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    committed: bool
    offset: Offset
    """Of the marker."""
    first_offset: Offset
    """Of the transaction's first record here; -1 when the log has none of it."""
    coordinator_epoch: Epoch
    by_client: bool = False
    """An administrator asked for it, and no coordinator has decided it."""


class MarkerRefused(Positional, kw_only=True):
    """A leader did not write a marker."""

    name: ClassVar[str] = "txn.marker_refused"
    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    committed: bool
    coordinator_epoch: Epoch
    error: int
    """An ErrorCode; 0 when the transaction is ended here already."""


class PartitionVerified(Positional, kw_only=True):
    """A leader heard from the coordinator whether a producer may begin a transaction in its partition."""

    name: ClassVar[str] = "txn.partition_verified"
    topic: str
    partition: int
    transactional_id: str
    producer_id: int
    producer_epoch: int
    error: int
    """An ErrorCode; 0 when it may."""
    added: bool
    """The question made the partition part of the transaction (KIP-890, version 2)."""


class CommittedRecordsGiven(Positional, kw_only=True):
    """A replica gave records to a consumer with isolation.level=read_committed, and said what in them is aborted."""

    name: ClassVar[str] = "txn.records_given"
    topic: str
    partition: int
    fetch_offset: Offset
    """What the consumer asked for."""
    end_offset: Offset
    """Of what it was given (exclusive)."""
    last_stable_offset: Offset
    """Of this replica (exclusive): where such a consumer stops."""
    high_watermark: Offset
    """Of this replica (exclusive)."""
    aborted: tuple[tuple[int, Offset], ...]
    """(producer id, first offset) of each aborted transaction that the consumer is to leave out."""


TransactionEvent: TypeAlias = (
    TransactionStateChanged
    | TransactionRefused
    | TransactionCoordinatorLoaded
    | TransactionCoordinatorResigned
    | MarkersSent
    | MarkerWritten
    | MarkerRefused
    | PartitionVerified
    | CommittedRecordsGiven
)
