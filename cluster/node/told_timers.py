"""Tells of the timers that decide about leadership, as they were drawn."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.events import TimerSet
from cluster.raft.timers import CHECK_TIMER, ELECTION_TIMER, FETCH_TIMER
from cluster.trace.tracer import Tracer

DECIDING = {ELECTION_TIMER: "election", FETCH_TIMER: "fetch", CHECK_TIMER: "check_quorum"}
"""Timers that are told, and their names there."""
TOLD_EVERY_MS = 250
"""One that begins anew with each fetch is told so often at most."""
NS_PER_MS = 1_000_000


class Told(NamedTuple):
    """A timer that runs, as it was told last."""

    length_ms: int
    at_ms: int


class ToldTimers:
    """What was said of the timers that run."""

    __slots__ = ("_told", "_tracer")

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._told: dict[str, Told] = {}

    def began(self, name: str, length_ns: int, now_ms: int) -> None:
        """One of the deciding timers begins, or begins anew."""
        length_ms, before = round(length_ns / NS_PER_MS), self._told.get(name)
        if before is not None and before.length_ms == length_ms and 0 <= now_ms - before.at_ms < TOLD_EVERY_MS:
            return
        self._told[name] = Told(length_ms, now_ms)
        self._tracer.observe(TimerSet(timer=DECIDING[name], length_ms=length_ms), self._tracer.cause)

    def ended(self, name: str) -> None:
        """A timer has run out or was cancelled: the next time is told again."""
        self._told.pop(name, None)
