"""Challenges 3 and 4: two leaders in one epoch, and no leader at all for 20 seconds."""

from __future__ import annotations

from typing import Any

from cluster.faults.fault import LINK
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from workbench.challenges.challenge import Challenge
from workbench.session.missions.mission import Attempt
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name, nodes

LEADERLESS_NS = 20_000_000_000


class TwoLeaders(Challenge):
    """One epoch of the quorum has two leaders: what a majority makes impossible while disks are honest."""

    number, name, title, price, faults_max = 3, "challenge-3", "Two leaders in one epoch", "3 faults", 3
    task = (
        "Have two voters lead the quorum in the same epoch, with at most three faults. A majority forbids it for as "
        "long as every voter remembers its vote."
    )
    graded = "two leaders of one epoch (rule R1), at most 3 faults"
    watches = (ev.LeaderElected,)
    steps = ("a leader is elected after a fault", "another one is elected in the same epoch")
    fields = ("cluster controllers=3 brokers=0",)

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._leaders: dict[Epoch, set[NodeId]] = {}

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """Who was elected in each epoch."""
        leaders = self._leaders.setdefault(event.epoch, set())
        leaders.add(entry.node)
        if self.attempt.count:
            self.tick(0, f"{node_name(entry.node)} leads e{event.epoch}")
        if len(leaders) > 1:
            self.tick(1, f"{nodes(sorted(leaders))} lead e{event.epoch}")
            self.done(f"e{event.epoch}")


class NoLeader(Challenge):
    """Five voters live and none of them leads."""

    number, name, title, price = 4, "challenge-4", "Five voters and no leader", "cuts only"
    task = (
        "All five voters run. Keep them without a leader for 20 seconds, with nothing but cut links, and as few "
        "one-way cuts as you can: cut 101>102 is one of them, cut 101-102 is two."
    )
    graded = "no leader for 20 s, fewest one-way cuts"
    watches = (ev.LeaderElected, ev.RoleChanged, ev.ElectionStarted)
    steps = ("the leader is gone", "20 s without one")
    fields = ("cluster controllers=5 brokers=0",)

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._leaders: set[NodeId] = set()
        self._since_ns = 0

    @property
    def cost(self) -> int:
        """One-way cuts of the whole run."""
        return sum(len(fault.links) for fault in self.attempt.faults.values())

    @property
    def too_much(self) -> str:
        """Other faults do not count."""
        other = [fault.kind for fault in self.attempt.faults.values() if fault.family != LINK or not fault.links]
        slow = [fault.kind for fault in self.attempt.faults.values() if fault.kind in ("Delay", "SlowLink", "Reset")]
        return f"{(other + slow)[0]} is no cut, and only cuts may be used" if other or slow else ""

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """From the moment when the last leader steps down."""
        match event:
            case ev.LeaderElected():
                self._leaders.add(entry.node)
                self._since_ns = 0
                self.reset()
            case ev.RoleChanged() if entry.node in self._leaders and event.role != "leader":
                self._leaders.discard(entry.node)
                if not self._leaders:
                    self._since_ns = entry.t_ns
                    self.tick(0, f"{node_name(entry.node)} leads no more")
            case _:
                pass
        if self._since_ns and entry.t_ns - self._since_ns >= LEADERLESS_NS and entry.node != NO_NODE:
            self.done(f"{self.cost} one-way cuts")
