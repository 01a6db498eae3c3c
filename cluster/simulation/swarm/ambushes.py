"""Faults that strike while a transaction is decided and not complete: a moment that random times rarely meet."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cluster.model.entry import Entry
from cluster.model.events import TransactionStateChanged
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.picture.transactions import PREPARED
from cluster.simulation.world.cluster import SimulatedCluster

AMBUSH_SHARE = 0.6
"""Of the seeds with transactions."""
AMBUSH_EVERY_S = (0.3, 1.0, 4.0)
DELAYS_S = (0.0, 0.001, 0.003, 0.01)
"""From the decision to the strike: markers may not be sent, be on their way, or be written in some partitions."""
LASTS_S = (0.1, 0.5, 2.0)
"""From a strike until it is taken back, or, where nobody was met, until the next may come."""
COORDINATOR_SHARE = 0.5
"""Of the strikes at a node, those at the coordinator; the others are at a leader that is to write a marker."""


def draw_ambushes(seed: int) -> float:
    """Mean time between two in a seed with transactions; 0 for none."""
    random = Random(f"{seed}/ambushes")
    return random.choice(AMBUSH_EVERY_S) if random.random() < AMBUSH_SHARE else 0.0


class SwarmAmbushes:
    """Lies in wait for decisions, as an event tells of them. All it does is a command."""

    __slots__ = ("_cluster", "_decided", "_every_s", "_mend", "_next_s", "_random", "_send")

    def __init__(self, cluster: SimulatedCluster, send: Callable[[str], bool], every_s: float) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time between two; 0 for none.
        """
        self._cluster, self._send, self._every_s = cluster, send, every_s
        self._random = cluster.kernel.stream("ambushes")
        self._next_s = 0.0
        self._mend = ""
        """What takes the last one back; empty when that is done."""
        self._decided: dict[str, tuple[NodeId, tuple[tuple[str, int], ...]]] = {}
        """Coordinator and partitions of what is decided and not complete, by transactional id."""
        if every_s:
            cluster.recording.listeners.append(self._hear)

    def _hear(self, entry: Entry) -> None:
        event = entry.event
        if type(event) is not TransactionStateChanged:
            return
        self._decided.pop(event.transactional_id, None)
        if event.state in PREPARED and event.partitions:
            self._decided[event.transactional_id] = entry.node, event.partitions

    def advance(self, seconds: float) -> None:
        """Let so much time pass; strike in it when it is time and something is decided, and take that back later."""
        cluster, end_s = self._cluster, self._cluster.now_s() + seconds
        while self._every_s and self._next_s < end_s:
            cluster.advance(max(0.0, self._next_s - cluster.now_s()))
            if self._mend:
                self._send(self._mend)
                self._mend = ""
                self._next_s = cluster.now_s() + self._random.expovariate(1 / self._every_s)
            elif cluster.run_until(lambda: bool(self._decided), max(0.0, end_s - cluster.now_s())):
                cluster.advance(self._random.choice(DELAYS_S))
                self._strike()
                self._next_s = cluster.now_s() + self._random.choice(LASTS_S)
            else:
                break
        cluster.advance(max(0.0, end_s - cluster.now_s()))

    def _strike(self) -> None:
        """At whoever is needed to complete it; nobody where it is complete by now."""
        random, cluster = self._random, self._cluster
        if not self._decided:
            return
        coordinator, partitions = random.choice(list(self._decided.values()))
        facts = cluster.cluster().facts(TopicPartition(*random.choice(partitions)))
        leader = NO_NODE if facts is None else facts.leader
        victim = coordinator if leader == NO_NODE or random.random() < COORDINATOR_SHARE else leader
        verb = random.choice(("kill", "pause", "cut"))
        if verb == "cut" and leader not in (NO_NODE, coordinator):
            command = f"cut {coordinator}{random.choice('->')}{leader}"
            mend = f"heal {command}"
        elif verb == "pause":
            command, mend = f"pause {victim}", f"resume {victim}"
        else:
            command, mend = f"kill {victim}", f"start {victim}"
        if cluster.is_up(victim) and self._send(command):
            self._mend = mend
