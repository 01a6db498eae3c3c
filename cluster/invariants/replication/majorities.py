"""Partitions that a majority of their replicas commits: who counted, and whose log was chosen to lead."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.parts import UNTOLD_EPOCH
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition


class MajorityInvariants:
    """P30 and P31. That nothing acknowledged is lost is P1 and P2, as everywhere."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant(
            "P30",
            "by majority: what is committed is on a majority whose logs are whole with the beginning of the epoch",
            "Viewstamped Replication Revisited 4.1, 4.2",
            ("A4",),
        ),
        Invariant(
            "P31",
            "by majority: the most complete log leads of a majority that takes nothing from leaders before",
            "Viewstamped Replication Revisited 4.2; Raft paper 5.4.1",
            ("A1",),
        ),
    )

    __slots__ = ("_adopted", "_followed", "_ghost", "_heard", "_report", "_reported")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._followed: dict[tuple[str, int, NodeId], tuple[int, NodeId]] = {}
        """(leader epoch, leader) that each replica is in."""
        self._adopted: dict[tuple[str, int, NodeId], dict[Epoch, Offset]] = {}
        """By replica: the leader epochs it adopted, and where its log ended when it left each."""
        self._reported: dict[tuple[str, int, NodeId], ev.LogEndReported] = {}
        self._heard: dict[tuple[str, int, NodeId], dict[NodeId, ev.LogEndHeard]] = {}
        """By partition and controller: the newest report of each replica."""

    def before(self) -> Handlers:
        """High watermarks and elections against what was told before."""
        return {
            ev.HighWatermarkAdvanced: self._on_high_watermark,
            ev.EpochAdopted: self._on_adopted,
            ev.PartitionDecided: self._on_decided,
            ev.BecameLeader: self._on_role,
            ev.BecameFollower: self._on_role,
        }

    def after(self) -> Handlers:
        """What is reported and heard."""
        return {ev.LogEndReported: self._on_reported, ev.LogEndHeard: self._on_heard}

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _on_role(self, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
        leader = event.leader if isinstance(event, ev.BecameFollower) else entry.node
        key = event.topic, event.partition, entry.node
        left, adopted = self._followed.get(key, (-1, NO_NODE))[0], self._adopted.get(key, {})
        if left in adopted:
            ghost = self._ghost.partition(event.topic, event.partition)
            adopted[left] = max(adopted[left], ghost.log(entry.node).end_offset, ghost.peaks.get(entry.node, 0))
        self._followed[key] = event.leader_epoch, leader

    def _on_high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        """P30."""
        ghost = self._ghost.partition(event.topic, event.partition)
        if event.role != "leader" or not ghost.by_majority:
            return
        self._report.checked("P30")
        reached = [node for node, offset in event.log_end_offsets if offset >= event.high_watermark]
        if 2 * len(set(reached).intersection(ghost.isr)) <= len(ghost.isr):
            what = f"with replicas {reached} of {list(ghost.isr)}"
            self._broken("P30", entry, event, f"leader {entry.node} commits below {event.high_watermark} {what}")
        for node in reached:
            epoch, told = ghost.adopted.get(node, (-1, None))
            if epoch not in (event.leader_epoch, UNTOLD_EPOCH) and not self._had(node, event):
                what = f"leader {entry.node} of epoch {event.leader_epoch} counts replica {node}"
                self._broken("P30", entry, event, f"{what}, whose newest adopted epoch is {epoch}", told)

    def _had(self, node: NodeId, event: ev.HighWatermarkAdvanced) -> bool:
        """Whether a replica that is in a newer epoch had all this in the leader's: what it sent then may come late."""
        adopted = self._adopted.get((event.topic, event.partition, node), {})
        return adopted.get(event.leader_epoch, -1) >= event.high_watermark

    def _on_adopted(self, entry: Entry, event: ev.EpochAdopted) -> None:
        """P30: who adopts an epoch is in it, and its log reaches to where the leader of that epoch began."""
        self._report.checked("P30")
        ghost = self._ghost.partition(event.topic, event.partition)
        key = event.topic, event.partition, entry.node
        epoch, leader = self._followed.get(key, (-1, NO_NODE))
        leadership, end = ghost.leaderships.get(leader), ghost.log(entry.node).end_offset
        self._adopted.setdefault(key, {}).setdefault(event.leader_epoch, end)
        begun = leadership is not None and leadership.leader_epoch == event.leader_epoch
        start = leadership.start_offset if leadership is not None and begun else event.epoch_start_offset
        if epoch != event.leader_epoch or end < start:
            what = f"replica {entry.node} adopts leader epoch {event.leader_epoch}, which begins at {start}"
            self._broken("P30", entry, event, f"{what}; its log ends at {end}, and it is in epoch {epoch}")

    def _on_reported(self, entry: Entry, event: ev.LogEndReported) -> None:
        """P31: a report is true, and of a replica that has left the leader before."""
        self._report.checked("P31")
        key = (event.topic, event.partition, entry.node)
        self._reported[key] = event
        ghost, followed = self._ghost.partition(event.topic, event.partition), self._followed.get(key)
        if followed != (event.leader_epoch, NO_NODE):
            what = f"replica {entry.node} reports in leader epoch {event.leader_epoch}"
            self._broken("P31", entry, event, f"{what}, and its newest (epoch, leader) is {followed}")
        end, (adopted, told) = ghost.log(entry.node).end_offset, ghost.adopted.get(entry.node, (-1, None))
        if event.log_end_offset != end or adopted not in (event.adopted_epoch, UNTOLD_EPOCH):
            said = f"log end {event.log_end_offset} and adopted epoch {event.adopted_epoch}"
            self._broken(
                "P31", entry, event, f"replica {entry.node} reports {said}; they are {end} and {adopted}", told
            )

    def _on_heard(self, entry: Entry, event: ev.LogEndHeard) -> None:
        """P31: what a controller hears was said."""
        said = self._reported.get((event.topic, event.partition, event.broker_id))
        self._heard.setdefault((event.topic, event.partition, entry.node), {})[event.broker_id] = event
        mine = (event.leader_epoch, event.adopted_epoch, event.log_end_offset)
        if said is None or (said.leader_epoch, said.adopted_epoch, said.log_end_offset) != mine:
            self._broken("P31", entry, event, f"controller {entry.node} heard of replica {event.broker_id} {mine}")

    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        """P31: enough reports, and none of a majority of them is of a more complete log than the chosen one."""
        ghost = self._ghost.partition(event.topic, event.partition)
        if not ghost.by_majority or event.leader == NO_NODE or event.partition_epoch == 0 or event.unclean:
            return
        self._report.checked("P31")
        heard = {
            node: (told.adopted_epoch, told.log_end_offset)
            for node, told in self._heard.get((event.topic, event.partition, entry.node), {}).items()
            if told.leader_epoch == event.leader_epoch - 1
        }
        chosen = heard.get(event.leader)
        behind = [node for node in event.replicas if node in heard and chosen is not None and heard[node] <= chosen]
        if 2 * len(behind) <= len(event.replicas):
            what = f"of the replicas {list(event.replicas)} a log as complete at most was heard of {behind}"
            self._broken("P31", entry, event, f"replica {event.leader} is to lead epoch {event.leader_epoch}; {what}")

    def _broken(
        self,
        invariant: str,
        entry: Entry,
        event: ev.HighWatermarkAdvanced | ev.EpochAdopted | ev.LogEndReported | ev.LogEndHeard | ev.PartitionDecided,
        what: str,
        other: EventId | None = None,
    ) -> None:
        where = TopicPartition(event.topic, event.partition)
        events = (entry.id,) if other is None else (entry.id, other)
        self._report.violated(invariant, what, events, record=str(where), scope=where)
