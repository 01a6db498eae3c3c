"""Replicas that move among the load of the swarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from cluster.language.topics import Reassign
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState

CANCEL_SHARE = 0.3
"""Of the requests about a partition that moves, those that cancel it."""
SAME_SIZE_SHARE = 0.7
"""Of the targets, those with as many replicas as the partition has now."""
REPLICAS_MAX = 4


class SwarmReassignments:
    """Has an admin client move partitions now and then. All it does is a command."""

    __slots__ = ("_begin", "_brokers", "_every_s", "_next_s", "_random")

    def __init__(
        self, random: Random, begin: Callable[[Reassign], object], brokers: Sequence[NodeId], every_s: float
    ) -> None:
        """
        Args:
            begin: has a client carry out one command, which nobody waits for.
            brokers: who may be a target, up or down.
            every_s: mean time between two; 0 for none.
        """
        self._random, self._begin, self._brokers, self._every_s = random, begin, brokers, every_s
        self._next_s = 0.0

    def look(self, now_s: float, partitions: list[TopicPartition], state: ClusterState) -> None:
        """Move something when it is time."""
        if not self._every_s or not partitions or now_s < self._next_s:
            return
        random = self._random
        if self._next_s:
            where = random.choice(partitions)
            self._begin(Reassign(where, self._target(where, state), wait=False))
        self._next_s = now_s + random.expovariate(1 / self._every_s)

    def _target(self, where: TopicPartition, state: ClusterState) -> tuple[NodeId, ...]:
        random, facts = self._random, state.facts(where)
        staying = 3 if facts is None else len(set(facts.replicas) - set(facts.removing_replicas))
        moves = facts is not None and bool(facts.adding_replicas or facts.removing_replicas)
        if moves and random.random() < CANCEL_SHARE:
            return ()
        size = staying if random.random() < SAME_SIZE_SHARE else random.randint(1, REPLICAS_MAX)
        return tuple(random.sample(self._brokers, max(1, min(size, len(self._brokers)))))
