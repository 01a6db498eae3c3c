"""Missions about the quorum of controllers: kill its leader, split its vote, cut its leader off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from cluster.faults.fault import LINK
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from workbench.session.missions.mission import Attempt, Mission, seconds_said
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name, plural

Links: TypeAlias = tuple[tuple[NodeId, NodeId], ...]


def _star(picture: ClusterView, before: str = " ") -> str:
    leader = picture.quorum_leader
    return f"{before}\u2605 {node_name(leader)}" if leader != NO_NODE else ""


def _first_start(picture: ClusterView) -> str:
    """Whom to start before another voter is taken away, where those left could elect nobody.

    Nobody while those that are up have no leader and are about to elect one.
    """
    down = [node for node in picture.voters if node in picture.nodes and picture.nodes[node].process == "down"]
    majority, up = len(picture.voters) // 2 + 1, len(picture.voters) - len(down)
    if not down or up - 1 >= majority or (up >= majority and picture.quorum_leader == NO_NODE):
        return ""
    which = "each" if len(down) > 1 else "it"
    return f"First start {' and '.join(map(node_name, down))}: select {which} and press {{node.restart}}. "


def _is_cut_off(leader: NodeId, links: Links, voters: Sequence[NodeId]) -> bool:
    """Whether those whom it still reaches, itself counted, are no majority of the voters."""
    lost = {node for link in links if leader in link for node in link if node != leader}
    return len(set(voters) - lost) < len(voters) // 2 + 1


class KillLeader(Mission):
    """The leader of the quorum dies, and another is elected."""

    name, title = "kill-leader", "Kill the leader of the quorum"
    watches = (ev.LeaderElected, ev.ProcessExited, ev.ElectionStarted)
    steps = ("the leader is dead", "the others notice", "one of them wins a majority")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._leader, self._died_ns = NO_NODE, 0

    def hint(self, picture: ClusterView) -> str:
        """Where it is and what ends it; once it is dead, what to look at."""
        first = _first_start(picture)
        if self.ticks and not first:
            return (
                "Watch the others: they miss its answers, ask around, and vote. The close-up shows who asks whom, and "
                "who says yes."
            )
        return first + (
            f"The star shows who leads the quorum{_star(picture, ': ')}. Select it with {{left}} {{right}}. Press "
            "{node.kill}, and watch which of the other two asks first."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """From its death to the next election that somebody wins."""
        match event:
            case ev.ProcessExited(node_id=node) if node == self._leader and event.exit_code:
                self._died_ns = entry.t_ns
                self.reset()
                self.tick(0, f"{node_name(node)} is dead")
            case ev.ElectionStarted() if len(self.ticks) == 1 and entry.node != self._leader:
                self.tick(1, f"the others notice, after {seconds_said(entry.t_ns - self._died_ns)}")
            case ev.LeaderElected(votes=votes):
                if self.ticks:
                    self.tick(2, f"{node_name(entry.node)} wins, {len(votes)} of {len(picture.voters)} votes")
                    self.done(seconds_said(entry.t_ns - self._died_ns))
                self._leader = entry.node


class SplitVote(Mission):
    """Two candidates of one epoch share the votes, and nobody wins it."""

    name, title, price = "split-vote", "Make a split vote", "luck, or a delay"
    watches = (ev.ElectionStarted, ev.LeaderElected)
    steps = ("two ask for votes in one epoch", "nobody wins it")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._epoch: Epoch = 0
        self._candidates: list[NodeId] = []

    def hint(self, picture: ClusterView) -> str:
        """How two of them come to ask at the same time."""
        up = [node for node in picture.voters if node not in picture.nodes or picture.nodes[node].process != "down"]
        others = [node for node in up if node != picture.quorum_leader]
        ends = (node_name(others[0]), node_name(others[1])) if len(others) > 1 else ("one follower", "the other")
        return _first_start(picture) + (
            "Two must ask before they hear of each other. Make their link slow: "
            f"select {ends[0]}, {{net.mark}}, select {ends[1]}, {{net.delay}}, enter. "
            "Then kill the leader with {node.kill}."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """An epoch is over when somebody wins it or asks in a newer one."""
        if event.epoch > self._epoch and len(self._candidates) > 1:
            self.tick(1, f"nobody wins e{self._epoch}")
            self.done(f"e{self._epoch}")
            return
        if isinstance(event, ev.LeaderElected):
            self._epoch, self._candidates = event.epoch, []
            self.reset()
        elif not event.pre_vote and event.epoch >= self._epoch:
            if event.epoch > self._epoch:
                self._epoch, self._candidates = event.epoch, []
            if entry.node not in self._candidates:
                self._candidates.append(entry.node)
            if len(self._candidates) == 2:
                both = " and ".join(node_name(node) for node in self._candidates)
                self.tick(0, f"{both} ask for votes in e{self._epoch}")


class CutLeaderOff(Mission):
    """The leader of the quorum lives and nobody hears it: the others elect another."""

    name, title, price, faults_max, may_kill = "cut-leader", "Cut the leader off", "1 fault", 1, False
    watches = (ev.FaultApplied, ev.RoleChanged, ev.LeaderElected)
    steps = ("the leader is cut off, and lives", "another one is elected")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._leader, self._cut_off = NO_NODE, NO_NODE

    def hint(self, picture: ClusterView) -> str:
        """One fault that is enough."""
        return _first_start(picture) + (
            f"The leader{_star(picture)} must live, and nobody may hear it. One fault is enough: select it and press "
            "{net.isolate}. Or {net.partition} parts the network. {net.heal} heals all."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """A fault of links, and then an election that the old leader lives to see."""
        match event:
            case ev.FaultApplied(family=family, links=links) if family == LINK and self._leader != NO_NODE:
                if _is_cut_off(self._leader, links, picture.voters):
                    self._cut_off = self._leader
                    self.reset()
                    self.tick(0, f"{node_name(self._cut_off)} is cut off, and lives")
            case ev.LeaderElected():
                if self._cut_off not in (NO_NODE, entry.node) and picture.node(self._cut_off).is_up:
                    count = self.attempt.count
                    self.tick(1, f"{node_name(entry.node)} leads e{event.epoch}")
                    self.done(plural(count, "fault"))
                self._leader, self._cut_off = entry.node, NO_NODE
