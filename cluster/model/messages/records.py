"""Produce, ListOffsets, DeleteRecords: clients write records, find them by their time, and drop the oldest.

Kafka asks for many partitions in one request; here it is one request for each partition.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class ProduceRequest(Positional, kw_only=True):
    """Append these records. Source: API key 0."""

    wire_number: ClassVar[int] = 18
    client_id: str
    """Untrusted text."""
    topic: str
    partition: int
    acks: int
    """0 none, 1 leader only, -1 all in-sync replicas."""
    timeout_ms: int
    """How long acks=all may wait."""
    records: bytes
    """One encoded batch; the leader sets offset and epoch."""
    transactional_id: str | None = None
    """Of a producer with transactions. Untrusted text."""
    adds_partition: bool = False
    """The partition becomes part of the transaction with this request: version 12 and later (KIP-890)."""
    are_keyed: bool = False
    """Each record has a key: the broker has looked when it came from a Kafka client. False when nobody has looked."""


class ProduceResponse(Positional, kw_only=True):
    """Where it went, or why not."""

    wire_number: ClassVar[int] = 19
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    base_offset: Offset = UNKNOWN_OFFSET
    """Offset of the first record, also with an error that came after it was written."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""
    leader_epoch: Epoch = NO_EPOCH
    log_start_offset: Offset = UNKNOWN_OFFSET
    """Of the leader's log; not told with errors that Kafka tells without it."""


LATEST = -1
"""Timestamp that asks for where the next record will be read: a consumer's is the high watermark."""
EARLIEST = -2
"""Timestamp that asks for the first record that is still there."""
MAX_TIMESTAMP = -3
"""Timestamp that asks for the record with the largest timestamp. Source: KIP-734."""
EARLIEST_LOCAL = -4
"""Timestamp that asks for the first record that is not only in tiered storage: here the first. Source: KIP-405."""
LATEST_TIERED = -5
"""Timestamp that asks for the last record in tiered storage: here there is none. Source: KIP-1005."""


class ListOffsetsRequest(Positional, kw_only=True):
    """Which record is the first at that time or later? Source: KIP-79, KIP-734, KIP-207, API key 2."""

    wire_number: ClassVar[int] = 24
    replica_id: NodeId = NO_NODE
    """Who asks; -1 for a consumer, who sees nothing from the high watermark on."""
    topic: str
    partition: int
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the asker believes in; -1 skips the check."""
    timestamp_ms: int
    """A time, or one of the special ones, which are negative."""
    read_committed: bool = False
    """A consumer that sees nothing from the last stable offset on."""


class ListOffsetsResponse(Positional, kw_only=True):
    """The record that was found, or why not."""

    wire_number: ClassVar[int] = 25
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    timestamp_ms: int = -1
    """Of that record; -1 for LATEST and EARLIEST, and when there is no such record."""
    offset: Offset = UNKNOWN_OFFSET
    """-1 when there is no such record."""
    leader_epoch: Epoch = NO_EPOCH
    """Of that record; for LATEST of the leader. -1 when not known."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""


HIGH_WATERMARK = -1
"""Offset that asks for everything that is committed."""


class DeleteRecordsRequest(Positional, kw_only=True):
    """Delete what is before this offset. Source: KIP-107, API key 21."""

    wire_number: ClassVar[int] = 42
    topic: str
    partition: int
    before_offset: Offset
    """Exclusive; -1 is the high watermark."""
    timeout_ms: int
    """How long the other replicas may take."""


class DeleteRecordsResponse(Positional, kw_only=True):
    """Every living replica has done so, or why not."""

    wire_number: ClassVar[int] = 43
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    low_watermark: Offset = -1
    """Smallest log start of the living replicas (inclusive); -1 with an error."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""


RecordMessage: TypeAlias = (
    ProduceRequest
    | ProduceResponse
    | ListOffsetsRequest
    | ListOffsetsResponse
    | DeleteRecordsRequest
    | DeleteRecordsResponse
)
