"""Events of data partitions."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class BecameLeader(Positional, kw_only=True):
    """A broker began to lead a partition."""

    name: ClassVar[str] = "part.became_leader"
    topic: str
    partition: int
    leader_epoch: Epoch
    """New."""
    epoch_start_offset: Offset
    """Its log end offset."""
    high_watermark: Offset
    isr: tuple[NodeId, ...]
    """Committed."""


class BecameFollower(Positional, kw_only=True):
    """A broker began to follow."""

    name: ClassVar[str] = "part.became_follower"
    topic: str
    partition: int
    leader_epoch: Epoch
    """New."""
    leader: NodeId
    """-1 leaderless."""
    log_end_offset: Offset
    high_watermark: Offset


class ReplicaAppended(Positional, kw_only=True):
    """A replica wrote records."""

    name: ClassVar[str] = "rep.appended"
    topic: str
    partition: int
    base_offset: Offset
    count: int
    end_offset: Offset
    """Exclusive."""
    leader_epoch: Epoch
    """Of the last batch."""
    batches: tuple[tuple[Offset, int, Epoch, str], ...]
    """(base offset, count, leader epoch, crc as hex) each."""
    role: str
    """leader or follower."""
    size_bytes: int
    sequences: tuple[tuple[Offset, int, int, int], ...] = ()
    """(base offset, producer id, producer epoch, base sequence) of each batch of an idempotent producer."""
    leader_high_watermark: Offset = UNKNOWN_OFFSET
    """What the answer that brought them to a follower said of the leader's; -1 on a leader and in older traces."""
    transactional: tuple[tuple[Offset, int, int, str], ...] = ()
    """(base offset, producer id, producer epoch, what) of each batch that is part of a transaction: data, commit or
    abort."""


class ReplicaTruncated(Positional, kw_only=True):
    """A replica cut its log."""

    name: ClassVar[str] = "rep.truncated"
    topic: str
    partition: int
    end_offset: Offset
    """New end."""
    old_end_offset: Offset
    """Old end."""
    high_watermark: Offset
    """Its own before the cut."""
    mode: str
    """How it was found where to cut: hw, kip101, kip279 or fetch."""
    why: str
    high_watermark_after: Offset = UNKNOWN_OFFSET
    """Its own after the cut; -1 in older traces."""


class CorruptBatchRefused(Positional, kw_only=True):
    """A follower was sent bytes that fail their CRC or do not continue its log; it writes none and asks again."""

    name: ClassVar[str] = "rep.corrupt_batch"
    topic: str
    partition: int
    leader_id: NodeId
    offset: Offset
    """First one that it lacks."""
    base_offset: Offset = -1
    """Of a batch that begins in what the follower has: the logs differ. -1 for bytes that are wrong."""


class LogStartAdvanced(Positional, kw_only=True):
    """A replica deleted records from the front of its log."""

    name: ClassVar[str] = "rep.log_start_advanced"
    topic: str
    partition: int
    log_start_offset: Offset
    """First offset that is kept (inclusive); past the log's end, the log begins anew there."""
    old_log_start_offset: Offset
    """Before."""
    high_watermark: Offset
    role: str
    """leader or follower."""


class SegmentsExpired(Positional, kw_only=True):
    """A replica found segments at the front of its log that its topic's retention lets go."""

    name: ClassVar[str] = "rep.segments_expired"
    topic: str
    partition: int
    setting: str
    """retention.ms or retention.bytes."""
    limit: int
    """Its value: milliseconds or bytes."""
    segments: tuple[tuple[Offset, Offset, int, int], ...]
    """(first offset, end offset (exclusive), bytes, newest time in ms since 1970) each, oldest first."""
    kept_bytes: int
    """Of the segments that stay."""
    wall_ms: int
    """The machine's wall clock, in ms since 1970."""
    role: str
    """leader or follower: each replica looks after its own log."""


class CleaningBegan(Positional, kw_only=True):
    """A replica compacts the closed segments of its log."""

    name: ClassVar[str] = "rep.cleaning_began"
    topic: str
    partition: int
    dirty_offset: Offset
    """From here on nothing was compacted before (inclusive)."""
    end_offset: Offset
    """Exclusive: up to here it is compacted now."""
    high_watermark: Offset
    """Its own, exclusive."""
    active_offset: Offset
    """First of the segment that is written to."""
    role: str
    """leader or follower: each replica looks after its own log."""


class ReadReplicaChosen(Positional, kw_only=True):
    """A leader told a consumer to read from a replica in its own rack. Source: KIP-392."""

    name: ClassVar[str] = "rep.read_replica_chosen"
    topic: str
    partition: int
    leader_epoch: Epoch
    rack: str
    """Of the consumer. Untrusted text."""
    replica_id: NodeId
    """Where it is to read."""
    fetch_offset: Offset
    """What it reads next."""


class FollowerRead(Positional, kw_only=True):
    """A replica that does not lead gave a consumer records. Source: KIP-392."""

    name: ClassVar[str] = "rep.follower_read"
    topic: str
    partition: int
    leader_epoch: Epoch
    """In which it follows."""
    fetch_offset: Offset
    """What the consumer asked for."""
    end_offset: Offset
    """Of what it was given (exclusive)."""
    high_watermark: Offset
    """Of this replica (exclusive)."""
    rack: str
    """Of the consumer; empty for none. Untrusted text."""


