"""Voters that come and go, and voters that get another disk, among the trouble of the swarm."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cluster.commands.clients import Job
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.language.words import NodeName
from cluster.model.identifiers import NodeId
from cluster.picture.cluster_state import ClusterState

STRANGE_SHARE = 0.1
"""Of the changes that make no sense: to add a voter, to remove an observer."""
SAFE_COUNT = 3
"""Of fewer voters none is removed: a leader of two that removes itself and dies before the other one has heard of it
leaves a quorum without a leader, in Kafka too. It observes then, and its log is the longer one. Source: Raft thesis
4.2.2, whose remedy KRaft does not have.
"""
RETRIES_SHARE = 0.7
"""Of the clients that go on asking, and so are the first whom a new leader hears."""


class SwarmVoters:
    """Now and then has an admin client add or remove a voter, or replaces the disk of one. All it does is a command."""

    __slots__ = ("_asked", "_begin", "_controllers", "_every_s", "_gone", "_next_s", "_random", "_replaces", "_send")

    def __init__(
        self,
        random: Random,
        begin: Callable[[AddVoter | RemoveVoter], list[Job]],
        send: Callable[[str], bool],
        controllers: tuple[NodeId, ...],
        every_s: float,
        *,
        replaces: bool,
    ) -> None:
        """
        Args:
            begin: has a client carry out one command, which nobody waits for.
            send: carries out one command of the lab.
            every_s: mean time between two; 0 for none.
            replaces: disks are replaced, and nobody asks for anything: controllers join by themselves.
        """
        self._random, self._begin, self._send = random, begin, send
        self._controllers, self._every_s, self._replaces = controllers, every_s, replaces
        self._next_s = 0.0
        self._gone: set[tuple[NodeId, str]] = set()
        """Disks that were replaced, each with its node."""
        self._asked: list[list[Job]] = []

    def unanswered(self) -> str:
        """What a client has asked for and may get yet; empty when there is nothing."""
        return "an answer to who changes the voters" if not all(self._asked) else ""

    def look(self, now_s: float, state: ClusterState) -> None:
        """Do something when it is time, whoever leads."""
        if not self._every_s or not state.voters or now_s < self._next_s:
            return
        if self._next_s and self._replaces:
            self._replace(state)
        elif self._next_s:
            self._ask(state)
        self._next_s = now_s + self._random.expovariate(1 / self._every_s)

    def _ask(self, state: ClusterState) -> None:
        random, leader = self._random, state.nodes.get(state.leader_of_newest_epoch)
        voters = dict(leader.voters) if leader is not None else {}
        disks = {node: state.nodes[node].directory_id for node in self._controllers if node in state.nodes}
        old, new = list(voters), [node for node in disks if node not in voters]
        is_add = bool(new) and (len(old) < 2 or random.random() < 0.5)
        is_safe = is_add or len(old) > SAFE_COUNT
        if random.random() < STRANGE_SHARE:
            old, new = new, old
        may_remove = len(voters) >= SAFE_COUNT and not self.unanswered()  # two that wait would both find three
        pool = new if is_add else old if may_remove else []
        if pool:
            node = random.choice(pool)
            kind, disk = (AddVoter, disks.get(node, "")) if is_add else (RemoveVoter, voters.get(node, ""))
            retries = is_safe and random.random() < RETRIES_SHARE
            self._asked.append(self._begin(kind(NodeName(node), disk, wait=False, retries=retries)))

    def _replace(self, state: ClusterState) -> None:
        """Of a controller without which every quorum that anybody knows of still has a majority of living disks."""
        node = self._random.choice(self._controllers)
        known = state.nodes.get(node)
        if known is None:
            return
        gone = self._gone | {(node, known.directory_id)}
        views = {each.voters for each in state.nodes.values() if each.voters}
        if all(2 * len(gone.intersection(view)) < len(view) for view in views):
            self._gone = gone
            if known.is_up:
                self._send(f"kill {node}")
            self._send(f"wipe {node}")
