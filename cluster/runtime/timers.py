"""A node's named timers on the event loop. The delay is drawn here, so the core needs no randomness."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from cluster.model.entry import EventId

NS_PER_MS = 1_000_000
Fire = Callable[[str, EventId | None], None]


class _Timer:
    __slots__ = ("cause", "deadline", "due", "handle")

    def __init__(self, handle: asyncio.TimerHandle, deadline: float, cause: EventId | None) -> None:
        self.handle = handle
        self.due = deadline
        self.deadline: float | None = deadline
        self.cause = cause


class Timers:
    """Fires each name once; a timer that is moved to later keeps its place on the loop until then."""

    __slots__ = ("_draw", "_fire", "_loop", "_timers")

    def __init__(self, loop: asyncio.AbstractEventLoop, fire: Fire, random: Random) -> None:
        self._loop = loop
        self._fire = fire
        self._draw = random.random
        self._timers: dict[str, _Timer] = {}

    def set(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> int:
        """Fire delay_ms to delay_ms + jitter_ms from now; replaces a timer of that name. The delay drawn, in ns."""
        drawn_ms = delay_ms + self._draw() * jitter_ms
        deadline = self._loop.time() + drawn_ms / 1000
        timer = self._timers.get(name)
        if timer is not None and timer.due <= deadline:
            timer.deadline, timer.cause = deadline, cause
            return round(drawn_ms * NS_PER_MS)
        if timer is not None:
            timer.handle.cancel()
        self._timers[name] = _Timer(self._loop.call_at(deadline, self._on_time, name), deadline, cause)
        return round(drawn_ms * NS_PER_MS)

    def cancel(self, name: str) -> None:
        """Forget it, if it is set."""
        timer = self._timers.get(name)
        if timer is not None:
            timer.deadline = None

    def close(self) -> None:
        """Forget all."""
        for timer in self._timers.values():
            timer.handle.cancel()
        self._timers.clear()

    def _on_time(self, name: str) -> None:
        timer = self._timers[name]
        if timer.deadline is None:
            del self._timers[name]
        elif timer.deadline > timer.due:
            timer.due = timer.deadline
            timer.handle = self._loop.call_at(timer.deadline, self._on_time, name)
        else:
            del self._timers[name]
            self._fire(name, timer.cause)
