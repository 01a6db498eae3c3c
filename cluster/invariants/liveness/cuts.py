"""What must go on during a cut: the side that still has a majority of the voters. Contract 2.6, L9."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from cluster.invariants.fault_kinds import SPLITTING
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.liveness.calm import Calm
from cluster.invariants.liveness.deadlines import IN_TIME, MS, Deadlines
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId, TopicPartition


def majority_side(
    links: Iterable[tuple[NodeId, NodeId]], nodes: frozenset[NodeId], voters: tuple[NodeId, ...]
) -> set[NodeId]:
    """The nodes that no cut keeps from each other and that include a majority of the voters; empty when no side does.

    Args:
        links: directions that are cut. A node in none of them keeps all its links, and is on every side.
    """
    cut = set(links)
    sides = [{other for other in nodes if (node, other) not in cut} for node in sorted({source for source, _ in cut})]
    return next((side for side in sides if 2 * len(side & set(voters)) > len(voters)), set())


@dataclass(slots=True)
class _Cut:
    """One cut of a run that was calm before."""

    fault_id: int
    side: set[NodeId]
    event: EventId
    since_ns: int
    active_ns: int
    led_ns: int = -1
    elected_ns: int = -1


class CutInvariants:
    """L9, as far as elections go: a quorum leader, and a leader for each partition with an in-sync replica there."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("L9", "a side of a cut with a majority has its leaders", "Kafka RaftEventSimulationTest", IN_TIME),
    )

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._deadlines = Deadlines(ghost)
        self._calm = Calm()
        self._wanted = -1
        self._cut: _Cut | None = None
        self._now_ns = 0
        self._partitions: set[TopicPartition] = set()

    def before(self) -> Handlers:
        """Faults and processes, while the ghost knows the state before them."""
        return dict.fromkeys(self._calm.folds(), self._turn)

    def after(self) -> Handlers:
        """The begin of a cut, and whatever a side reaches."""
        return {
            ev.FaultApplied: self._on_applied,
            ev.RoleChanged: self._on_change,
            ev.VotersChanged: self._on_change,
            ev.ControllerActivated: self._on_activated,
            ev.PartitionApplied: self._on_partition,
            ev.BecameLeader: self._on_change,
            ev.TopicDeleted: self._on_change,
        }

    def finish(self) -> None:
        """The trace may stop in the middle of a cut."""
        self._close()

    def _turn(self, entry: Entry, event: object) -> None:
        self._now_ns = max(self._now_ns, entry.t_ns)
        self._close()
        was_calm = self._calm.is_calm
        self._calm.folds()[type(event)](entry, event)
        is_cut = isinstance(event, ev.FaultInjected) and event.kind in SPLITTING
        self._wanted = event.fault_id if isinstance(event, ev.FaultInjected) and is_cut and was_calm else -1

    def _on_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        self._now_ns = entry.t_ns
        if event.fault_id != self._wanted:
            return
        nodes = frozenset(self._calm.roles)
        side = majority_side(event.links, nodes, self._ghost.voting.voters)
        if side:
            self._cut = _Cut(event.fault_id, side, entry.id, entry.t_ns, entry.t_ns)
            self._look(self._cut)

    def _on_change(self, entry: Entry, _event: object) -> None:
        self._now_ns = entry.t_ns
        if self._cut is not None:
            self._look(self._cut)

    def _on_activated(self, entry: Entry, event: ev.ControllerActivated) -> None:
        """A new active controller gives every broker a new session."""
        if self._cut is not None and entry.node in self._cut.side:
            self._cut.active_ns = entry.t_ns
        self._on_change(entry, event)

    def _on_partition(self, entry: Entry, event: ev.PartitionApplied) -> None:
        self._partitions.add(TopicPartition(event.topic, event.partition))
        self._on_change(entry, event)

    def _look(self, cut: _Cut) -> None:
        if cut.led_ns < 0 and self._ghost.voting.leader_within(cut.side) is not None:
            cut.led_ns = self._now_ns
        if cut.led_ns >= 0 and cut.elected_ns < 0 and not self._leaderless(cut.side):
            cut.elected_ns = self._now_ns

    def _leaderless(self, side: set[NodeId]) -> bool:
        for where in self._partitions:
            if where.topic in self._report.ledger.deleted:
                continue
            ghost = self._ghost.partition(*where)
            newest = ghost.newest
            leads = newest is not None and newest.node in side and newest.leader_epoch == ghost.leader_epoch
            if ghost.has_heir(side) and not leads:
                return True
        return False

    def _close(self) -> None:
        """The cut is over, or something else happens: what had its time and did not come is late."""
        cut, self._cut = self._cut, None
        if cut is None:
            return
        allowed_ns = self._deadlines.quorum_leader_ns()
        self._judge(cut, cut.led_ns, cut.since_ns, allowed_ns, "no quorum leader")
        if cut.led_ns < 0 or not self._partitions:
            return
        begin_ns = max(cut.led_ns, cut.active_ns)
        self._judge(cut, cut.elected_ns, begin_ns, self._deadlines.partition_leader_ns(), "a leaderless partition")

    def _judge(self, cut: _Cut, done_ns: int, begin_ns: int, allowed_ns: int, what: str) -> None:
        took_ns = (done_ns if done_ns >= 0 else self._now_ns) - begin_ns
        if done_ns >= 0:
            self._report.checked("L9")
        if took_ns > allowed_ns:
            self._report.violated(
                "L9",
                f"the side of {sorted(cut.side)} has {what} {took_ns // MS} ms after the cut; "
                f"{allowed_ns // MS} ms are allowed",
                (cut.event,),
            )
