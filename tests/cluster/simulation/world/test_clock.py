"""Clocks that are off: the wall clock jumps, the monotonic one never does, and timers go by the latter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cluster.model.events import FaultReverted, LeaderElected
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.kernel import NS_PER_S, START_NS, WALL_START_NS, Kernel
from tests.support.traces.watched import Watched


def test_a_skewed_wall_clock_leaves_the_monotonic_one_alone() -> None:
    kernel = Kernel(1)
    clock = MachineClock(kernel)
    clock.set(-5 * NS_PER_S, 0)
    kernel.advance(START_NS + NS_PER_S)
    assert clock.now_ns() == kernel.now_ns
    assert clock.wall_ns() == WALL_START_NS + kernel.now_ns - 5 * NS_PER_S
    clock.set(0, 0)
    assert clock.wall_ns() == WALL_START_NS + kernel.now_ns
    assert clock.is_right


def test_a_drifting_clock_is_put_right_by_a_jump_of_the_wall_clock_alone() -> None:
    kernel = Kernel(1)
    clock = MachineClock(kernel)
    clock.set(0, 10)
    kernel.advance(START_NS + 10 * NS_PER_S)
    assert clock.now_ns() == kernel.now_ns + NS_PER_S
    assert clock.wall_ns() == WALL_START_NS + kernel.now_ns + NS_PER_S
    clock.set(0, 0)
    assert clock.now_ns() == kernel.now_ns + NS_PER_S
    assert clock.wall_ns() == WALL_START_NS + kernel.now_ns


@given(st.lists(st.tuples(st.integers(-50, 100), st.integers(0, 10**9), st.integers(1, 10**7)), max_size=8))
def test_the_monotonic_clock_never_goes_back_and_no_timer_is_early_by_it(drifts: list[tuple[int, int, int]]) -> None:
    kernel = Kernel(1)
    clock = MachineClock(kernel)
    shown = clock.now_ns()
    for percent, wait_ns, delay_ns in drifts:
        clock.set(0, percent)
        kernel.advance(kernel.now_ns + wait_ns)
        began = clock.now_ns()
        assert began >= shown
        kernel.advance(kernel.now_ns + clock.true_ns(delay_ns))
        shown = clock.now_ns()
        assert shown >= began + delay_ns


def test_every_event_of_a_node_shows_its_own_wall_clock_also_after_a_restart() -> None:
    world = Watched(seed=2)
    world.do("topic orders", "clock skew 2 +7s")
    since = len(world.entries)
    world.do("restart 2", "produce orders 3")
    off = {entry.node: (entry.wall_ns - WALL_START_NS - entry.t_ns) / NS_PER_S for entry in world.entries[since:]}
    assert off[2] == 7.0
    assert {value for node, value in off.items() if node != 2} == {0.0}
    world.do("clock ok 2")
    assert world.of(FaultReverted)[-1].kind == "SkewClock"
    assert world.entries[-1].wall_ns - world.entries[-1].t_ns == WALL_START_NS


def test_a_quorum_elects_a_leader_although_its_clocks_drift_apart() -> None:
    world = Watched(seed=3)
    world.do("topic orders", "clock drift 101 +40%", "clock drift 102 -40%", "clock skew 103 -60s", "kill controller")
    since = len(world.entries)
    world.advance(10)
    assert world.of(LeaderElected, since=since)
    world.do("produce orders 3", "heal")
    assert "faults: 4 kill" in world.send("status").text
    assert all(clock.wall_ns() == WALL_START_NS + world.kernel.now_ns for clock in world.clocks.values())


def test_clock_ok_is_refused_where_nothing_is_wrong() -> None:
    world = Watched(seed=2)
    assert "nothing is wrong" in world.send("clock ok 1").text
