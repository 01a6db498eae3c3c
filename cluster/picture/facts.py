"""What is known of a cluster: what the folds write."""

from __future__ import annotations

from collections import Counter

from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, OFFSETS_TOPIC, Epoch, NodeId, Offset, TopicPartition
from cluster.model.offsets_topic import OFFSETS_PARTITIONS
from cluster.picture.asked import AckedRange, ClientState, Connection, GroupState, LoadState
from cluster.picture.decisions import Decided, Decisions
from cluster.picture.flights import Flights
from cluster.picture.logs import LogCut, LogState
from cluster.picture.part import Journal, OffsetSet, Part, own
from cluster.picture.parts import CommittedLoss, Election, FaultState, NodeState, PartitionState, VoteRound
from cluster.picture.timers import Timers


class ClusterFacts(Part):
    """Everything that the events so far say."""

    __slots__ = (
        "acked", "active_controller", "clients", "connections", "consumed", "cuts", "decisions", "deleted", "elections",
        "entries", "errors", "faults", "flights", "groups", "held_frames", "load", "logs", "losses", "newest_answer",
        "newest_epoch", "nodes", "partitions", "quorum_epoch", "quorum_leader", "rejected_commands", "rounds",
        "run_ended", "settled", "t_ns", "timers", "title", "topics", "voters", "world",
    )  # fmt: skip

    def __init__(self) -> None:
        self.title = ""
        """Of the run; untrusted text."""
        self.world = ""
        """processes or simulated."""
        self.run_ended = False
        self.t_ns = 0
        """Monotonic time of the newest entry."""
        self.entries = 0
        self.nodes: dict[NodeId, NodeState] = {}
        """All controllers and brokers seen."""
        self.voters: tuple[NodeId, ...] = ()
        self.quorum_epoch: Epoch = 0
        """Highest epoch in which a leader was elected."""
        self.quorum_leader: NodeId = NO_NODE
        """Leader of that epoch while it leads, also while others already ask for a newer epoch; -1 else."""
        self.newest_epoch: Epoch = 0
        """Highest epoch that any node has entered, elected or not."""
        self.active_controller: NodeId = NO_NODE
        self.rounds: list[VoteRound] = []
        """Newest vote rounds, oldest first, at most 64."""
        self.elections: Journal[Election] = Journal()
        """All, of quorum and partitions, oldest first."""
        self.logs: dict[tuple[NodeId, TopicPartition], LogState] = {}
        """Each replica's log, metadata included."""
        self.cuts: Journal[LogCut] = Journal()
        """All truncations and losses of records by a disk, oldest first."""
        self.losses: Journal[CommittedLoss] = Journal()
        """Committed records of which a cut took the last copy, oldest first."""
        self.topics: dict[str, int] = {}
        """Topic to its number of partitions."""
        self.deleted: dict[str, Offset] = {}
        """Topic whose end is committed to where the metadata log ended before that (exclusive)."""
        self.partitions: dict[TopicPartition, PartitionState] = {}
        self.decisions = Decisions()
        """Not known to be committed."""
        self.settled: tuple[Entry | None, tuple[Decided, ...]] = (None, ())
        """The newest entry by which decisions came true, and those."""
        self.groups: dict[str, GroupState] = {}
        self.faults: dict[int, FaultState] = {}
        """In force, by id."""
        self.held_frames: dict[tuple[NodeId, NodeId], int] = {}
        """Frames that wait on a cut link, from sender to receiver."""
        self.flights = Flights()
        self.timers = Timers()
        self.rejected_commands: Journal[tuple[str, str]] = Journal()
        """(command, why)."""
        self.clients: dict[str, ClientState] = {}
        """Built-in clients by client id."""
        self.connections: dict[tuple[NodeId, int, int], Connection] = {}
        """Of Kafka clients, by broker, its incarnation and the number of the connection."""
        self.load: LoadState | None = None
        self.newest_answer: Entry | None = None
        """What a built-in client was told last."""
        self.acked: dict[TopicPartition, Journal[AckedRange]] = {}
        """What clients were told is written."""
        self.consumed: dict[TopicPartition, OffsetSet] = {}
        """Offsets that consumers got."""
        self.errors: Counter[tuple[str, int]] = Counter()
        """(function, error code) that clients met, retried ones included."""

    def node(self, node_id: NodeId) -> NodeState:
        """That node, made when new."""
        found = self.nodes.get(node_id)
        if found is None:
            found = self.nodes[node_id] = NodeState(node_id)
        return found

    def log(self, node_id: NodeId, topic_partition: TopicPartition) -> LogState:
        """That replica's log, to change it; made when new."""
        key = node_id, topic_partition
        found = self.logs.get(key)
        if found is None:
            found = self.logs[node_id, TopicPartition(*topic_partition)] = LogState()
        elif found.is_shared:
            found = self.logs[key] = found.copy()
            found.is_shared = False
        return found

    def partition(self, topic_partition: TopicPartition) -> PartitionState:
        """That partition, to change it; made when new.

        One of a topic that is deleted is kept for nobody: who speaks of it has not heard of the end.
        """
        found = own(self.partitions, topic_partition)
        if found is None:
            found = PartitionState(topic_partition)
            if topic_partition[0] not in self.deleted:
                self.partitions[topic_partition] = found
        return found

    def holders(self, topic_partition: TopicPartition, offset: Offset, epoch: Epoch) -> list[NodeId]:
        """Nodes, also those that are down, whose log holds the record of that offset and epoch."""
        return sorted(
            node for (node, tp), log in self.logs.items() if tp == topic_partition and log.holds(offset, epoch)
        )

    @property
    def is_frozen(self) -> bool:
        """Whether every process is to stand still."""
        return any(fault.kind == "Freeze" for fault in self.faults.values())

    @property
    def offsets_partitions(self) -> int:
        """How many partitions the topic of consumer groups has; Kafka's number while none is known."""
        known = sum(tp.topic == OFFSETS_TOPIC for tp in self.partitions)
        return max(known, self.topics.get(OFFSETS_TOPIC, 0)) or OFFSETS_PARTITIONS
