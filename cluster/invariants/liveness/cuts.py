"""What must go on during a cut: the side that still has a majority of the voters. Contract 2.6, L9."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cluster.invariants.fault_kinds import SPLITTING
from cluster.invariants.ghost.calm import Turn
from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import IN_TIME, MS
from cluster.invariants.liveness.in_calm import JudgedBetweenTurns
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


class CutInvariants(JudgedBetweenTurns):
    """L9, as far as elections go: a quorum leader, and a leader for each partition with an in-sync replica there."""

    L9 = invariant("a side of a cut with a majority has its leaders", "Kafka RaftEventSimulationTest", *IN_TIME)

    def begin(self) -> None:
        super().begin()
        self._wanted = -1
        self._cut: _Cut | None = None
        self._partitions: set[TopicPartition] = set()

    def _begin(self, _entry: Entry, event: Turn) -> None:
        """Perhaps a cut, in calm."""
        self._wanted = -1
        if isinstance(event, ev.FaultInjected) and event.kind in SPLITTING and self.ghost.calm.was_calm:
            self._wanted = event.fault_id

    @after
    def _on_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        self.now_ns = entry.t_ns
        if event.fault_id != self._wanted:
            return
        nodes = frozenset(self.ghost.calm.roles)
        side = majority_side(event.links, nodes, self.ghost.voting.voters)
        if side:
            self._cut = _Cut(event.fault_id, side, entry.id, entry.t_ns, entry.t_ns)
            self._look(self._cut)

    @after
    def _on_activated(self, entry: Entry, _event: ev.ControllerActivated) -> None:
        """A new active controller gives every broker a new session."""
        if self._cut is not None and entry.node in self._cut.side:
            self._cut.active_ns = entry.t_ns

    @after
    def _on_partition(self, _entry: Entry, event: ev.PartitionApplied) -> None:
        self._partitions.add(TopicPartition(event.topic, event.partition))

    @after
    def _on_change(
        self,
        entry: Entry,
        _event: ev.RoleChanged
        | ev.VotersChanged
        | ev.BecameLeader
        | ev.TopicDeleted
        | ev.ControllerActivated
        | ev.PartitionApplied,
    ) -> None:
        self.now_ns = entry.t_ns
        if self._cut is not None:
            self._look(self._cut)

    def _look(self, cut: _Cut) -> None:
        if cut.led_ns < 0 and self.ghost.voting.leader_within(cut.side) is not None:
            cut.led_ns = self.now_ns
        if cut.led_ns >= 0 and cut.elected_ns < 0 and not self._leaderless(cut.side):
            cut.elected_ns = self.now_ns

    def _leaderless(self, side: set[NodeId]) -> bool:
        for where in self._partitions:
            if where.topic in self.ledger.deleted:
                continue
            ghost = self.ghost.partition(*where)
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
        allowed_ns = self.deadlines.quorum_leader_ns()
        self._judge(cut, cut.led_ns, cut.since_ns, allowed_ns, "no quorum leader")
        if cut.led_ns < 0 or not self._partitions:
            return
        begin_ns = max(cut.led_ns, cut.active_ns)
        self._judge(cut, cut.elected_ns, begin_ns, self.deadlines.partition_leader_ns(), "a leaderless partition")

    def _judge(self, cut: _Cut, done_ns: int, begin_ns: int, allowed_ns: int, what: str) -> None:
        took_ns = (done_ns if done_ns >= 0 else self.now_ns) - begin_ns
        if done_ns >= 0:
            self.L9.checks += 1
        if took_ns > allowed_ns:
            self.L9.violated(
                f"the side of {sorted(cut.side)} has {what} {took_ns // MS} ms after the cut; "
                f"{allowed_ns // MS} ms are allowed",
                cut.event,
            )