class ReplicaDiverged(Positional, kw_only=True):
    """A leader told a follower where their logs part."""

    name: ClassVar[str] = "rep.diverged"
    topic: str
    partition: int
    replica_id: NodeId
    fetch_offset: Offset
    last_fetched_epoch: Epoch
    """Of its last record."""
    diverging_epoch: Epoch
    """The leader's largest epoch that is not above it."""
    diverging_end_offset: Offset
    """Its end on the leader."""


class EpochEndAnswered(Positional, kw_only=True):
    """A leader told a follower where an epoch ends (modes kip101 and kip279)."""

    name: ClassVar[str] = "rep.epoch_end"
    topic: str
    partition: int
    replica_id: NodeId
    asked_epoch: Epoch
    """Of its last record."""
    found_epoch: Epoch
    """Largest epoch here that is not above it; -1 when not told (mode kip101) or not known."""
    end_offset: Offset
    """Its end here; -1 when not known."""


class EpochAdopted(Positional, kw_only=True):
    """A replica by majority holds all with which a leader's epoch began; from then on it counts in that epoch."""

    name: ClassVar[str] = "rep.epoch_adopted"
    topic: str
    partition: int
    leader_epoch: Epoch
    epoch_start_offset: Offset
    """Where the epoch begins."""
    log_end_offset: Offset


class LogEndReported(Positional, kw_only=True):
    """A replica by majority without a leader tells the controllers where its log ends."""

    name: ClassVar[str] = "rep.log_end_reported"
    topic: str
    partition: int
    leader_epoch: Epoch
    """The one without a leader: of those before it takes nothing any more."""
    adopted_epoch: Epoch
    """Newest leader epoch with whose beginning its log is whole; -1 for none."""
    log_end_offset: Offset


class FetchRefused(Positional, kw_only=True):
    """A leader or former leader refused a fetch."""

    name: ClassVar[str] = "rep.fetch_refused"
    topic: str
    partition: int
    replica_id: NodeId
    error: int
    their_epoch: Epoch
    """Leader epoch in the request."""
    our_epoch: Epoch
    """Leader epoch known here."""


class FollowerProgress(Positional, kw_only=True):
    """The leader learned how far a follower is."""

    name: ClassVar[str] = "rep.follower_progress"
    topic: str
    partition: int
    replica_id: NodeId
    log_end_offset: Offset
    leader_log_end_offset: Offset


class HighWatermarkAdvanced(Positional, kw_only=True):
    """Records below are committed as far as this replica knows."""

    name: ClassVar[str] = "rep.high_watermark_advanced"
    topic: str
    partition: int
    high_watermark: Offset
    """Exclusive."""
    leader_epoch: Epoch
    role: str
    """leader or follower."""
    log_end_offsets: tuple[tuple[NodeId, Offset], ...]
    """What a leader counted; empty on a follower."""
    leader_high_watermark: Offset = UNKNOWN_OFFSET
    """What the leader told a follower, which may have less; -1 on a leader and in older traces."""


class IsrProposed(Positional, kw_only=True):
    """A leader asked for another ISR."""

    name: ClassVar[str] = "isr.proposed"
    topic: str
    partition: int
    isr: tuple[NodeId, ...]
    """Wanted."""
    old_isr: tuple[NodeId, ...]
    """Committed now."""
    leader_epoch: Epoch
    partition_epoch: int
    why: str


class IsrCommitted(Positional, kw_only=True):
    """A leader learned that its ISR is committed."""

    name: ClassVar[str] = "isr.committed"
    topic: str
    partition: int
    isr: tuple[NodeId, ...]
    """Committed."""
    partition_epoch: int
    """New."""


class IsrRefused(Positional, kw_only=True):
    """A proposal came back refused."""

    name: ClassVar[str] = "isr.refused"
    topic: str
    partition: int
    error: int


class ReplicaLagging(Positional, kw_only=True):
    """A follower has been behind for more than half of replica.lag.time.max.ms, or caught up.

    Told again when the leader looks and finds it behind since a later time: it has caught up in part.
    """

    name: ClassVar[str] = "isr.lagging"
    topic: str
    partition: int
    replica_id: NodeId
    lagging: bool
    """False when caught up."""


class ProduceRefused(Positional, kw_only=True):
    """A broker refused records."""

    name: ClassVar[str] = "produce.refused"
    topic: str
    partition: int
    client_id: str
    """Untrusted text."""
    error: int
    acks: int
    sequence: tuple[int, ...] = ()
    """Producer id, producer epoch, base sequence and records of a batch that does not fit; else empty."""


class ProduceAnswered(Positional, kw_only=True):
    """A broker answered a producer: one request, or several whose records lie side by side."""

    name: ClassVar[str] = "produce.answered"
    topic: str
    partition: int
    client_id: str
    """Untrusted text."""
    error: int
    acks: int
    base_offset: Offset
    count: int
    kafka_client: bool = False
    """Whether a Kafka client asked, over this broker's listener; older traces do not tell."""


ReplicaEvent: TypeAlias = (
    BecameLeader
    | BecameFollower
    | ReplicaAppended
    | ReplicaTruncated
    | CorruptBatchRefused
    | LogStartAdvanced
    | SegmentsExpired
    | CleaningBegan
    | ReadReplicaChosen
    | FollowerRead
    | ReplicaDiverged
    | EpochEndAnswered
    | EpochAdopted
    | LogEndReported
    | FetchRefused
    | FollowerProgress
    | HighWatermarkAdvanced
    | IsrProposed
    | IsrCommitted
    | IsrRefused
    | ReplicaLagging
    | ProduceRefused
    | ProduceAnswered
)
