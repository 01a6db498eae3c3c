"""Nodes that stutter among the troubles of the swarm: for a while they get a part of their CPU only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from cluster.model.identifiers import NodeId

RUN_MS = (20, 50, 200)
STOP_MS = (20, 200, 1_000)
LASTS_S = 2.0
"""Mean time that a node stutters."""


class SwarmStutters:
    """Has one node at a time stutter now and then. All it does is a command."""

    __slots__ = ("_every_s", "_fault", "_next_s", "_random", "_send")

    def __init__(self, random: Random, send: Callable[[str], bool], every_s: float) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time from the end of one to the begin of the next; 0 for none.
        """
        self._random, self._send, self._every_s = random, send, every_s
        self._next_s = 0.0
        self._fault = ""

    def look(self, now_s: float, running: Sequence[NodeId]) -> None:
        """Begin or end it when it is time. Who has died meanwhile has nothing to end, and refuses."""
        if not self._every_s or now_s < self._next_s:
            return
        random = self._random
        if self._fault:
            self._send(f"heal {self._fault}")
            self._fault = ""
        elif self._next_s and running:
            self._fault = f"stutter {random.choice(running)} {random.choice(RUN_MS)}ms {random.choice(STOP_MS)}ms"
            self._send(self._fault)
        self._next_s = now_s + random.expovariate(1 / (LASTS_S if self._fault else self._every_s))
