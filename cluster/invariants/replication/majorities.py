"""Partitions that a majority of their replicas commits: who counted, and whose log was chosen to lead."""

from __future__ import annotations

from cluster.invariants.ghost.parts import UNTOLD_EPOCH
from cluster.invariants.group import Group, Replica, Tally, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset


class MajorityInvariants(Group):
    """P30 and P31. That nothing acknowledged is lost is P1 and P2, as everywhere."""

    P30 = invariant(
        "by majority: what is committed is on a majority whose logs are whole with the beginning of the epoch",
        "Viewstamped Replication Revisited 4.1, 4.2",
        "A4",
    )
    P31 = invariant(
        "by majority: the most complete log leads of a majority that takes nothing from leaders before",
        "Viewstamped Replication Revisited 4.2; Raft paper 5.4.1",
        "A1",
    )

    def begin(self) -> None:
        self._followed: dict[Replica, tuple[int, NodeId]] = {}
        """(leader epoch, leader) that each replica is in."""
        self._adopted: dict[Replica, dict[Epoch, Offset]] = {}
        """By replica: the leader epochs it adopted, and where its log ended when it left each."""
        self._reported: dict[Replica, ev.LogEndReported] = {}
        self._heard: dict[Replica, dict[NodeId, ev.LogEndHeard]] = {}
        """By partition and controller: the newest self.report of each replica."""

    @before
    def _on_role(self, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
        leader = event.leader if isinstance(event, ev.BecameFollower) else entry.node
        key = event.topic, event.partition, entry.node
        left, adopted = self._followed.get(key, (-1, NO_NODE))[0], self._adopted.get(key, {})
        if left in adopted:
            ghost = self.ghost.here
            adopted[left] = max(adopted[left], ghost.logs[entry.node].end_offset, ghost.peaks.get(entry.node, 0))
        self._followed[key] = event.leader_epoch, leader

    @before
    def _on_high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        """P30."""
        ghost = self.ghost.here
        if event.role != "leader" or not ghost.by_majority:
            return
        self.P30.checks += 1
        reached = [node for node, offset in event.log_end_offsets if offset >= event.high_watermark]
        if 2 * len(set(reached).intersection(ghost.isr)) <= len(ghost.isr):
            what = f"with replicas {reached} of {list(ghost.isr)}"
            self._broken(self.P30, entry, f"leader {entry.node} commits below {event.high_watermark} {what}")
        for node in reached:
            epoch, event_of_epoch = ghost.adopted.get(node, (-1, None))
            if epoch not in (event.leader_epoch, UNTOLD_EPOCH) and not self._had(node, event):
                what = f"leader {entry.node} of epoch {event.leader_epoch} counts replica {node}"
                self._broken(self.P30, entry, f"{what}, whose newest adopted epoch is {epoch}", event_of_epoch)

    def _had(self, node: NodeId, event: ev.HighWatermarkAdvanced) -> bool:
        """Whether a replica that is in a newer epoch had all this in the leader's: what it sent then may come late."""
        adopted = self._adopted.get((event.topic, event.partition, node), {})
        return adopted.get(event.leader_epoch, -1) >= event.high_watermark

    @before
    def _on_adopted(self, entry: Entry, event: ev.EpochAdopted) -> None:
        """P30: who adopts an epoch is in it, and its log reaches to where the leader of that epoch began."""
        self.P30.checks += 1
        ghost = self.ghost.here
        key = event.topic, event.partition, entry.node
        epoch, leader = self._followed.get(key, (-1, NO_NODE))
        leadership, end = ghost.leaderships.get(leader), ghost.logs[entry.node].end_offset
        self._adopted.setdefault(key, {}).setdefault(event.leader_epoch, end)
        begun = leadership is not None and leadership.leader_epoch == event.leader_epoch
        start = leadership.start_offset if leadership is not None and begun else event.epoch_start_offset
        if epoch != event.leader_epoch or end < start:
            what = f"replica {entry.node} adopts leader epoch {event.leader_epoch}, which begins at {start}"
            self._broken(self.P30, entry, f"{what}; its log ends at {end}, and it is in epoch {epoch}")

    @after
    def _on_reported(self, entry: Entry, event: ev.LogEndReported) -> None:
        """P31: a report is true, and of a replica that has left the leader before."""
        self.P31.checks += 1
        key = (event.topic, event.partition, entry.node)
        self._reported[key] = event
        ghost, followed = self.ghost.here, self._followed.get(key)
        if followed != (event.leader_epoch, NO_NODE):
            what = f"replica {entry.node} reports in leader epoch {event.leader_epoch}"
            self._broken(self.P31, entry, f"{what}, and its newest (epoch, leader) is {followed}")
        end, (adopted, adoption) = ghost.logs[entry.node].end_offset, ghost.adopted.get(entry.node, (-1, None))
        if event.log_end_offset != end or adopted not in (event.adopted_epoch, UNTOLD_EPOCH):
            claim = f"log end {event.log_end_offset} and adopted epoch {event.adopted_epoch}"
            self._broken(
                self.P31, entry, f"replica {entry.node} reports {claim}; they are {end} and {adopted}", adoption
            )

    @after
    def _on_heard(self, entry: Entry, event: ev.LogEndHeard) -> None:
        """P31: what a controller hears was said."""
        report = self._reported.get((event.topic, event.partition, event.broker_id))
        self._heard.setdefault((event.topic, event.partition, entry.node), {})[event.broker_id] = event
        mine = (event.leader_epoch, event.adopted_epoch, event.log_end_offset)
        if report is None or (report.leader_epoch, report.adopted_epoch, report.log_end_offset) != mine:
            self._broken(self.P31, entry, f"controller {entry.node} heard of replica {event.broker_id} {mine}")

    @before
    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        """P31: enough reports, and none of a majority of them is of a more complete log than the chosen one."""
        ghost = self.ghost.here
        if not ghost.by_majority or event.leader == NO_NODE or event.partition_epoch == 0 or event.unclean:
            return
        self.P31.checks += 1
        heard = {
            node: (report.adopted_epoch, report.log_end_offset)
            for node, report in self._heard.get((event.topic, event.partition, entry.node), {}).items()
            if report.leader_epoch == event.leader_epoch - 1
        }
        chosen = heard.get(event.leader)
        behind = [node for node in event.replicas if node in heard and chosen is not None and heard[node] <= chosen]
        if 2 * len(behind) <= len(event.replicas):
            what = f"of the replicas {list(event.replicas)} a log as complete at most was heard of {behind}"
            self._broken(self.P31, entry, f"replica {event.leader} is to lead epoch {event.leader_epoch}; {what}")

    def _broken(
        self,
        promise: Tally,
        entry: Entry,
        what: str,
        other: EventId | None = None,
    ) -> None:
        promise.violated(what, entry, other, at="")
