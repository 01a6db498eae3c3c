"""Everything a node may ask of its world. List order is the contract: durable before sent."""

from __future__ import annotations

from typing import TypeAlias

from cluster.model.events import Event
from cluster.model.identifiers import Epoch, NodeId, Offset, SnapshotId, TopicPartition
from cluster.model.messages import Message
from cluster.model.metadata_records import MetadataRecord
from cluster.model.positional import Positional
from cluster.model.ruling import Decision


class Emit(Positional):
    """Write one event to the trace before any later effect is done."""

    event: Event
    decision: Decision | None = None
    """The rule that decided it, when one did."""


class Send(Positional):
    """Send a request or a response."""

    target: NodeId
    """A node or a client."""
    message: Message
    correlation: int
    """Fresh for a request; the request's own for a response."""


class SetTimer(Positional):
    """Fire `name` once, delay_ms to delay_ms + jitter_ms from now; the world draws. Replaces a timer of that name."""

    name: str
    """Unique within the node."""
    delay_ms: int
    jitter_ms: int = 0
    """Largest extra wait (exclusive)."""


class CancelTimer(Positional):
    """Forget a timer; nothing happens when it is not set."""

    name: str


class PersistElection(Positional):
    """Write quorum-state atomically and fsync it before the next effect. Source: KIP-595."""

    epoch: Epoch
    """Current epoch."""
    leader_id: NodeId
    """-1 when unknown."""
    voted_for: NodeId
    """-1 when no vote was given."""
    voted_directory_id: str = ""
    """Of the disk of the one it voted for; empty where voters are numbers alone."""


class Append(Positional):
    """Write whole encoded batches at the log's end (page cache only)."""

    topic_partition: TopicPartition
    records: bytes
    """Batches with offsets and leader epochs already set."""


class Flush(Positional):
    """fsync the log; answered by Flushed."""

    topic_partition: TopicPartition


class Truncate(Positional):
    """Cut the log and its epoch cache; flushed before the next effect."""

    topic_partition: TopicPartition
    end_offset: Offset
    """New log end offset (exclusive)."""


class AssignEpoch(Positional):
    """Enter a leader epoch in the epoch cache and its checkpoint."""

    topic_partition: TopicPartition
    epoch: Epoch
    """The new leader epoch."""
    start_offset: Offset
    """First offset it will write."""


class AdoptEpoch(Positional):
    """Write down, durably, the newest leader epoch with whose beginning the log is whole."""

    topic_partition: TopicPartition
    epoch: Epoch


class AdvanceLogStart(Positional):
    """Drop what a log holds before start_offset, durably; a log that ends before it begins anew there, empty."""

    topic_partition: TopicPartition
    start_offset: Offset
    """First offset that is kept (inclusive)."""


class WriteSnapshot(Positional):
    """Put a snapshot of the metadata log into its file: whole and durable before the next effect, or not at all."""

    snapshot_id: SnapshotId
    data: bytes
    """As encode_snapshot makes it."""


class InstallSnapshot(Positional):
    """Write a snapshot that was fetched, then have the metadata log begin anew at its end, empty."""

    snapshot_id: SnapshotId
    data: bytes
    """Checked by who asks for it."""


class DeleteSnapshots(Positional):
    """Remove the snapshots of the metadata log that end before this one."""

    before: SnapshotId


class CleanLog(Positional):
    """Compact the segments of a log below end_offset, where one of them ends."""

    topic_partition: TopicPartition
    end_offset: Offset
    """Exclusive; all below is committed, and in no segment that is written to."""
    delete_retention_ms: int
    """How long a tombstone stays after it was compacted first."""
    wall_ms: int
    """The machine's wall clock, ms since 1970."""


class RollSegment(Positional):
    """Close the newest segment of a log, flushed, and go on in a new one."""

    topic_partition: TopicPartition
    why: str
    """The setting because of which."""


class ReadWallClock(Positional):
    """Ask for the machine's wall clock; answered by WallClockRead."""


class CheckpointHighWatermark(Positional):
    """Remember the high watermark for the next start (replication-offset-checkpoint); written lazily."""

    topic_partition: TopicPartition
    high_watermark: Offset
    """Exclusive."""


class Propose(Positional):
    """Ask the quorum to append metadata records as one batch; `then` is done once they are committed."""

    records: tuple[MetadataRecord, ...]
    """In order."""
    then: tuple[Send | Emit, ...] = ()
    """Answers that wait for the commit; on lost leadership the node answers NOT_CONTROLLER instead."""


class StopNode(Positional):
    """The node may end now, in order (exit 0, clean-shutdown marker)."""

    broker_epoch: int = -1
    """Kept in the clean-shutdown marker."""


class HaltNode(Positional):
    """The node must not go on: exit 1 without a marker."""

    why: str


Effect: TypeAlias = (
    Emit
    | Send
    | SetTimer
    | CancelTimer
    | PersistElection
    | Append
    | Flush
    | Truncate
    | AssignEpoch
    | AdoptEpoch
    | AdvanceLogStart
    | WriteSnapshot
    | InstallSnapshot
    | DeleteSnapshots
    | CleanLog
    | RollSegment
    | ReadWallClock
    | CheckpointHighWatermark
    | Propose
    | StopNode
    | HaltNode
)
