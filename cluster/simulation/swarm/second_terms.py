"""Leadership that goes to another node and comes back while the first one runs on: it leads a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.simulation.world.cluster import SimulatedCluster

SECOND_TERM_SHARE, SECOND_TERM_STREAM = 0.2, "second terms 185264"
"""Of the seeds in which it happens."""
SECOND_TERM_EVERY_S = (0.3, 1.0, 4.0)
LIMIT_S = 6.0
"""Most that each step waits for: longer than a session of the classroom profile."""
STARVED_S = 0.3
STARVED_SHARE = 0.6
"""Of the terms that end while the next leader lacks what others have."""
ASKED_SHARE = 0.4
"""Of the returns, those that an administrator asks for; else the one who leads meanwhile goes."""
Reached: TypeAlias = Callable[[], bool]


def draw_second_terms(seed: int) -> float:
    """Mean time between two in a seed; 0 for none. The stream leaves the seeds that tests name the runs they were."""
    random = Random(f"{seed}/{SECOND_TERM_STREAM}")
    return random.choice(SECOND_TERM_EVERY_S) if random.random() < SECOND_TERM_SHARE else 0.0


class SwarmSecondTerms:
    """Plays one such story after the other. All it does is a command."""

    __slots__ = ("_cluster", "_every_s", "_limit_s", "_next_s", "_random", "_reached", "_send", "_story")

    def __init__(self, cluster: SimulatedCluster, send: Callable[[str], bool], every_s: float) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time between two; 0 for none.
        """
        self._cluster, self._send, self._every_s = cluster, send, every_s
        self._random = cluster.kernel.stream("second terms")
        self._next_s = self._limit_s = 0.0
        self._story: Iterator[tuple[float, Reached]] | None = None
        self._reached: Reached = bool

    def look(self, now_s: float, partitions: Sequence[TopicPartition]) -> None:
        """Begin a story when it is time; go on with it once its step is done, or has had its time."""
        if not self._every_s or now_s < self._next_s:
            return
        if self._story is None:
            self._story, self._limit_s = self._play(self._random.choice((METADATA, *partitions))), now_s
        if now_s >= self._limit_s or self._reached():
            step = next(self._story, None)
            if step is None:
                self._story, self._next_s = None, now_s + self._random.expovariate(1 / self._every_s)
            else:
                self._limit_s, self._reached = now_s + step[0], step[1]

    def _play(self, where: TopicPartition) -> Iterator[tuple[float, Reached]]:
        """Each step with what it waits for and for how long at most."""
        random = self._random
        first, others = self._leader(where), [node for node in self._replicas(where) if node != self._leader(where)]
        if first == NO_NODE or not others:
            return
        starved = random.random() < STARVED_SHARE and self._send(held := f"cut {first}>{random.choice(others)}")
        if starved:
            yield STARVED_S, bool
        away, back = self._out(first)
        if self._send(away):
            yield LIMIT_S, lambda: self._leader(where) not in (NO_NODE, first)
            self._send(back)
        if starved:
            self._send(f"heal {held}")
        yield LIMIT_S, lambda: first in self._in_sync(where)
        second = self._leader(where)
        if second in (NO_NODE, first):
            return
        if where != METADATA and random.random() < ASKED_SHARE:
            self._send(f"elect {where}")
            yield LIMIT_S, lambda: self._leader(where) == first
        elif self._send((out := self._out(second))[0]):
            yield LIMIT_S, lambda: self._leader(where) == first
            self._send(out[1])

    def _out(self, node: NodeId) -> tuple[str, str]:
        """How a node is out of the way for a while without an end of its life, and how it comes back."""
        if self._random.random() < 0.5:
            return f"pause {node}", f"resume {node}"
        return f"isolate {node}", f"heal isolate {node}"

    def _leader(self, where: TopicPartition) -> NodeId:
        if where == METADATA:
            return next(iter(self._cluster.active_controllers()), NO_NODE)
        facts = self._cluster.cluster().facts(where)
        return NO_NODE if facts is None else facts.leader

    def _replicas(self, where: TopicPartition) -> Sequence[NodeId]:
        if where == METADATA:
            return self._cluster.config.voters
        facts = self._cluster.cluster().facts(where)
        return () if facts is None else facts.replicas

    def _in_sync(self, where: TopicPartition) -> Sequence[NodeId]:
        """Whoever may lead next."""
        if where == METADATA:
            return self._cluster.config.voters
        facts = self._cluster.cluster().facts(where)
        return () if facts is None else facts.isr
