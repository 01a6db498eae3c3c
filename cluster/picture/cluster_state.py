"""The whole cluster folded from its events, one entry at a time. Scripts and checks ask it; nothing else is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import ClassVar

from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.picture.asked import AckedRange, Missing
from cluster.picture.facts import ClusterFacts
from cluster.picture.folds import FOLDS, Fold
from cluster.picture.logs import LogState, difference
from cluster.picture.parts import ALIVE, PartitionState, VoteRound


class ClusterState(ClusterFacts):
    """Everything that the events so far say, and what follows from it.

    Constant work for each entry, apart from what a cut removes.
    """

    __slots__ = ()
    folds: ClassVar[Mapping[type, Fold]] = FOLDS
    """What each kind of event changes. The other events (refusals, persisted votes, ...) explain and change nothing."""

    def apply(self, entry: Entry) -> None:
        """Take in one entry."""
        self.apply_all((entry,))

    def apply_all(self, entries: Iterable[Entry]) -> None:
        """Take in entries, in order."""
        folds = self.folds
        for entry in entries:
            event = entry.event
            kind = type(event)
            if kind in folds:
                folds[kind](self, entry, event)
            self.entries += 1
            if entry.t_ns > self.t_ns:
                self.t_ns = entry.t_ns

    def facts(self, topic_partition: TopicPartition) -> PartitionState | None:
        """Committed state of a partition; None before."""
        return self.partitions.get(topic_partition)

    def leader_of(self, topic_partition: TopicPartition) -> NodeId:
        """Leader of a partition, or of the quorum for METADATA; -1 when there is none.

        A leader of the quorum leads until another is elected or it says or shows that it leads no more. While others
        ask for a newer epoch there is no leader of that one: newest_epoch and leader_of_newest_epoch.
        """
        if topic_partition == METADATA:
            return self.quorum_leader
        facts = self.facts(topic_partition)
        return NO_NODE if facts is None else facts.leader

    def is_unclean(self, topic_partition: TopicPartition, leader_epoch: Epoch) -> bool:
        """Whether a partition's leader of that epoch was elected though it was not in sync, or not known to be."""
        elections = (item for item in reversed(self.elections) if item.topic_partition == topic_partition)
        return next((item.unclean for item in elections if item.epoch == leader_epoch), False)

    @property
    def leader_of_newest_epoch(self) -> NodeId:
        """Leader of the quorum in the highest epoch that any node has entered; -1 while that epoch elects."""
        return self.quorum_leader if self.quorum_epoch == self.newest_epoch else NO_NODE

    def current_rounds(self) -> list[VoteRound]:
        """Rounds of the newest epoch asked for; pre-votes only when there is nothing else."""
        newest = max((item.epoch for item in self.rounds), default=0)
        rounds = [item for item in self.rounds if item.epoch == newest]
        return [item for item in rounds if not item.pre_vote] or rounds[-3:]

    def is_split(self) -> bool:
        """Two or more real candidates in the newest epoch and none has won."""
        rounds = [item for item in self.current_rounds() if not item.pre_vote]
        is_open = not any(item.won for item in rounds) and self.leader_of_newest_epoch == NO_NODE
        return len(rounds) > 1 and is_open

    def acked_count(self, topic_partition: TopicPartition) -> int:
        """How many records clients were told are written."""
        acked = self.acked.get(topic_partition)
        return 0 if acked is None else acked.record_count

    def lost(self, topic_partition: TopicPartition) -> list[AckedRange] | None:
        """Acknowledged batches that the current leader's log does not hold at their offset; None without a leader.

        A batch is the same when its digest is the same. One whose digest is not known counts by its offset alone.
        """
        leader = self.leader_of(topic_partition)
        if leader == NO_NODE:
            return None
        acked = self.acked.get(topic_partition)
        return [] if acked is None else acked.lost(leader, self.log(leader, topic_partition))

    def missing(self, *topic_partitions: TopicPartition) -> Missing:
        """What became of acknowledged records that leaders lack: of these partitions, of all unless some are named."""
        missing = Missing([], [], ())
        for tp in topic_partitions or self.acked:
            logs = {node: log for (node, where), log in self.logs.items() if where == tp}
            acked, leader = self.acked.get(tp), self.leader_of(tp)
            if acked is None or not logs:
                continue
            if leader == NO_NODE:
                leader = max(logs, key=lambda node: (logs[node].log_end_offset, node))
            for item in acked.lost(leader, self.log(leader, tp)):
                keepers = [node for node, log in logs.items() if not log.lacks(item.base_offset, item.digest)]
                (missing.kept if keepers else missing.lost).append(item)
                missing = missing._replace(keepers=tuple(sorted({*missing.keepers, *keepers})))
        return missing

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
        offsets = [difference(one, other) for one, other in combinations(logs, 2)]
        return min((offset for offset in offsets if offset is not None), default=None)

    def identical(self, topic_partition: TopicPartition) -> bool:
        """Whether all live replicas have the same end and the same records, and at least two are there."""
        logs = list(self.replica_logs(topic_partition).values())
        ends = {log.log_end_offset for log in logs}
        return len(logs) > 1 and len(ends) == 1 and self.divergence(topic_partition) is None

    def open_operations(self) -> int:
        """Client operations without an answer yet."""
        return sum(len(client.open) for client in self.clients.values())
