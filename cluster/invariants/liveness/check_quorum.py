"""A leader that no majority of the voters can fetch from gives up; observers do not count. Source: KIP-595, KIP-853."""

from __future__ import annotations

from cluster.invariants.fault_kinds import MISTIMING, SPLITTING
from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import IN_TIME, MS
from cluster.invariants.liveness.in_calm import Timed
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId

SLACK_NS = 1_000 * MS
"""For fetches on their way, and for a machine that is late."""
FETCHING = ("follower", "observer")


class CheckQuorumInvariants(Timed):
    """L12."""

    L12 = invariant("a leader that no majority of voters fetches from resigns in time", "KIP-595", *IN_TIME)

    def begin(self) -> None:
        super().begin()
        self._faults: dict[int, ev.FaultApplied] = {}
        self._alone: dict[NodeId, tuple[int, EventId]] = {}
        """Since when no majority can fetch from a leader, and by what."""

    def finish(self) -> None:
        """A leader may still be in office when the trace stops."""
        for node in sorted(self._alone):
            self._judge(node)

    @after
    def _applied(self, _entry: Entry, event: ev.FaultApplied) -> None:
        if event.kind in SPLITTING or event.kind in MISTIMING:
            self._faults[event.fault_id] = event

    @after
    def _reverted(self, _entry: Entry, event: ev.FaultReverted) -> None:
        self._faults.pop(event.fault_id, None)

    @after
    def _look(
        self,
        entry: Entry,
        _event: ev.RoleChanged
        | ev.VotersChanged
        | ev.ProcessStarted
        | ev.ProcessExited
        | ev.FaultApplied
        | ev.FaultReverted
        | ev.RunEnded,
    ) -> None:
        self.now_ns = max(self.now_ns, entry.t_ns)
        if any(fault.kind in MISTIMING for fault in self._faults.values()):
            self._alone.clear()
            return
        ghost, voting = self.ghost, self.ghost.voting
        for node in list(ghost.nodes) if voting.is_dynamic else voting.voters:  # one that removed itself leads on
            leads = ghost.nodes[node].role == "leader"
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
        own = self.ghost.nodes[leader]
        voters = {leader}
        for voter in self.ghost.voting.electorate(leader).nodes:
            node = self.ghost.nodes[voter]
            fetches = node.role in FETCHING and (node.epoch, node.leader_id) == (own.epoch, leader)
            if fetches and not any((leader, voter) in fault.links for fault in self._faults.values()):
                voters.add(voter)
        return voters

    def _judge(self, leader: NodeId) -> None:
        """The clock of check-quorum may start anew once more: a voter that is left completes a majority with one that
        fetched just before it went. It does so with its next fetch.
        """
        since_ns, why = self._alone[leader]
        self.L12.checks += 1
        patience_ns = self.deadlines.setting_ns("quorum_fetch_timeout_ms", 2000) * 3 // 2
        allowed_ns = patience_ns + self.deadlines.setting_ns("quorum_fetch_max_wait_ms", 500) + SLACK_NS
        took_ns = self.now_ns - since_ns
        if took_ns > allowed_ns:
            self.L12.violated(
                f"node {leader} leads the quorum for {took_ns // MS} ms though no majority of the voters can fetch "
                f"from it; {allowed_ns // MS} ms are allowed",
                why,
            )
