"""Faults among the troubles of the swarm that come for a while and go, one of a kind at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from cluster.model.identifiers import NodeId

RUN_MS = (20, 50, 200)
STOP_MS = (20, 200, 1_000)
LASTS_S = 2.0
"""Mean time that one lasts."""
WITHHELD = (
    "Fetch", "Vote", "BeginQuorumEpoch", "EndQuorumEpoch", "FetchSnapshot", "BrokerRegistration", "BrokerHeartbeat",
    "AlterPartition", "AllocateProducerIds", "OffsetForLeaderEpoch", "ReportLogEnd",
)  # fmt: skip
"""What nodes ask each other: a withheld request was never heard, a withheld answer was heard and is not known of."""
Draw: TypeAlias = Callable[[Random, Sequence[NodeId]], str]
"""The command of one fault, given the nodes that run; empty where there is none to draw."""


def stutter(random: Random, running: Sequence[NodeId]) -> str:
    """For a while one node gets a part of its CPU only."""
    if not running:
        return ""
    return f"stutter {random.choice(running)} {random.choice(RUN_MS)}ms {random.choice(STOP_MS)}ms"


def withhold(random: Random, running: Sequence[NodeId]) -> str:
    """For a while some kinds of messages do not pass a link that is whole."""
    if len(running) < 2:
        return ""
    source, target = random.sample(running, 2)
    kinds = random.sample(WITHHELD, random.choice((1, 1, 2)))
    names = ",".join(f"{kind}{random.choice(('Request', 'Response'))}" for kind in kinds)
    return f"withhold {source}{random.choice('->')}{target} {names}"


class SwarmSpells:
    """Has one fault of a kind come now and then. All it does is a command."""

    __slots__ = ("_draw", "_every_s", "_fault", "_next_s", "_random", "_send")

    def __init__(self, random: Random, send: Callable[[str], bool], every_s: float, draw: Draw) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time from the end of one to the begin of the next; 0 for none.
        """
        self._random, self._send, self._every_s, self._draw = random, send, every_s, draw
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
        elif self._next_s:
            self._fault = self._draw(random, running)
            if self._fault:
                self._send(self._fault)
        self._next_s = now_s + random.expovariate(1 / (LASTS_S if self._fault else self._every_s))
