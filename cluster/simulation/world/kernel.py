"""One heap, one clock, one seed: everything that happens in a simulation happens here, one action at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from random import Random
from typing import Any

Action = Callable[[Any], None]
START_NS = 1_000_000_000
"""Where the monotonic clock of every simulation begins."""
WALL_START_NS = 946_684_800_000_000_000
"""Unix time at monotonic zero: 2000-01-01, so that nobody takes it for the time of the run."""
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Kernel:
    """Takes actions in time order; those due at the same nanosecond in the order in which they were asked for."""

    __slots__ = ("_count", "_heap", "now_ns", "seed")

    def __init__(self, seed: int) -> None:
        self.seed = seed
        """All that is left to chance."""
        self.now_ns = START_NS
        """The virtual clock. Each event moves it on by one, so that no two events have the same time."""
        self._heap: list[tuple[int, int, Action, Any]] = []
        self._count = 0

    def stream(self, name: str) -> Random:
        """A source of chance of its own: a draw more in one place shifts no other."""
        return Random(f"{self.seed}/{name}")  # a text is hashed with SHA-512, whatever PYTHONHASHSEED says

    def at(self, time_ns: int, action: Action, argument: Any) -> None:
        """Do this then, or at once when that is over."""
        self._count += 1
        heappush(self._heap, (time_ns, self._count, action, argument))

    def after(self, delay_ns: int, action: Action, argument: Any) -> None:
        """Do this so much later."""
        self.at(self.now_ns + delay_ns, action, argument)

    @property
    def steps(self) -> int:
        """Actions taken."""
        return self._count - len(self._heap)

    @property
    def next_ns(self) -> int | None:
        """When the next action is due, maybe in the past; None when there is none."""
        return self._heap[0][0] if self._heap else None

    def pending(self) -> Iterator[Any]:
        """What each action that is to come is called with, in no order."""
        return (argument for _, _, _, argument in self._heap)

    def step(self) -> bool:
        """Jump to the next action and take it; False when there is none."""
        if not self._heap:
            return False
        time_ns, _, action, argument = heappop(self._heap)
        if time_ns > self.now_ns:
            self.now_ns = time_ns
        action(argument)
        return True

    def advance(self, until_ns: int) -> None:
        """Take all actions up to that time (inclusive), then stand there."""
        heap = self._heap
        while heap and heap[0][0] <= until_ns:
            time_ns, _, action, argument = heappop(heap)
            if time_ns > self.now_ns:
                self.now_ns = time_ns
            action(argument)
        self.now_ns = max(self.now_ns, until_ns)

    def run_until(self, is_reached: Callable[[], bool], limit_ns: int) -> bool:
        """Take actions until it is so, at most for limit_ns; whether it is."""
        end_ns = self.now_ns + limit_ns
        while not is_reached():
            if not self._heap or self._heap[0][0] > end_ns:
                self.now_ns = max(self.now_ns, end_ns)
                return is_reached()
            self.step()
        return True
