"""The data of the screen's view and the questions panes ask of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, OFFSETS_TOPIC, NodeId, Offset, TopicPartition
from workbench.session.views.clients import FAULT_WORDS, ConnectionView, Key
from workbench.session.views.decided import Decided
from workbench.session.views.groups import GroupView
from workbench.session.views.nodes import (
    FaultView,
    FenceDecision,
    LinkView,
    LogLane,
    NodeView,
    PartitionView,
    SequenceRow,
    VoteRound,
)


class ViewState:
    """The whole cluster after some entries."""

    __slots__ = (
        "active_controller",
        "connections",
        "decided",
        "deleted",
        "epoch",
        "ended_epoch",
        "faults",
        "fencing",
        "frozen",
        "groups",
        "held",
        "lanes",
        "last_operation",
        "leader_id",
        "lost",
        "nodes",
        "partitions",
        "rounds",
        "rows",
        "t_ns",
        "timers",
        "title",
        "verdicts",
        "voters",
    )

    def __init__(self) -> None:
        self.nodes: dict[NodeId, NodeView] = {}
        self.voters: tuple[NodeId, ...] = ()
        self.epoch = 0
        self.leader_id = NO_NODE
        self.ended_epoch = -1
        """Newest quorum epoch whose leader is known to lead no more: nobody leads in it again."""
        self.active_controller = NO_NODE
        self.lanes: dict[tuple[NodeId, TopicPartition], LogLane] = {}
        self.partitions: dict[TopicPartition, PartitionView] = {}
        self.decided = Decided()
        self.deleted: dict[str, Offset] = {}
        """Topic that was deleted to where the metadata log ended before: what was applied by then is over."""
        self.connections: dict[Key, ConnectionView] = {}
        """Of Kafka clients, by broker, incarnation and number."""
        self.groups: dict[str, GroupView] = {}
        """Consumer groups by name."""
        self.rounds: list[VoteRound] = []
        self.rows: list[SequenceRow] = []
        self.faults: dict[int, FaultView] = {}
        self.fencing: list[FenceDecision] = []
        """Of the active controller, not committed yet."""
        self.held: dict[tuple[NodeId, NodeId], int] = {}
        self.lost: list[str] = []
        """Committed records that no replica holds any more."""
        self.last_operation: Entry | None = None
        self.verdicts: list[str] = []
        self.frozen = False
        self.title = ""
        self.timers = ""
        """How fast the run's timers are beside Kafka's; empty when that has no short answer."""
        self.t_ns = 0

    def copy(self) -> Self:
        """An independent copy for a checkpoint."""
        twin = type(self)()
        for name in ("voters", "epoch", "ended_epoch", "leader_id", "active_controller", "last_operation", "frozen",
                     "title", "timers", "t_ns"):  # fmt: skip
            setattr(twin, name, getattr(self, name))
        twin.nodes = {key: node.copy() for key, node in self.nodes.items()}
        twin.lanes = {key: lane.copy() for key, lane in self.lanes.items()}
        twin.partitions = {key: item.copy() for key, item in self.partitions.items()}
        twin.decided, twin.deleted = self.decided.copy(), dict(self.deleted)
        twin.connections = {key: item.copy() for key, item in self.connections.items()}
        twin.groups = {key: item.copy() for key, item in self.groups.items()}
        twin.rounds = [item.copy() for item in self.rounds]
        twin.rows, twin.verdicts = list(self.rows), list(self.verdicts)
        twin.faults, twin.held = dict(self.faults), dict(self.held)
        twin.lost, twin.fencing = list(self.lost), list(self.fencing)
        return twin

    def node(self, node_id: NodeId) -> NodeView:
        """The node, made when first heard of."""
        found = self.nodes.get(node_id)
        if found is None:
            found = self.nodes[node_id] = NodeView(node_id)
        return found

    def lane(self, node_id: NodeId, topic_partition: TopicPartition) -> LogLane:
        """The replica's lane, made when first heard of."""
        found = self.lanes.get((node_id, topic_partition))
        if found is None:
            found = self.lanes[node_id, topic_partition] = LogLane()
        return found

    def partition(self, topic_partition: TopicPartition) -> PartitionView:
        """The partition, made when first heard of."""
        found = self.partitions.get(topic_partition)
        if found is None:
            found = self.partitions[topic_partition] = PartitionView(topic_partition)
        return found

    def logs(self) -> list[TopicPartition]:
        """All logs that can be shown: metadata, topics, then what is written of the topic of groups."""
        own = [tp for tp in self.partitions if tp.topic == OFFSETS_TOPIC]
        written = [tp for tp in own if any(end.log_end_offset for (_, log), end in self.lanes.items() if log == tp)]
        return [METADATA, *sorted(set(self.partitions).difference(own)), *sorted(written)]

    def leads(self, node_id: NodeId) -> int:
        """Partitions of topics, not of the topic of groups, that a broker leads."""
        return sum(item.leader == node_id for tp, item in self.partitions.items() if tp.topic != OFFSETS_TOPIC)

    def clients_of(self, node_id: NodeId) -> int:
        """Kafka clients that are connected to a broker, by their names and software."""
        items = self.connections.values()
        return len({(item.client_id, item.software) for item in items if item.node == node_id})

    def client_fault(self, node_id: NodeId) -> str:
        """What stands between a broker and its Kafka clients, in two words; empty when nothing does."""
        for fault in reversed(self.faults.values()):
            if fault.kind in FAULT_WORDS and node_id in fault.nodes:
                return FAULT_WORDS[fault.kind]
        return ""

    def lag(self, group: GroupView, parts: Iterable[tuple[str, int]]) -> int | None:
        """Committed records of the partitions that the group has not yet; None when no offset is committed."""
        found = None
        for topic, number in parts:
            tp = TopicPartition(topic, number)
            item, offset = self.partitions.get(tp), group.committed.get((topic, number))
            lane = self.lanes.get((item.leader, tp)) if item is not None else None
            if lane is not None and offset is not None:
                found = (found or 0) + max(0, lane.high_watermark - offset)
        return found

    def lanes_of(self, topic_partition: TopicPartition) -> list[NodeId]:
        """Nodes with a lane of this log, in the order to draw."""
        known = sorted(node for node, tp in self.lanes if tp == topic_partition)
        item = self.partitions.get(topic_partition)
        first = self.voters if topic_partition == METADATA else item.replicas if item is not None else ()
        return [*first, *(node for node in known if node not in first)]

    def holders(self, topic_partition: TopicPartition, offset: int, epoch: int) -> list[NodeId]:
        """Nodes, also those that are down, whose log holds the record of that offset and epoch."""
        return sorted(
            node for (node, tp), lane in self.lanes.items() if tp == topic_partition and lane.holds(offset, epoch)
        )

    def up_count(self) -> tuple[int, int]:
        """(nodes that run, nodes known)."""
        return sum(node.is_up for node in self.nodes.values()), len(self.nodes)

    def current_rounds(self) -> list[VoteRound]:
        """Rounds of the newest epoch asked for; pre-votes only when there is nothing else."""
        if not self.rounds:
            return []
        newest = max(item.epoch for item in self.rounds)
        rounds = [item for item in self.rounds if item.epoch == newest]
        real = [item for item in rounds if not item.pre_vote]
        return real or rounds[-3:]

    def is_split(self) -> bool:
        """Two or more real candidates in the newest epoch and none has won."""
        rounds = [item for item in self.current_rounds() if not item.pre_vote]
        return len(rounds) > 1 and not any(item.won for item in rounds) and self.leader_id == NO_NODE

    def links(self) -> dict[tuple[NodeId, NodeId], LinkView]:
        """Every directed link that a fault in force touches."""
        found: dict[tuple[NodeId, NodeId], LinkView] = {}
        for fault in self.faults.values():
            for way in fault.links:
                link = found.get(way, LinkView())
                found[way] = LinkView(
                    link.is_cut or fault.is_cut,
                    link.delay_ms + fault.number("delay_ms"),
                    fault.number("bytes_per_second") or link.bytes_per_second,
                )
        return found
