"""While inputs follow one another closely, a node looks for the next one for a moment before it sleeps.

To wake a sleeping process takes its waker and itself longer than to answer, and a lone commit wakes four in turn. So a
client that waits for each of its records, and the replicas it waits for, find each other awake. A node that is asked
now and then sleeps in between, and so does one whose processor others want. Source: Linux's busy polling of sockets.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from time import monotonic_ns

CLOSE_NS = 500_000
"""Inputs follow closely when no more than this lies between the end of one and the next: so long the next is looked
for, and a look in vain shows that they no longer do."""
STREAK = 8
"""So many must have followed closely in a row before it is worth while."""
WANTED_NS = 1_000_000
"""A processor that comes back later than this from a yield had other work to do."""
RETREAT = 200
"""Inputs that must follow closely before it is tried again where the processor was wanted."""
LEAST_CORES = 4
"""With fewer, three brokers and a client cannot all be awake."""


class BusyPoll:
    """Keeps the loop of one node turning between inputs that follow closely."""

    __slots__ = ("_clock", "_ended_ns", "_give_way", "_is_looking", "_loop", "_streak", "_until_ns")

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Callable[[], int], give_way: Callable[[], None]) -> None:
        """`clock`: monotonic, in ns; `give_way`: lets another process have the processor, if one wants it."""
        self._loop = loop
        self._clock = clock
        self._give_way = give_way
        self._ended_ns = 0
        self._streak = 0
        self._until_ns = 0
        self._is_looking = False

    def rest(self, began_ns: int) -> None:
        """The inputs that came at began_ns (monotonic) are handled; sleep, or look for the next ones first."""
        now_ns = self._clock()
        self._streak = self._streak + 1 if began_ns - self._ended_ns <= CLOSE_NS else min(self._streak, 0)
        self._ended_ns = now_ns
        if self._streak < STREAK:
            return
        self._until_ns = now_ns + CLOSE_NS
        if not self._is_looking:
            self._is_looking = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        """One turn of the loop: whatever came in since is handled before this is called again."""
        before_ns = self._clock()
        self._give_way()
        now_ns = self._clock()
        if now_ns - before_ns > WANTED_NS:
            self._streak = -RETREAT
        elif now_ns < self._until_ns:
            self._loop.call_soon(self._look)
            return
        self._is_looking = False


def may_busy_poll() -> bool:
    """Whether there are processors to spare, and a way to give them to those that are waited for."""
    if not (hasattr(os, "sched_yield") and hasattr(os, "sched_getaffinity")):
        return False
    return len(os.sched_getaffinity(0)) >= LEAST_CORES


def busy_poll(loop: asyncio.AbstractEventLoop) -> BusyPoll | None:
    """None where the node had better sleep."""
    return BusyPoll(loop, monotonic_ns, os.sched_yield) if may_busy_poll() else None
