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
ONE_KIND_SHARE, ONE_KIND_STREAM, ONE_KIND_EVERY_S = 0.2, "one kind 108621", (0.3, 1.0, 3.0)
"""Of the seeds in which nobody answers a node about one thing, or hears it; the stream leaves the seeds that tests name
the runs that they were."""
ONE_KIND = (
    ("AlterPartition", "BrokerHeartbeat"), ("AlterPartition", "BrokerHeartbeat"), ("AlterPartition", "Fetch"),
    ("BrokerHeartbeat", "AlterPartition"), ("BeginQuorumEpoch", "Fetch"), ("BeginQuorumEpoch", "Vote"),
    ("WriteTxnMarkers", "AddPartitionsToTxn"), ("WriteTxnMarkers", "Fetch"), ("LeaderAndIsr", "UpdateMetadata"),
    ("LeaderAndIsr", "Session"), ("ZooKeeper", "StopReplica"), ("FetchSnapshot", "Fetch"),
)  # fmt: skip
"""One kind, and another that a second node is without meanwhile: the first waits for what the second changes."""
Draw: TypeAlias = Callable[[Random, Sequence[NodeId]], Sequence[str]]
"""The commands of one fault, given the nodes that run; none where there is none to draw."""


def draw_one_kind(seed: int) -> float:
    """Mean time between two of its spells in a seed; 0 for none."""
    random = Random(f"{seed}/{ONE_KIND_STREAM}")
    return random.choice(ONE_KIND_EVERY_S) if random.random() < ONE_KIND_SHARE else 0.0


def one_kind(random: Random, running: Sequence[NodeId]) -> Sequence[str]:
    """For a while a node gets no answers of one kind, or nobody hears it ask, and another is without another kind."""
    if len(running) < 2:
        return ()
    held = []
    for node, kind in zip(random.sample(running, 2), random.choice(ONE_KIND)[: random.choice((1, 2))], strict=False):
        hears_nothing = random.random() < 0.5
        for other in (each for each in running if each != node):
            answers, questions = f"{other}>{node} {kind}Response", f"{node}>{other} {kind}Request"
            held.append(f"withhold {answers if hears_nothing else questions}")
    return held


def stutter(random: Random, running: Sequence[NodeId]) -> Sequence[str]:
    """For a while one node gets a part of its CPU only."""
    if not running:
        return ()
    return (f"stutter {random.choice(running)} {random.choice(RUN_MS)}ms {random.choice(STOP_MS)}ms",)


def withhold(random: Random, running: Sequence[NodeId]) -> Sequence[str]:
    """For a while some kinds of messages do not pass a link that is whole."""
    if len(running) < 2:
        return ()
    source, target = random.sample(running, 2)
    kinds = random.sample(WITHHELD, random.choice((1, 1, 2)))
    names = ",".join(f"{kind}{random.choice(('Request', 'Response'))}" for kind in kinds)
    return (f"withhold {source}{random.choice('->')}{target} {names}",)


class SwarmSpells:
    """Has one fault of a kind come now and then. All it does is a command."""

    __slots__ = ("_draw", "_every_s", "_faults", "_next_s", "_random", "_send")

    def __init__(self, random: Random, send: Callable[[str], bool], every_s: float, draw: Draw) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time from the end of one to the begin of the next; 0 for none.
        """
        self._random, self._send, self._every_s, self._draw = random, send, every_s, draw
        self._next_s = 0.0
        self._faults: Sequence[str] = ()

    def look(self, now_s: float, running: Sequence[NodeId]) -> None:
        """Begin or end it when it is time. Who has died meanwhile has nothing to end, and refuses."""
        if not self._every_s or now_s < self._next_s:
            return
        random = self._random
        if self._faults:
            for fault in self._faults:
                self._send(f"heal {fault}")
            self._faults = ()
        elif self._next_s:
            self._faults = self._draw(random, running)
            for fault in self._faults:
                self._send(fault)
        self._next_s = now_s + random.expovariate(1 / (LASTS_S if self._faults else self._every_s))
