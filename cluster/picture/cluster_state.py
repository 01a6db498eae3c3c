"""The whole cluster folded from its events, one entry at a time. Scripts and checks ask it; nothing else is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from operator import attrgetter

from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, Offset, TopicPartition
from cluster.picture.facts import ClusterFacts
from cluster.picture.folds import FOLDS
from cluster.picture.logs import LogState, first_difference
from cluster.picture.parts import AckedRange, PartitionFacts

_time = attrgetter("t_ns")
ALIVE = ("starting", "running", "paused", "stopping")


class ClusterState(ClusterFacts):
    """Everything that the events so far say, and what follows from it.

    Constant work for each entry, apart from what a cut removes.
    """

    __slots__ = ()

    def apply(self, entry: Entry) -> None:
        """Take in one entry."""
        self.apply_all((entry,))

    def apply_all(self, entries: Sequence[Entry]) -> None:
        """Take in entries, in order."""
        find = FOLDS.get
        for entry in entries:
            event = entry.event
            fold = find(type(event))
            if fold is not None:
                fold(self, entry, event)
        self.entries += len(entries)
        self.t_ns = max(self.t_ns, max(map(_time, entries), default=0))

    def facts(self, topic_partition: TopicPartition) -> PartitionFacts | None:
        """Committed state of a partition, as a broker applied it, or as decided while none lives; None before."""
        view = self.partitions.get(topic_partition)
        if view is None:
            return None
        found = view.applied
        if view.committed.partition_epoch > found.partition_epoch and not self._has_broker():
            found = view.committed
        return None if found.partition_epoch < 0 else found

    def _has_broker(self) -> bool:
        return any("broker" in node.roles and node.process in ALIVE for node in self.nodes.values())

    def leader_of(self, topic_partition: TopicPartition) -> NodeId:
        """Leader of a partition, or of the quorum for METADATA; -1 when there is none."""
        if topic_partition == METADATA:
            return self.quorum_leader
        facts = self.facts(topic_partition)
        return NO_NODE if facts is None else facts.leader

    def acked_count(self, topic_partition: TopicPartition) -> int:
        """How many records clients were told are written."""
        return sum(item.count for item in self.acked.get(topic_partition, ()))

    def lost(self, topic_partition: TopicPartition) -> list[AckedRange] | None:
        """Acknowledged batches that the current leader's log does not hold at their offset; None without a leader.

        A batch is the same when its digest is the same. One whose digest is not known counts by its offset alone.
        """
        leader = self.leader_of(topic_partition)
        if leader == NO_NODE:
            return None
        log = self.log(leader, topic_partition)
        return [item for item in self.acked.get(topic_partition, ()) if log.lacks(item.base_offset, item.digest)]

    def replica_logs(self, topic_partition: TopicPartition) -> dict[NodeId, LogState]:
        """Logs of the replicas whose process is alive; for METADATA those of the voters."""
        facts = self.facts(topic_partition)
        members = self.voters if topic_partition == METADATA else facts.replicas if facts is not None else ()
        return {
            node: self.log(node, topic_partition)
            for node in members
            if node in self.nodes and self.nodes[node].process in ALIVE
        }

    def divergence(self, topic_partition: TopicPartition) -> Offset | None:
        """Lowest offset at which two live replicas hold different records; None when no two differ."""
        logs = list(self.replica_logs(topic_partition).values())
        found = [first_difference(one, other) for one, other in combinations(logs, 2)]
        return min((offset for offset in found if offset is not None), default=None)

    def identical(self, topic_partition: TopicPartition) -> bool:
        """Whether all live replicas have the same end and the same records, and at least two are there."""
        logs = list(self.replica_logs(topic_partition).values())
        ends = {log.log_end_offset for log in logs}
        return len(logs) > 1 and len(ends) == 1 and self.divergence(topic_partition) is None

    def open_operations(self) -> int:
        """Client operations without an answer yet."""
        return sum(len(client.open) for client in self.clients.values())
