"""Deletions from the front of partitions among the load of the swarm."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cluster.language.topics import DeleteRecords
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState

ALL_SHARE = 0.2
"""Of the deletions that ask for everything below the high watermark."""
TOO_FAR = 2
"""So many offsets past the high watermark may be asked for; that is refused."""
HIGH_WATERMARK = -1


class SwarmDeletions:
    """Has an admin client delete records now and then. All it does is a command."""

    __slots__ = ("_begin", "_every_s", "_next_s", "_random")

    def __init__(self, random: Random, begin: Callable[[DeleteRecords], object], every_s: float) -> None:
        """
        Args:
            begin: has a client carry out one command, which nobody waits for.
            every_s: mean time between two; 0 for none.
        """
        self._random, self._begin, self._every_s = random, begin, every_s
        self._next_s = 0.0

    def look(self, now_s: float, partitions: list[TopicPartition], state: ClusterState) -> None:
        """Delete something when it is time."""
        if not self._every_s or not partitions or now_s < self._next_s:
            return
        random = self._random
        if self._next_s:
            where = random.choice(partitions)
            end = max((log.high_watermark for log in state.replica_logs(where).values()), default=0)
            before = random.randint(0, max(0, end) + TOO_FAR)
            self._begin(DeleteRecords(where, HIGH_WATERMARK if random.random() < ALL_SHARE else before, wait=False))
        self._next_s = now_s + random.expovariate(1 / self._every_s)
