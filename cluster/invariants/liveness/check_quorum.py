"""A leader that no majority of the voters can fetch from gives up; observers do not count. Source: KIP-595, KIP-853."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.fault_kinds import MISTIMING, SPLITTING
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.liveness.deadlines import IN_TIME, MS, Deadlines
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId

RULE = "L12"
SLACK_NS = 1_000 * MS
"""For fetches on their way, and for a machine that is late."""
FETCHING = ("follower", "observer")


class CheckQuorumInvariants:
    """L12."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant(RULE, "a leader that no majority of voters fetches from resigns in time", "KIP-595", IN_TIME),
    )

    __slots__ = ("_alone", "_deadlines", "_faults", "_ghost", "_now_ns", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._deadlines = Deadlines(ghost)
        self._faults: dict[int, ev.FaultApplied] = {}
        self._alone: dict[NodeId, tuple[int, EventId]] = {}
        """Since when no majority can fetch from a leader, and by what."""
        self._now_ns = 0

    def before(self) -> Handlers:
        """Nothing needs the state before."""
        return {}

    def after(self) -> Handlers:
        """Roles, processes, cuts."""
        return {
            ev.RoleChanged: self._look,
            ev.VotersChanged: self._look,
            ev.ProcessStarted: self._look,
            ev.ProcessExited: self._look,
            ev.FaultApplied: self._applied,
            ev.FaultReverted: self._reverted,
            ev.RunEnded: self._look,
        }

    def finish(self) -> None:
        """A leader may still be in office when the trace stops."""
        for node in sorted(self._alone):
            self._judge(node)

    def _applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        if event.kind in SPLITTING or event.kind in MISTIMING:
            self._faults[event.fault_id] = event
        self._look(entry, event)

    def _reverted(self, entry: Entry, event: ev.FaultReverted) -> None:
        self._faults.pop(event.fault_id, None)
        self._look(entry, event)

    def _look(self, entry: Entry, _event: object) -> None:
        self._now_ns = max(self._now_ns, entry.t_ns)
        if any(fault.kind in MISTIMING for fault in self._faults.values()):
            self._alone.clear()
            return
        ghost, voting = self._ghost, self._ghost.voting
        for node in list(ghost.nodes) if voting.is_dynamic else voting.voters:  # one that removed itself leads on
            leads = ghost.node(node).role == "leader"
            is_alone = leads and not voting.has_majority(self._within(node), voting.electorate(node))
            if is_alone:
                self._alone.setdefault(node, (entry.t_ns, entry.id))
            elif node in self._alone:
                self._judge(node)
                del self._alone[node]

    def _within(self, leader: NodeId) -> set[NodeId]:
        """The leader, and the voters that fetch from it and that no cut keeps from it.

        The leader's own log says who votes. A voter whose log is not there yet takes itself for an observer, and its
        fetches count all the same: LeaderState.updateFetchedVoters asks for number and disk alone.
        """
        own = self._ghost.node(leader)
        found = {leader}
        for voter in self._ghost.voting.electorate(leader).nodes:
            node = self._ghost.node(voter)
            fetches = node.role in FETCHING and (node.epoch, node.leader_id) == (own.epoch, leader)
            if fetches and not any((leader, voter) in fault.links for fault in self._faults.values()):
                found.add(voter)
        return found

    def _judge(self, leader: NodeId) -> None:
        """The clock of check-quorum may start anew once more: a voter that is left completes a majority with one that
        fetched just before it went. It does so with its next fetch.
        """
        since_ns, why = self._alone[leader]
        self._report.checked(RULE)
        patience_ns = self._deadlines.setting_ns("quorum_fetch_timeout_ms", 2000) * 3 // 2
        allowed_ns = patience_ns + self._deadlines.setting_ns("quorum_fetch_max_wait_ms", 500) + SLACK_NS
        took_ns = self._now_ns - since_ns
        if took_ns > allowed_ns:
            sentence = (
                f"node {leader} leads the quorum for {took_ns // MS} ms though no majority of the voters can fetch "
                f"from it; {allowed_ns // MS} ms are allowed"
            )
            self._report.violated(RULE, sentence, (why,))
