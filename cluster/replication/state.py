"""What one broker knows of one partition it replicates."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from cluster.model.effects import SetTimer
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset, TopicPartition
from cluster.model.log_view import LogView
from cluster.model.messages import FetchRequest, ProduceRequest, WriteTxnMarkersRequest
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import BatchHeader
from cluster.model.ruling import Decision
from cluster.model.settings import Settings
from cluster.model.topic_settings import Compaction, Retention
from cluster.replication.producer_state import ProducerState
from cluster.replication.time_index import TimeIndex

CORRELATION_STEP, CORRELATION_REMAINDER = 4, 2
FETCH_TIMER = "fetch"


class ReplicaRole(StrEnum):
    """What this broker does for the partition."""

    IDLE = "idle"
    """Nothing yet, or the partition has no leader."""
    LEADER = "leader"
    FOLLOWER = "follower"


LEADS, FOLLOWS = ReplicaRole.LEADER, ReplicaRole.FOLLOWER
"""Asked for with each message; to look a member of an enum up costs four times as much."""
LEADER, FOLLOWER = str(LEADS), str(FOLLOWS)
"""As events say it."""


@dataclass(slots=True)
class FollowerState:
    """What a leader keeps of one follower. Source: Kafka ReplicaState."""

    log_end_offset: Offset = UNKNOWN_OFFSET
    """Its last fetch offset; -1 before the first fetch in this leader epoch."""
    broker_epoch: int = -1
    """Of its last fetch."""
    last_fetch_ms: int = 0
    leader_end_at_last_fetch: Offset = UNKNOWN_OFFSET
    """The leader's log end at that moment."""
    last_caught_up_ms: int = 0
    """When it last had all that the leader had; 0 for never in this leader epoch."""
    behind_since_ms: int | None = None
    """Its last_caught_up_ms as last told in the trace; None while it is not told to be behind."""
    log_start_offset: Offset = 0
    """As its last fetch said (inclusive)."""
    has_adopted: bool = False
    """By majority: whether its last fetch said that its log is whole with the beginning of this leader epoch."""
    timer: str = ""
    """Name of the timer that ends the wait of its fetch: it has one fetch at a time, so one timer."""


class WaitingProduce(Struct, gc=False):
    """An acks=all or a not yet flushed request that waits."""

    end_offset: Offset
    """Exclusive: answered once this much is committed."""
    base_offset: Offset
    sender: NodeId
    correlation: int
    client_id: str
    """Untrusted text."""
    acks: int
    deadline_ms: int
    """When the producer's timeout is over."""
    marker: WriteTxnMarkersRequest | None = None
    """What a coordinator asked for instead of a producer."""


class HeldProduce(Struct):
    """A batch of a transaction that waits for the word of the coordinator."""

    sender: NodeId
    correlation: int
    request: ProduceRequest
    header: BatchHeader


NOT_ASKED = -1


class Verifying(Struct):
    """A question to a coordinator: may this producer begin a transaction here?"""

    correlation: int
    """NOT_ASKED before it is asked, and while it is to be asked again."""
    coordinator: NodeId
    held: list[HeldProduce]
    """In the order of their coming."""
    decision: Decision
    """Why it is asked."""


class WaitingDeletion(Struct):
    """A request to delete records that waits for the followers."""

    target: Offset
    """Wanted log start (inclusive)."""
    sender: NodeId
    correlation: int
    deadline_ms: int
    """When its timeout is over."""


class PendingIsr(Struct):
    """A proposed ISR that is not committed yet."""

    isr: tuple[NodeId, ...]
    """Wanted."""
    grows: bool
    """An expansion counts at once; a shrink only when committed."""
    correlation: int = -1
    """Of the request on its way; -1 while none is."""
    members: tuple[tuple[NodeId, int], ...] = ()
    """Each of isr with the broker epoch of its last fetch when this was proposed; -1 for one that had not fetched."""


def _nobody(_transactional_id: str) -> NodeId:
    return NO_NODE


def _nowhere(_topic_partition: TopicPartition) -> bool:
    return False


@dataclass(slots=True, kw_only=True)
class Shared:
    """What all replicas of one broker share."""

    broker_id: NodeId
    settings: Settings
    broker_epoch: int = -1
    controller_id: NodeId = NO_NODE
    """The active controller as far as known."""
    broker_epochs: dict[NodeId, int] = field(default_factory=dict)
    """Brokers that may join an ISR, with their broker epochs."""
    following: set[TopicPartition] = field(default_factory=set)
    """Partitions that are fetched from their leaders."""
    coordinator_of: Callable[[str], NodeId] = _nobody
    """Who coordinates a transactional id; -1 for nobody in service."""
    exists: Callable[[TopicPartition], bool] = _nowhere
    """Whether the metadata as applied here has a partition, wherever its replicas are."""
    counter: int = 0
    asked: dict[int, TopicPartition] = field(default_factory=dict)
    """Requests on their way: correlation to the partition that waits for the answer."""

    def correlation(self, topic_partition: TopicPartition) -> int:
        """A fresh one, remembered for the answer."""
        chosen = self.fresh_correlation()
        self.asked[chosen] = topic_partition
        return chosen

    def fresh_correlation(self) -> int:
        """One that no request of this broker's replicas has had."""
        self.counter += 1
        return self.counter * CORRELATION_STEP + CORRELATION_REMAINDER


