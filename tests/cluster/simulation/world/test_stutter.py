"""A node that stutters: it stands still and runs in turn, until it is healed or ends."""

from __future__ import annotations

from typing import Any

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.events import FaultReverted, ReplicaAppended
from cluster.model.identifiers import TopicPartition
from cluster.simulation.world.kernel import NS_PER_MS, START_NS
from tests.support.traces.watched import Watched

ROUND_MS = 250


def stuttering() -> Watched:
    """Node 2 runs 50 ms and stands still 200 ms from now on."""
    world = Watched(seed=1)
    world.do("topic orders min-isr=2 assign=1,2,3", "stutter 2 50ms 200ms")
    return world


def still(world: Watched, node: int = 2) -> bool:
    return world.processes[node].is_still


def test_it_runs_for_a_while_and_stands_still_for_a_while() -> None:
    world = stuttering()
    seen = []
    for _ in range(4 * ROUND_MS):
        world.advance(0.001)
        seen.append(still(world))
    assert abs(sum(seen) - 4 * 200) <= 8
    changes = sum(one != other for one, other in zip(seen, seen[1:], strict=False))
    assert changes in (7, 8)
    assert not world.is_paused(2), "no command has stopped it"


def appended_ms(world: Watched, node: int) -> list[float]:
    """When it appended to orders-0, since the rounds began."""
    at = [entry.t_ns for entry in world.entries if entry.node == node and isinstance(entry.event, ReplicaAppended)]
    return [(time_ns - START_NS) / NS_PER_MS for time_ns in at]


def test_what_comes_while_it_stands_still_is_done_when_it_runs() -> None:
    world = stuttering()
    began_ms = (world.kernel.now_ns - START_NS) / NS_PER_MS
    world.do("produce orders 40 in-flight=1")
    own = [time_ms - began_ms for time_ms in appended_ms(world, 2)]
    assert len(own) >= 40
    assert all(time_ms % ROUND_MS <= 51 for time_ms in own)
    world.do("heal stutter 2 50ms 200ms")
    world.until(lambda: world.cluster().identical(TopicPartition("orders", 0)))


def test_healing_lets_it_run_at_once_and_for_good() -> None:
    world = stuttering()
    world.advance(0.1)
    assert still(world)
    world.do("heal")
    for _ in range(2 * ROUND_MS):
        assert not still(world)
        world.advance(0.001)


def test_resume_heals_it_and_is_refused_where_there_is_nothing_to_resume() -> None:
    world = stuttering()
    world.do("resume 2")
    assert [event.kind for event in world.of(FaultReverted)] == ["Stutter"]
    assert world.send("resume 2").text == "node 2 is not paused"


def test_a_pause_holds_it_whatever_its_rounds_say() -> None:
    world = stuttering()
    world.do("pause 2")
    for _ in range(ROUND_MS):
        world.advance(0.001)
        assert still(world)
    world.do("heal pause 2")
    assert {watch(world) for _ in range(ROUND_MS)} == {False, True}, "its rounds go on"


def watch(world: Watched) -> bool:
    world.advance(0.001)
    return still(world)


def test_a_new_stutter_takes_the_place_of_the_old_one() -> None:
    world = stuttering()
    world.do("stutter 2 20ms 20ms")
    assert [event.arguments for event in world.of(FaultReverted)] == ["2 50ms 200ms"]
    seen = [watch(world) for _ in range(400)]
    assert abs(sum(seen) - 200) <= 20


def test_it_is_over_when_the_node_ends_and_does_not_come_back_with_it() -> None:
    world = stuttering()
    world.do("kill 2", "start 2")
    assert [event.kind for event in world.of(FaultReverted)] == ["Stutter", "Kill"]
    assert not any(watch(world) for _ in range(2 * ROUND_MS))
    world.do("stutter 3 50ms 1s", "stop 3")
    assert not world.is_up(3)
    world.do("stutter 1 50ms 1s", "power-loss 1")
    assert not [fault for fault in world.desk.book if fault.command.kind == "Stutter"]


def test_nothing_that_must_hold_breaks() -> None:
    world = stuttering()
    checker = Checker()
    world.do("stutter controller 20ms 400ms", "produce orders 50 wait=no", "stutter 1 30ms 700ms")
    world.advance(20)
    world.do("heal", "produce orders 5")
    world.advance(10)
    world.finish()
    for entry in world.entries:
        checker.feed(entry)
    found: list[Any] = [line.info.id for line in checker.finish(()) if line.verdict is Verdict.VIOLATED]
    assert found == []
