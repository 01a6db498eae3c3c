"""Named timers on a loop whose clock is turned by hand: on a real one a slow machine would change their order."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random
from typing import Any, cast

from cluster.model.entry import EventId
from cluster.runtime.timers import Timers

CAUSE = EventId(1, 0, 7)
END_S = 0.06


@dataclass(order=True)
class Handle:
    """One call that is due, unless it was cancelled."""

    when: float
    number: int
    act: Callable[[], Any] = field(compare=False)
    is_cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.is_cancelled = True


class Clock:
    """What timers ask of an event loop."""

    def __init__(self) -> None:
        self._now = 0.0
        self._due: list[Handle] = []
        self._count = 0

    def time(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[..., Any], *args: object) -> Handle:
        self._count += 1
        handle = Handle(when, self._count, lambda: callback(*args))
        heappush(self._due, handle)
        return handle

    def turn(self, end: float) -> None:
        """To that time, and make each call when it is due."""
        while self._due and self._due[0].when <= end:
            handle = heappop(self._due)
            self._now = handle.when
            if not handle.is_cancelled:
                handle.act()
        self._now = end


def fired(*steps: tuple[str, int | None]) -> list[tuple[str, EventId | None]]:
    """Set (name, delay) or cancel (name, None), then let 60 ms pass."""
    seen: list[tuple[str, EventId | None]] = []
    clock = Clock()
    timers = Timers(cast(AbstractEventLoop, clock), lambda name, cause: seen.append((name, cause)), Random(1))
    for name, delay_ms in steps:
        if delay_ms is None:
            timers.cancel(name)
        else:
            timers.set(name, delay_ms, 0, CAUSE)
    clock.turn(END_S)
    timers.close()
    return seen


def test_a_timer_fires_once_with_the_event_it_was_set_by() -> None:
    assert fired(("a", 1)) == [("a", CAUSE)]


def test_a_cancelled_timer_does_not_fire() -> None:
    assert fired(("a", 1), ("a", None), ("b", None)) == []


def test_setting_again_replaces_it_earlier_or_later() -> None:
    assert fired(("a", 5), ("a", 20), ("b", 500), ("b", 1)) == [("b", CAUSE), ("a", CAUSE)]


def test_a_timer_moved_past_the_end_does_not_fire_at_its_old_time() -> None:
    assert fired(("a", 5), ("a", 500)) == []


def test_a_cancelled_timer_can_be_set_again() -> None:
    assert fired(("a", 5), ("a", None), ("a", 10)) == [("a", CAUSE)]
