"""What is known of a cluster: what the folds write."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, OFFSETS_TOPIC, Epoch, NodeId, Offset, TopicPartition
from cluster.model.offsets_topic import OFFSETS_PARTITIONS
from cluster.picture.asked import Acked, ClientState, Connection, GroupState, LoadState
from cluster.picture.commits import CommitRules
from cluster.picture.decisions import Decided, Decisions
from cluster.picture.flights import Flights
from cluster.picture.logs import Ghost, LogCut, LogState
from cluster.picture.part import Journal, OffsetSet, Part, own
from cluster.picture.parts import CommittedLoss, Election, FaultState, NodeState, PartitionState, VoteRound
from cluster.picture.timers import Timers
from cluster.picture.transactions import TransactionState
from cluster.picture.written import Written


class SessionState(NamedTuple):
    """A session that the coordinator keeps."""

    client: NodeId
    timeout_ms: int


@dataclass(slots=True)
class ZooKeeperFacts(Part):
    """The coordinator as it tells of itself. Empty in KRaft mode."""

    is_used: bool = False
    """Whether the run is in zookeeper mode."""
    controller: NodeId = NO_NODE
    """Who has created /controller; -1 while it is not there."""
    controller_epoch: Epoch = 0
    """As /controller_epoch says."""
    zxid: int = 0
    """Of the newest transaction that changed a znode."""
    znode_count: int = 0
    sessions: dict[int, SessionState] = field(default_factory=dict)
    """Open ones, by id."""
    watches: dict[str, tuple[NodeId, ...]] = field(default_factory=dict)
    """Path to the clients that will be told once of its next change."""
    heard_epochs: dict[NodeId, Epoch] = field(default_factory=dict)
    """Highest controller epoch that each broker has obeyed in its present life."""
    acting: dict[NodeId, Epoch] = field(default_factory=dict)
    """Brokers that take themselves for the controller, and the epoch in which they do: may be more than one."""

    def node_ended(self, node: NodeId) -> None:
        """What a process knew is gone with it; its session is not."""
        self.heard_epochs.pop(node, None)
        self.acting.pop(node, None)


@dataclass(slots=True, eq=False)
class ClusterFacts(Part):
    """Everything that the events so far say."""

    title: str = ""
    """What the run is called; untrusted text."""
    world: str = ""
    """processes or simulated."""
    run_ended: bool = False
    t_ns: int = 0
    """Monotonic time of the newest entry."""
    entries: int = 0
    nodes: dict[NodeId, NodeState] = field(default_factory=dict)
    """All controllers and brokers seen."""
    voters: tuple[NodeId, ...] = ()
    quorum_epoch: Epoch = 0
    """Highest epoch in which a leader was elected."""
    quorum_leader: NodeId = NO_NODE
    """Leader of that epoch while it leads, also while others already ask for a newer epoch; -1 else."""
    newest_epoch: Epoch = 0
    """Highest epoch that any node has entered, elected or not."""
    active_controller: NodeId = NO_NODE
    rounds: list[VoteRound] = field(default_factory=list)
    """Newest vote rounds, oldest first, at most 64."""
    elections: Journal[Election] = field(default_factory=Journal)
    """All, of quorum and partitions, oldest first."""
    logs: dict[tuple[NodeId, TopicPartition], LogState] = field(default_factory=dict)
    """Each replica's log, metadata included."""
    cuts: Journal[LogCut] = field(default_factory=Journal)
    """All truncations and losses of records by a disk, oldest first."""
    losses: Journal[CommittedLoss] = field(default_factory=Journal)
    """Committed records of which a cut took the last copy, oldest first."""
    topics: dict[str, int] = field(default_factory=dict)
    """Topic to its number of partitions."""
    deleted: dict[str, Offset] = field(default_factory=dict)
    """Topic whose end is committed to where the metadata log ended before that (exclusive): what was applied by
    then is over."""
    partitions: dict[TopicPartition, PartitionState] = field(default_factory=dict)
    """Those that are committed."""
    unsettled: dict[TopicPartition, PartitionState] = field(default_factory=dict)
    """Those that a controller has decided to make: nobody knows yet whether they come to be."""
    commit_rules: CommitRules = field(default_factory=CommitRules)
    """Who commits the records of each topic, and how long it took."""
    decisions: Decisions = field(default_factory=Decisions)
    """Not known to be committed."""
    settled: tuple[Entry | None, tuple[Decided, ...]] = (None, ())
    """The newest entry by which decisions came true, and those."""
    zookeeper: ZooKeeperFacts = field(default_factory=ZooKeeperFacts)
    """The coordinator, in zookeeper mode."""
    groups: dict[str, GroupState] = field(default_factory=dict)
    transactions: dict[str, TransactionState] = field(default_factory=dict)
    """By transactional id, those that changed last."""
    faults: dict[int, FaultState] = field(default_factory=dict)
    """In force, by id."""
    held_frames: dict[tuple[NodeId, NodeId], int] = field(default_factory=dict)
    """Frames that wait on a cut link, from sender to receiver."""
    flights: Flights = field(default_factory=Flights)
    timers: Timers = field(default_factory=Timers)
    rejected_commands: Journal[tuple[str, str]] = field(default_factory=Journal)
    """(command, why)."""
    clients: dict[str, ClientState] = field(default_factory=dict)
    """Built-in clients by client id."""
    connections: dict[tuple[NodeId, int, int], Connection] = field(default_factory=dict)
    """Of Kafka clients, by broker, its incarnation and the number of the connection."""
    load: LoadState | None = None
    """The newest workload of the lab, working or over; None when there was none."""
    newest_answer: Entry | None = None
    """What a built-in client was told last."""
    acked: dict[TopicPartition, Acked] = field(default_factory=dict)
    written: Written = field(default_factory=Written)
    """What records say, as far as built-in producers tell."""
    consumed: dict[TopicPartition, OffsetSet] = field(default_factory=dict)
    """Offsets that consumers got."""
    errors: Counter[tuple[str, int]] = field(default_factory=Counter)
    """(function, error code) that clients met, retried ones included."""

    def node(self, node_id: NodeId) -> NodeState:
        """That node, made when new."""
        node = self.nodes.get(node_id)
        if node is None:
            node = self.nodes[node_id] = NodeState(node_id)
        return node

    def log(self, node_id: NodeId, topic_partition: TopicPartition) -> LogState:
        """That replica's log, to change it; made when new."""
        key = node_id, topic_partition
        if key not in self.logs:
            others = [log.cleaned_to for (_, where), log in self.logs.items() if where == topic_partition]
            made = LogState(version=self.entries, cleaned_to=max(others, default=0))
            self.logs[node_id, TopicPartition(*topic_partition)] = made
        elif self.logs[key].is_shared:
            self.logs[key] = self.logs[key].copy()
            self.logs[key].is_shared = False
        return self.logs[key]

    def partition(self, topic_partition: TopicPartition) -> PartitionState:
        """That partition, to change it; made, and unsettled, when new.

        One of a topic that is deleted is kept for nobody: who speaks of it has not heard of the end.
        """
        state = own(self.partitions, topic_partition) or own(self.unsettled, topic_partition)
        if state is None:
            state = PartitionState(topic_partition)
            if topic_partition[0] not in self.deleted:
                self.unsettled[topic_partition] = state
        return state

    def gone(self, topic_partition: TopicPartition) -> set[Ghost]:
        """Records that the newest cut of some replica took, that were committed as that one or another knew, and that
        nobody holds now, be it up or down. What was deleted in order is not gone.
        """
        logs = [log for (_, where), log in self.logs.items() if where == topic_partition]
        cuts = [(log.newest_cut.high_watermark, log.ghosts) for log in logs if log.newest_cut is not None]
        committed = {ghost for high_watermark, ghosts in cuts for ghost in ghosts if ghost.offset < high_watermark}
        deleted = max((log.log_start_offset for log in logs), default=0)
        kept = {ghost for ghost in committed if any(log.holds(ghost.offset, ghost.epoch) for log in logs)}
        return {ghost for ghost in committed - kept if ghost.offset >= deleted}

    @property
    def is_frozen(self) -> bool:
        """Whether every process is to stand still."""
        return any(fault.kind == "Freeze" for fault in self.faults.values())

    @property
    def offsets_partitions(self) -> int:
        """How many partitions the topic of consumer groups has; Kafka's number while none is known."""
        count = sum(tp.topic == OFFSETS_TOPIC for tp in self.partitions)
        return max(count, self.topics.get(OFFSETS_TOPIC, 0)) or OFFSETS_PARTITIONS
