"""Named timers on the virtual clock."""

from __future__ import annotations

from typing import Any

from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.kernel import NS_PER_MS, START_NS, Kernel
from cluster.simulation.world.timers import SimulatedTimers


class Owner:
    """Stands still when told."""

    def __init__(self, seed: int = 0) -> None:
        self.is_still = False
        self.kernel = Kernel(seed)
        self.fired: list[tuple[str, int]] = []
        self.deferred: list[tuple[Any, Any]] = []
        self.clock = MachineClock(self.kernel)
        self.timers = SimulatedTimers(self.clock, self.kernel, self, self._fire, self.kernel.stream("timers"))

    def _fire(self, name: str, _cause: object) -> None:
        self.fired.append((name, (self.kernel.now_ns - START_NS) // NS_PER_MS))

    def defer_timer(self, action: Any, argument: object) -> None:
        self.deferred.append((action, argument))

    def run(self, ms: int) -> None:
        self.kernel.advance(START_NS + ms * NS_PER_MS)


def test_a_timer_fires_once() -> None:
    owner = Owner()
    owner.timers.set("a", 10, 0, None)
    owner.run(100)
    assert owner.fired == [("a", 10)]


def test_a_timer_set_again_replaces_the_one_before() -> None:
    owner = Owner()
    owner.timers.set("later", 10, 0, None)
    owner.timers.set("later", 30, 0, None)
    owner.timers.set("sooner", 30, 0, None)
    owner.timers.set("sooner", 5, 0, None)
    owner.run(100)
    assert owner.fired == [("sooner", 5), ("later", 30)]


def test_a_cancelled_timer_does_not_fire_but_can_be_set_again() -> None:
    owner = Owner()
    owner.timers.set("a", 10, 0, None)
    owner.timers.cancel("a")
    owner.timers.cancel("never set")
    owner.run(5)
    owner.timers.set("a", 20, 0, None)
    owner.run(100)
    assert owner.fired == [("a", 25)]


def test_jitter_is_drawn_from_the_seed_within_its_range() -> None:
    def drawn(seed: int) -> list[tuple[str, int]]:
        owner = Owner(seed)
        for number in range(50):
            owner.timers.set(str(number), 100, 100, None)
        owner.run(1000)
        return owner.fired

    assert drawn(1) == drawn(1) != drawn(2)
    assert all(100 <= due < 200 for _, due in drawn(1))
    assert len({due for _, due in drawn(1)}) > 20


def test_who_stands_still_gets_its_timers_late() -> None:
    owner = Owner()
    owner.timers.set("a", 10, 0, None)
    owner.is_still = True
    owner.run(50)
    assert owner.fired == []
    owner.is_still = False
    for action, argument in owner.deferred:
        action(argument)
    assert owner.fired == [("a", 50)]


def test_after_closing_nothing_fires() -> None:
    owner = Owner()
    owner.timers.set("a", 10, 0, None)
    owner.timers.close()
    owner.run(100)
    assert owner.fired == []


def test_a_fast_clock_makes_timers_early_and_a_slow_one_late() -> None:
    owner = Owner()
    owner.clock.set(0, 100)
    owner.timers.set("early", 100, 0, None)
    owner.run(60)
    assert owner.fired == [("early", 50)]
    owner.clock.set(0, -50)
    owner.timers.set("late", 100, 0, None)
    owner.run(1_000)
    assert owner.fired[1:] == [("late", 260)]


def test_a_clock_that_begins_to_drift_takes_the_timers_along_that_are_set() -> None:
    owner = Owner()
    owner.timers.set("a", 100, 0, None)
    owner.timers.set("gone", 100, 0, None)
    owner.timers.cancel("gone")
    owner.run(40)
    owner.timers.retime(owner.clock.set(0, 100))
    owner.run(1_000)
    assert owner.fired == [("a", 70)]
    owner.timers.set("b", 100, 0, None)
    owner.timers.retime(owner.clock.set(0, 0))
    owner.run(2_000)
    assert owner.fired[1:] == [("b", 1_100)]
