"""Fetch, OffsetForLeaderEpoch, AlterPartition, ReportLogEnd: followers copy a log, and somebody must lead.

Kafka asks for many partitions in one request; here it is one request for each partition.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, EpochEnd, NodeId, Offset, SnapshotId
from cluster.model.positional import Positional


class FetchRequest(Positional, kw_only=True):
    """Give me what follows my log end. Source: KIP-595, KIP-320, API key 1."""

    wire_number: ClassVar[int] = 6
    replica_id: NodeId
    """Who fetches; -1 for a consumer."""
    broker_epoch: int = -1
    """Registration epoch of the fetching broker; -1 unknown."""
    topic: str
    partition: int
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the fetcher believes in; -1 skips the check."""
    fetch_offset: Offset
    """First offset wanted: the log end offset of a replica."""
    last_fetched_epoch: Epoch = NO_EPOCH
    """Epoch of the fetcher's last record; 0 for an empty metadata log; -1 skips the divergence check."""
    high_watermark: Offset = UNKNOWN_OFFSET
    """The fetcher's own high watermark; the leader answers at once when its own is larger (metadata log only)."""
    max_wait_ms: int = 500
    """How long an empty answer may be held."""
    log_start_offset: Offset = 0
    """Of a follower: where its own log begins (inclusive)."""
    max_bytes: int = 1_048_576
    """Soft limit of the answer; one whole batch is always given."""
    directory_id: str = ""
    """Of the disk of a node of a dynamic quorum; empty in all other fetches."""
    adopted_epoch: Epoch = NO_EPOCH
    """Of a follower by majority: newest leader epoch with whose beginning its log is whole."""
    client_rack: str | None = None
    """Of a consumer that reads from followers too: its rack, empty for none; None for who reads from leaders only."""
    read_committed: bool = False
    """Of a consumer that reads nothing of transactions that are open or were aborted."""


class FetchResponse(Positional, kw_only=True):
    """Records, or where the logs part."""

    wire_number: ClassVar[int] = 7
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    leader_id: NodeId = NO_NODE
    """Leader the answerer knows."""
    leader_epoch: Epoch = NO_EPOCH
    high_watermark: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 unknown."""
    log_start_offset: Offset = 0
    """Inclusive."""
    log_end_offset: Offset = UNKNOWN_OFFSET
    """With OFFSET_OUT_OF_RANGE: where the answerer's log ends; Kafka's follower asks ListOffsets for it."""
    records: bytes = b""
    diverging: EpochEnd | None = None
    """Largest epoch the logs may share and its exclusive end on the leader."""
    snapshot: SnapshotId | None = None
    """The leader of the metadata log has deleted what is wanted: fetch this instead (KIP-630)."""
    epoch_start_offset: Offset = UNKNOWN_OFFSET
    """To a follower by majority: where the leader's epoch begins."""
    preferred_read_replica: NodeId = NO_NODE
    """To a consumer: the replica to read from instead; then there are no records. -1 for none (KIP-392)."""
    last_stable_offset: Offset = UNKNOWN_OFFSET
    """To a consumer that reads committed records: exclusive; from here on transactions are open. -1 for others."""
    aborted: tuple[tuple[int, Offset], ...] = ()
    """To such a consumer: (producer id, first offset) of each aborted transaction among what it is given."""


class OffsetForLeaderEpochRequest(Positional, kw_only=True):
    """A follower in mode kip101 or kip279 asks before it fetches. Source: KIP-101, KIP-279, API key 23."""

    wire_number: ClassVar[int] = 22
    replica_id: NodeId
    topic: str
    partition: int
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the follower believes in; -1 skips the check, as before KIP-320."""
    leader_epoch: Epoch
    """Of the follower's last record."""


class OffsetForLeaderEpochResponse(Positional, kw_only=True):
    """The end of that epoch on the leader."""

    wire_number: ClassVar[int] = 23
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    leader_epoch: Epoch = NO_EPOCH
    """The largest epoch the leader has that is not above the asked one; -1 in mode kip101, which does not return it."""
    end_offset: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 when the leader cannot tell."""


class AlterPartitionRequest(Positional, kw_only=True):
    """Make this the ISR. Source: KIP-497, KIP-841, API key 56."""

    wire_number: ClassVar[int] = 12
    broker_id: NodeId
    broker_epoch: int
    topic: str
    topic_id: int
    """Guards against a recreated topic."""
    partition: int
    leader_epoch: Epoch
    """As the leader knows it."""
    partition_epoch: int
    """As the leader knows it."""
    new_isr: tuple[tuple[NodeId, int], ...]
    """(replica, its broker epoch) each; -1 skips the epoch check."""
    recovering: bool = False
    """Leader recovery state to set."""


class AlterPartitionResponse(Positional, kw_only=True):
    """The committed ISR, or why not."""

    wire_number: ClassVar[int] = 13
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    leader_epoch: Epoch = -1
    """After the change."""
    partition_epoch: int = -1
    """After the change."""
    isr: tuple[NodeId, ...] = ()
    """After the change."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
    recovering: bool = False
    """Leader recovery state after the change."""


class ReportLogEndRequest(Positional, kw_only=True):
    """My partition by majority has no leader in this epoch: here my log ends, and of leaders before I take nothing.

    Kafka has no such request. Source: Raft's RequestVote and Viewstamped Replication's DoViewChange, turned around.
    """

    wire_number: ClassVar[int] = 84
    broker_id: NodeId
    broker_epoch: int
    topic: str
    topic_id: int
    """Guards against a recreated topic."""
    partition: int
    leader_epoch: Epoch
    adopted_epoch: Epoch
    """Newest leader epoch with whose beginning the log is whole; -1 for none."""
    log_end_offset: Offset


class ReportLogEndResponse(Positional, kw_only=True):
    """Heard, or why not."""

    wire_number: ClassVar[int] = 85
    error: ErrorCode = ErrorCode.NONE
    topic: str
    partition: int
    leader_id: NodeId = NO_NODE


ReplicationMessage: TypeAlias = (
    FetchRequest
    | FetchResponse
    | OffsetForLeaderEpochRequest
    | OffsetForLeaderEpochResponse
    | AlterPartitionRequest
    | AlterPartitionResponse
    | ReportLogEndRequest
    | ReportLogEndResponse
)
