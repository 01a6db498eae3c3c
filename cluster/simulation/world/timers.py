"""Named timers on the virtual clock. The delay is drawn here, so the core needs no randomness."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from cluster.model.entry import EventId
from cluster.simulation.world.clock import PERCENT, MachineClock
from cluster.simulation.world.kernel import NS_PER_MS, Action, Kernel

Fire = Callable[[str, EventId | None], None]


class Stillness(Protocol):
    """Who may stand still while time goes on."""

    is_still: bool
    """Whether no instruction of it runs now."""

    def defer_timer(self, action: Action, argument: object) -> None:
        """Do this once it goes on, after what arrived meanwhile."""


class _Timer:
    __slots__ = ("cause", "deadline_ns", "due_ns", "name")

    def __init__(self, name: str, deadline_ns: int, cause: EventId | None) -> None:
        self.name = name
        self.due_ns = deadline_ns
        self.deadline_ns: int | None = deadline_ns
        self.cause = cause


class SimulatedTimers:
    """Fires each name once; a timer that is moved to later keeps its place on the heap until then."""

    __slots__ = ("_clock", "_draw", "_fire", "_kernel", "_owner", "_timers")

    def __init__(self, clock: MachineClock, kernel: Kernel, owner: Stillness, fire: Fire, random: Random) -> None:
        self._clock, self._kernel, self._owner, self._fire = clock, kernel, owner, fire
        self._draw = random.random
        self._timers: dict[str, _Timer] = {}

    def set(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> int:
        """Fire in delay_ms, up to jitter_ms later (exclusive), instead of one of that name. The delay drawn, in ns."""
        delay_ns = delay_ms * NS_PER_MS
        if jitter_ms:
            delay_ns += int(self._draw() * jitter_ms * NS_PER_MS)
        if not self._clock.is_right:
            delay_ns = self._clock.true_ns(delay_ns)
        deadline_ns = self._kernel.now_ns + delay_ns
        if name in self._timers and (timer := self._timers[name]).due_ns <= deadline_ns:
            timer.deadline_ns, timer.cause = deadline_ns, cause
        else:
            self._place(name, deadline_ns, cause)
        return delay_ns

    def _place(self, name: str, deadline_ns: int, cause: EventId | None) -> None:
        timer = self._timers[name] = _Timer(name, deadline_ns, cause)
        self._kernel.at(deadline_ns, self._on_time, timer)

    def cancel(self, name: str) -> None:
        """Forget it, if it is set."""
        timer = self._timers.get(name)
        if timer is not None:
            timer.deadline_ns = None

    def retime(self, rate_before: int) -> None:
        """The clock goes at another rate from now on: what is left of each timer takes longer, or less long."""
        now_ns = self._kernel.now_ns
        for name, timer in list(self._timers.items()):
            if timer.deadline_ns is not None:
                left_ns = max(0, timer.deadline_ns - now_ns) * rate_before // PERCENT
                self._place(name, now_ns + self._clock.true_ns(left_ns), timer.cause)

    def close(self) -> None:
        """Forget all."""
        self._timers.clear()

    def _on_time(self, timer: _Timer) -> None:
        if self._timers.get(timer.name) is not timer:
            return
        if self._owner.is_still:
            self._owner.defer_timer(self._on_time, timer)
        elif timer.deadline_ns is None:
            del self._timers[timer.name]
        elif timer.deadline_ns > timer.due_ns:
            timer.due_ns = timer.deadline_ns
            self._kernel.at(timer.deadline_ns, self._on_time, timer)
        else:
            del self._timers[timer.name]
            self._fire(timer.name, timer.cause)
