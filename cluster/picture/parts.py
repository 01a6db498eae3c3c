"""Parts of the folded cluster: nodes, vote rounds, partitions, what is not committed yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.entry import EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.ruling import Decision
from cluster.picture.part import Part, SharedPart

LIVING = ("starting", "running", "stopping")
ALIVE = (*LIVING, "paused")
LYING = ("FsyncLie", "FsyncLieDir")
"""Faults of a disk that has not written what it says."""
STOPPING = ("Pause", "Freeze")
"""Faults of a process that make it stand still until they are healed."""


class FaultState(NamedTuple):
    """A fault in force."""

    fault_id: int
    """Unique in the run."""
    kind: str
    arguments: str
    """As in the command grammar."""
    t_ns: int
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction between nodes that it is about."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Fields of the command that name no node."""

    def number(self, name: str) -> int:
        """A parameter; 0 when the fault has none of that name, or no number there."""
        text = dict(self.parameters).get(name, "")
        return int(text) if text.isdecimal() and len(text) < 13 else 0


@dataclass(slots=True)
class NodeState(Part):
    """One node of the cluster."""

    node_id: NodeId
    roles: tuple[str, ...] = ()
    """controller, broker or both."""
    stage: str = "unknown"
    """unknown, starting, running, stopping, down, whether it is paused or not."""
    since_ns: int = 0
    """When process last changed."""
    incarnation: int = 0
    """Which start, from 0."""
    pid: int = 0
    """Of the newest start."""
    exit_code: int = 0
    """Of the newest exit; negative for a signal."""
    wanted_port: int = 0
    """Port that another program has while the node is to start; 0 when nothing is waited for."""
    broker_state: str = ""
    """The broker's own life cycle."""
    broker_epoch: int = -1
    """Of its newest registration."""
    fenced: bool | None = None
    """As the active controller decided; None before the first decision."""
    faults: dict[int, FaultState] = field(default_factory=dict)
    """In force and about this node, by id."""
    storage_error: str = ""
    """The newest refusal of the disk in this incarnation."""
    has_lied: bool = False
    """An fsync of its disk lied, and no fault of its disk was healed since."""
    power_losses: int = 0
    """How often its files were cut to what was durable."""
    power_lost: bool = False
    """From a power loss until the next start."""
    quorum_role: str = ""
    """unattached, prospective, candidate, leader, follower, resigned, observer; empty while down."""
    quorum_epoch: Epoch = 0
    """As it knows it."""
    quorum_leader: NodeId = NO_NODE
    """As it knows it."""
    voted_for: NodeId = NO_NODE
    directory_id: str = ""
    """Of its disk, in a dynamic quorum; empty else."""
    voters: tuple[tuple[NodeId, str], ...] = ()
    """Of a dynamic quorum: (voter, id of its disk) as this node's log has them."""
    voters_told: bool = False
    """Whether it has told of voters: the quorum is dynamic."""

    @property
    def process(self) -> str:
        """unknown, starting, running, paused, stopping, down."""
        return "paused" if self.stage in LIVING and any(map(self.suffers, STOPPING)) else self.stage

    def suffers(self, kind: str) -> bool:
        """Whether a fault of this class is in force and about this node."""
        return any(fault.kind == kind for fault in self.faults.values())

    @property
    def is_up(self) -> bool:
        """Whether its process runs, also while it is asked to stop; a paused one does not."""
        return self.process in ("running", "stopping")


@dataclass(slots=True)
class VoteRound(Part):
    """One candidate's round."""

    t_ns: int
    epoch: Epoch
    candidate_id: NodeId
    pre_vote: bool
    """Not binding."""
    voters: tuple[NodeId, ...]
    """Whom it may ask, itself included."""
    needed: int
    """Votes that win it."""
    answers: dict[NodeId, bool] = field(default_factory=dict)
    """Voter to yes or no, as far as known."""
    reasons: dict[NodeId, str] = field(default_factory=dict)
    """Why a voter refused."""
    led_to: set[EventId] = field(default_factory=set)
    """Its beginning, and changes of role that a request of it led to: an answer follows from one of them."""
    won: bool = False
    """Whether the candidate leads by this round."""

    @property
    def granted_count(self) -> int:
        """Yes so far, itself included."""
        return sum(self.answers.values())


class Election(NamedTuple):
    """A leader was elected, of the quorum or of a partition."""

    t_ns: int
    topic_partition: TopicPartition
    """METADATA for the quorum."""
    epoch: Epoch
    """Quorum epoch or leader epoch."""
    leader: NodeId
    """-1 when a partition became leaderless."""
    unclean: bool
    """The election may lose records."""


class Lag(NamedTuple):
    """A follower that its leader finds behind, and for how long it was when the leader said so."""

    caught_up_ns: int
    """When it was caught up last."""
    limit_ms: int
    """replica.lag.time.max.ms."""

    def left_ms(self, t_ns: int) -> int:
        """Until it was behind for longer than allowed; from 0 on it is out when the leader looks next,
        unless it has caught up in part: the leader tells of that when it looks."""
        return max(0, self.limit_ms - max(0, t_ns - self.caught_up_ns) // 1_000_000)


class WantedIsr(NamedTuple):
    """An ISR that a leader has asked for, or a controller has decided of itself."""

    isr: tuple[NodeId, ...] = ()
    before: tuple[NodeId, ...] = ()
    """The ISR that it is to replace."""
    why: str = ""
    decision: Decision | None = None
    """What the leader compared."""


class IsrChange(NamedTuple):
    """A change of an ISR that is committed."""

    t_ns: int
    left: tuple[NodeId, ...]
    joined: tuple[NodeId, ...]
    wanted: WantedIsr | None
    """What led to it; None when that was not told."""


@dataclass(slots=True)
class PartitionState(SharedPart):
    """Committed state of one partition: as a broker applied it, or as the metadata log committed what was decided."""

    topic_partition: TopicPartition
    leader: NodeId = NO_NODE
    """-1 leaderless."""
    leader_epoch: Epoch = -1
    """-1 when nothing is known."""
    partition_epoch: int = -1
    """-1 when nothing is known."""
    isr: tuple[NodeId, ...] = ()
    elr: tuple[NodeId, ...] = ()
    replicas: tuple[NodeId, ...] = ()
    """In assignment order."""
    adding_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that a reassignment brings in."""
    removing_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that leave when it is completed."""
    min_insync_replicas: int = 1
    """Effective."""
    by_majority: bool = False
    """Whether a majority of the replicas commits; the ISR is all of them then."""
    decided_leader_epoch: Epoch = -1
    """Of the newest decision of an active controller, which may be lost with it."""
    lagging: dict[NodeId, Lag | None] = field(default_factory=dict)
    """Members of the ISR that the leader finds behind; None where it did not say since when."""
    wanted: WantedIsr = WantedIsr()
    """The ISR that is asked for or decided."""
    change: IsrChange | None = None
    """The newest change of the ISR."""

    @property
    def member_word(self) -> str:
        """What a member of the ISR is called; by majority all replicas are, and nobody has to be in sync."""
        return "replica" if self.by_majority else "in sync"


class CommittedLoss(NamedTuple):
    """Committed records that no replica holds any more."""

    t_ns: int
    topic_partition: TopicPartition
    record_count: int
    node: NodeId
    """Who had the last copy."""
