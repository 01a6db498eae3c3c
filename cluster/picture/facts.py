"""What is known of a cluster: what the folds write."""

from __future__ import annotations

from collections import Counter

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.picture.logs import LogCut, LogState
from cluster.picture.parts import (
    AckedRange,
    ClientState,
    Decisions,
    Election,
    FaultState,
    GroupFacts,
    NodeState,
    PartitionView,
    VoteRound,
)


class ClusterFacts:
    """Everything that the events so far say."""

    __slots__ = (
        "acked",
        "active_controller",
        "clients",
        "consumed",
        "cuts",
        "decisions",
        "deleted",
        "elections",
        "entries",
        "errors",
        "faults",
        "groups",
        "logs",
        "nodes",
        "partitions",
        "quorum_epoch",
        "quorum_leader",
        "rejected_commands",
        "rounds",
        "run_ended",
        "t_ns",
        "title",
        "topics",
        "voters",
        "world",
    )

    def __init__(self) -> None:
        self.title = ""
        """Of the run."""
        self.world = ""
        """processes or simulated."""
        self.run_ended = False
        """The lab said the end."""
        self.t_ns = 0
        """Monotonic time of the newest entry."""
        self.entries = 0
        """How many entries were applied."""
        self.nodes: dict[NodeId, NodeState] = {}
        """All controllers and brokers seen."""
        self.voters: tuple[NodeId, ...] = ()
        """Of the quorum."""
        self.quorum_epoch: Epoch = 0
        """Highest epoch in which a leader was elected."""
        self.quorum_leader: NodeId = NO_NODE
        """Leader of that epoch while it is known to lead; -1 else."""
        self.active_controller: NodeId = NO_NODE
        """-1 when none is."""
        self.rounds: list[VoteRound] = []
        """Newest vote rounds, oldest first, at most 64."""
        self.elections: list[Election] = []
        """All, of quorum and partitions, oldest first."""
        self.logs: dict[tuple[NodeId, TopicPartition], LogState] = {}
        """Each replica's log, metadata included."""
        self.cuts: list[LogCut] = []
        """All truncations and losses at a start, oldest first."""
        self.topics: dict[str, int] = {}
        """Topic to its number of partitions."""
        self.deleted: dict[str, Offset] = {}
        """Topic that was deleted to where the metadata log ended then (exclusive): what was applied by then is over."""
        self.partitions: dict[TopicPartition, PartitionView] = {}
        """Data partitions."""
        self.decisions = Decisions()
        """Not known to be committed."""
        self.groups: dict[str, GroupFacts] = {}
        """Consumer groups by name."""
        self.faults: dict[int, FaultState] = {}
        """In force, by id."""
        self.rejected_commands: list[tuple[str, str]] = []
        """(command, why)."""
        self.clients: dict[str, ClientState] = {}
        """By client id."""
        self.acked: dict[TopicPartition, list[AckedRange]] = {}
        """What clients were told is written."""
        self.consumed: dict[TopicPartition, Counter[Offset]] = {}
        """Offsets that consumers got, and how often."""
        self.errors: Counter[tuple[str, int]] = Counter()
        """(function, error code) that clients met, retried ones included."""

    def node(self, node_id: NodeId) -> NodeState:
        """That node, made when new."""
        found = self.nodes.get(node_id)
        if found is None:
            found = self.nodes[node_id] = NodeState(node_id)
        return found

    def log(self, node_id: NodeId, topic_partition: TopicPartition) -> LogState:
        """That replica's log, made when new."""
        found = self.logs.get((node_id, topic_partition))
        if found is None:
            found = self.logs[node_id, TopicPartition(*topic_partition)] = LogState()
        return found

    def partition(self, topic_partition: TopicPartition) -> PartitionView:
        """That partition, made when new."""
        found = self.partitions.get(topic_partition)
        if found is None:
            found = self.partitions[topic_partition] = PartitionView()
        return found
