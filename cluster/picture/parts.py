"""Parts of the folded cluster: nodes, vote rounds, partitions, faults, clients, consumer groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset, TopicPartition

STOPPING = ("Pause", "Freeze")
"""Faults of a process that make it stand still until they are healed."""


class FaultState(NamedTuple):
    """A fault in force."""

    fault_id: int
    """Unique in the run."""
    kind: str
    """Class name."""
    arguments: str
    """As in the command grammar."""
    t_ns: int
    """Since when."""


@dataclass(slots=True)
class NodeState:
    """One node of the cluster."""

    node_id: NodeId
    """Which."""
    roles: tuple[str, ...] = ()
    """controller, broker or both."""
    stage: str = "unknown"
    """starting, running, stopping, down, whether it is paused or not."""
    incarnation: int = 0
    """Which start, from 0."""
    pid: int = 0
    """Of the newest start."""
    exit_code: int = 0
    """Of the newest exit; negative for a signal."""
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
    power_losses: int = 0
    """How often its files were cut to what was durable."""
    quorum_role: str = ""
    """unattached, prospective, candidate, leader, follower, resigned, observer; empty while down."""
    quorum_epoch: Epoch = 0
    """As it knows it."""
    quorum_leader: NodeId = NO_NODE
    """As it knows it."""
    voted_for: NodeId = NO_NODE
    """In its epoch."""

    @property
    def process(self) -> str:
        """starting, running, paused, stopping, down."""
        is_alive = self.stage in ("starting", "running", "stopping")
        return "paused" if is_alive and any(map(self.suffers, STOPPING)) else self.stage

    def suffers(self, kind: str) -> bool:
        """Whether a fault of this class is in force and about this node."""
        return any(fault.kind == kind for fault in self.faults.values())


@dataclass(slots=True)
class VoteRound:
    """One candidate's round."""

    t_ns: int
    """When it began."""
    epoch: Epoch
    """Asked for."""
    candidate_id: NodeId
    """Who asks."""
    pre_vote: bool
    """Not binding."""
    voters: tuple[NodeId, ...]
    """Whom it may ask, itself included."""
    answers: dict[NodeId, bool] = field(default_factory=dict)
    """Voter to yes or no, as far as known."""
    reasons: dict[NodeId, str] = field(default_factory=dict)
    """Why a voter refused."""
    won: bool = False
    """Whether the candidate leads by this round."""


class Election(NamedTuple):
    """A leader was elected, of the quorum or of a partition."""

    t_ns: int
    """When."""
    topic_partition: TopicPartition
    """METADATA for the quorum."""
    epoch: Epoch
    """Quorum epoch or leader epoch."""
    leader: NodeId
    """-1 when a partition became leaderless."""
    unclean: bool
    """The election may lose records."""


@dataclass(slots=True)
class PartitionFacts:
    """One partition at one point of its metadata."""

    leader: NodeId = NO_NODE
    """-1 leaderless."""
    leader_epoch: Epoch = -1
    """-1 when nothing is known."""
    partition_epoch: int = -1
    """-1 when nothing is known."""
    isr: tuple[NodeId, ...] = ()
    """In-sync replicas."""
    elr: tuple[NodeId, ...] = ()
    """Eligible leader replicas."""
    replicas: tuple[NodeId, ...] = ()
    """In assignment order."""
    min_isr: int = 1
    """Effective."""
    why: str = ""
    """Of the decision; empty when applied."""


@dataclass(slots=True)
class PartitionView:
    """What was decided, and what was committed and applied by at least one broker."""

    decided: PartitionFacts = field(default_factory=PartitionFacts)
    """Newest decision of an active controller; may be lost with it."""
    applied: PartitionFacts = field(default_factory=PartitionFacts)
    """Newest committed state that a broker applied."""
    committed: PartitionFacts = field(default_factory=PartitionFacts)
    """Newest decision that the controller which made it saw committed."""
    lagging: set[NodeId] = field(default_factory=set)
    """Followers that the leader sees behind."""


class Decisions:
    """What controllers have decided about partitions and do not know to be committed yet."""

    __slots__ = ("_of",)

    def __init__(self) -> None:
        self._of: dict[NodeId, list[tuple[Offset, TopicPartition, PartitionFacts]]] = {}

    def note(self, node: NodeId, where: TopicPartition, facts: PartitionFacts) -> None:
        """A controller decided; where it stands in its log is told next."""
        self._of.setdefault(node, []).append((UNKNOWN_OFFSET, where, facts))

    def appended(self, node: NodeId, end_offset: Offset) -> None:
        """The log of a leader of the quorum ends there now (exclusive), with all that it has decided."""
        if node in self._of:
            self._of[node] = [
                (end_offset if end == UNKNOWN_OFFSET else end, where, facts) for end, where, facts in self._of[node]
            ]

    def committed(self, node: NodeId, high_watermark: Offset) -> list[tuple[TopicPartition, PartitionFacts]]:
        """Those that a leader of the quorum knows to be committed now."""
        waiting = self._of.pop(node, [])
        rest = [item for item in waiting if not UNKNOWN_OFFSET < item[0] <= high_watermark]
        if rest:
            self._of[node] = rest
        return [(where, facts) for end, where, facts in waiting if UNKNOWN_OFFSET < end <= high_watermark]

    def forget(self, node: NodeId) -> None:
        """It decides no more; who follows may not have what it wrote."""
        self._of.pop(node, None)


@dataclass(slots=True)
class AckedRange:
    """Records that a client was told are written."""

    topic_partition: TopicPartition
    """Where."""
    base_offset: Offset
    """First."""
    count: int
    """How many."""
    digest: str
    """Of the batch as sent: its CRC, which a broker does not change; empty when not told."""
    client_id: str
    """Who was told."""


@dataclass(slots=True)
class ClientState:
    """What one client has asked and heard."""

    client_id: str
    """Untrusted text."""
    open: dict[int, tuple[str, TopicPartition]] = field(default_factory=dict)
    """Operation to (function, partition), not answered yet."""
    succeeded: int = 0
    """Operations."""
    failed: int = 0
    """Operations that certainly did nothing."""
    unknown: int = 0
    """Operations that may or may not have happened."""
    retried: int = 0
    """Attempts after the first."""


@dataclass(slots=True)
class GroupFacts:
    """One group as the newest events tell it. Members go by the client ids under which they joined."""

    coordinator: NodeId = NO_NODE
    """The broker that spoke of it last."""
    state: str = ""
    """Empty, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, Stable, Dead."""
    generation: int = 0
    """The newest one that was heard of; of a group of the newer protocol its group epoch."""
    members: int = 0
    """How many there are."""
    owner: dict[TopicPartition, str] = field(default_factory=dict)
    """Who each partition was given to by the newest assignment."""
    moved: int = 0
    """Partitions that this assignment gave to somebody else than the one before it."""
    committed: dict[TopicPartition, Offset] = field(default_factory=dict)
    """Next offset to read."""
    given_up: dict[str, int] = field(default_factory=dict)
    """Partitions that a member gave up or lost, in all."""
    names: dict[str, str] = field(default_factory=dict)
    """Client id by member id."""

    def parts(self, member: str) -> int:
        """Partitions that a member has by the newest assignment."""
        return sum(owner == member for owner in self.owner.values())
