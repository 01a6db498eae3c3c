"""InitProducerId, AllocateProducerIds, DescribeProducers: who writes, and with which id."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.positional import Positional


class InitProducerIdRequest(Positional, kw_only=True):
    """Give me an id nobody else has. Source: KIP-98, KIP-360, API key 22."""

    wire_number: ClassVar[int] = 26
    client_id: str
    """Untrusted text."""
    transactional_id: str | None = None
    """None for a producer without transactions. Untrusted text."""
    producer_id: int = -1
    """The one it had; -1 for none. Without transactions it is not looked at: a new one is given."""
    producer_epoch: int = -1
    """The one it had; -1 for none."""
    transaction_timeout_ms: int = 60_000
    """How long a transaction of its may be open."""


class InitProducerIdResponse(Positional, kw_only=True):
    """A fresh id, or why not."""

    wire_number: ClassVar[int] = 27
    error: ErrorCode = ErrorCode.NONE
    producer_id: int = -1
    """Without transactions never given before; -1 with an error."""
    producer_epoch: int = -1
    """0 for a fresh id; larger than any before of the same transactional id; -1 with an error."""


class AllocateProducerIdsRequest(Positional, kw_only=True):
    """Give me the next block. Source: KIP-730, API key 67."""

    wire_number: ClassVar[int] = 28
    broker_id: NodeId
    broker_epoch: int


class AllocateProducerIdsResponse(Positional, kw_only=True):
    """A block that is committed, or why not."""

    wire_number: ClassVar[int] = 29
    error: ErrorCode = ErrorCode.NONE
    producer_id_start: int = -1
    """First id of the block (inclusive); -1 with an error."""
    producer_id_count: int = 0
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class DescribeProducersRequest(Positional, kw_only=True):
    """Who writes here? Source: KIP-664, API key 61."""

    wire_number: ClassVar[int] = 38
    topic: str
    partition: int


class DescribeProducersResponse(Positional, kw_only=True):
    """What is remembered of each."""

    wire_number: ClassVar[int] = 39
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    producers: tuple[tuple[int, int, int, int, int, Offset], ...] = ()
    """(producer id, producer epoch, sequence number of its last record, timestamp of its last batch in ms, epoch of the
    coordinator that wrote its last marker or -1, first offset of its open transaction or -1) each."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""


ProducerMessage: TypeAlias = (
    InitProducerIdRequest
    | InitProducerIdResponse
    | AllocateProducerIdsRequest
    | AllocateProducerIdsResponse
    | DescribeProducersRequest
    | DescribeProducersResponse
)