@dataclass(slots=True, kw_only=True)
class ReplicaState:
    """One replica.

    A dataclass, like all here that each step changes: to set a field of a struct costs seven times as much.
    """

    topic_partition: TopicPartition
    shared: Shared
    log: LogView
    high_watermark: Offset
    """Exclusive."""
    end_offset: Offset = 0
    """Log end offset (exclusive), counting what this step has asked to append or to cut."""
    tail: bytes = b""
    """What this step has asked to append: not readable from the log before the step is over."""
    tail_epoch: Epoch = NO_EPOCH
    """Leader epoch of what this step has asked to append as a follower; -1 for nothing."""
    role: ReplicaRole = ReplicaRole.IDLE
    committed: PartitionState | None = None
    """The newest committed state, as `commit` was told; None before the first."""
    leader_epoch: Epoch = -1
    """Of that state; -1 before the first."""
    leader: NodeId = NO_NODE
    """Of that state; -1 when there is none."""
    min_insync_replicas: int = 1
    """Of that state; effective."""
    isr_partition_epoch: int = -1
    """Of the ISR in `isr`."""
    isr: tuple[NodeId, ...] = ()
    """Committed, as far as this broker knows."""
    pending: PendingIsr | None = None
    followers: dict[NodeId, FollowerState] = field(default_factory=dict)
    epoch_start_offset: Offset = 0
    """Of a leader: where its epoch begins."""
    waiting: deque[WaitingProduce] = field(default_factory=deque)
    """Produce requests, in log order."""
    parked: dict[tuple[NodeId, int], FetchRequest] = field(default_factory=dict)
    """Fetches with nothing to answer yet, by (sender, correlation)."""
    fetch_correlation: int = -1
    """Of a follower: of the fetch on its way."""
    fetch_epoch: Epoch = -1
    """Leader epoch of that fetch."""
    quiet_rounds: int = 0
    """Of a follower: fetches in a row that brought nothing new."""
    known_epoch_start: Offset = UNKNOWN_OFFSET
    """Of a follower by majority: where its leader's epoch begins; -1 before the leader has told."""
    by_majority: bool = False
    """Whether a majority of the replicas commits, whoever they are, rather than the ISR."""
    must_ask: bool = False
    """Of a follower in mode kip101 or kip279: it has yet to learn from the leader where to cut."""
    deleting: list[WaitingDeletion] = field(default_factory=list)
    """Of a leader: requests to delete records that followers have not followed yet."""
    times: TimeIndex = field(default_factory=TimeIndex)
    """Finds records by their time."""
    producers: ProducerState = field(default_factory=ProducerState)
    """Knows how far each idempotent producer is."""
    verifying: dict[tuple[int, int], Verifying] = field(default_factory=dict)
    """By producer id and producer epoch."""
    settings: Settings = field(init=False)
    max_message_bytes: int = field(init=False)
    segment_bytes: int = 0
    """No batch is larger; 0 for no bound of the topic's own."""
    retention: Retention = Retention()
    """How much of the log its topic keeps."""
    compaction: Compaction | None = None
    """How its log is compacted; None for not at all."""
    timer_prefix: str = field(init=False)
    """Of the names of its timers."""
    adopted_epoch: Epoch = field(init=False)
    """By majority: newest leader epoch with whose beginning the log is whole, as its disk knows; -1 for none."""
    fetch_guard: SetTimer = field(init=False)
    """Asks for what a follower has on its way again when no answer comes."""

    def __post_init__(self) -> None:
        self.settings = self.shared.settings
        self.max_message_bytes = self.settings.max_message_bytes
        self.adopted_epoch = self.log.adopted_epoch
        self.timer_prefix = f"replica.{self.topic_partition}."
        self.fetch_guard = SetTimer(self.timer(FETCH_TIMER), self.settings.request_timeout_ms)

    def commit(self, committed: PartitionState) -> None:
        """Know a newer committed state."""
        self.committed = committed
        self.leader, self.leader_epoch = committed.leader, committed.leader_epoch
        self.min_insync_replicas = committed.min_insync_replicas

    @property
    def maximal_isr(self) -> tuple[NodeId, ...]:
        """The committed ISR, and who was proposed to join it. Source: Kafka PartitionState.maximalIsr."""
        # A proposal may be committed before this leader hears of it, or be refused, so both ISRs have to be served. A
        # larger one waits for one more, which loses nothing. A smaller one does not count yet: if the leader committed
        # without 2 now, and the proposal never reached the controller, 2 would still be in the ISR there, and may lead
        # next without the record.
        return self.pending.isr if self.pending is not None and self.pending.grows else self.isr

    @property
    def own_offset(self) -> Offset:
        """What the own copy counts for: the log end, or what is flushed when partitions are flushed before acks."""
        return min(self.log.flushed_offset, self.end_offset) if self.settings.flush_partitions else self.end_offset

    @property
    def owes_flush(self) -> bool:
        """Whether the own copy counts for less than it is: its last life ended between writing and flushing."""
        return self.own_offset < self.end_offset

    def timer(self, what: str) -> str:
        """Name of one of its timers."""
        return self.timer_prefix + what
