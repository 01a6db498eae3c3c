"""Damage to the disk of a node that is down, and what a node that comes back makes of it."""

from __future__ import annotations

from cluster.model.events import FaultApplied, FaultReverted
from cluster.model.identifiers import TopicPartition
from tests.support.traces.watched import Watched

ORDERS = TopicPartition("orders", 0)


def world_with_five_records() -> Watched:
    world = Watched(seed=1)
    world.do("topic orders min-isr=1 assign=1,2,3", "produce orders 5")
    world.advance(1)
    return world


def test_a_node_that_runs_keeps_its_disk() -> None:
    world = world_with_five_records()
    for command in ("wipe 3", "tear 3 orders-0", "rot 3 orders-0 2"):
        answer = world.send(command)
        assert not answer.ok
        assert "kill 3 comes first" in answer.text


def test_a_torn_batch_is_cut_at_the_start_and_fetched_again() -> None:
    world = world_with_five_records()
    world.do("kill 3", "tear 3 orders-0", "start 3")
    assert world.cluster().log(3, ORDERS).log_end_offset == 4
    world.advance(3)
    assert world.cluster().identical(ORDERS)


def test_what_is_not_there_is_refused_and_leaves_no_fault() -> None:
    world = world_with_five_records()
    world.do("kill 3")
    assert "holds no offset 9" in world.send("rot 3 orders-0 9").text
    assert "faults: 1 kill 3" in world.send("status").text


def test_damage_is_told_as_applied_and_over_since_nothing_can_heal_it() -> None:
    world = world_with_five_records()
    world.do("kill 3", "wipe 3")
    told = [item.event for item in world.entries if isinstance(item.event, FaultApplied | FaultReverted)]
    assert [(type(item), item.kind) for item in told[-2:]] == [(FaultApplied, "Wipe"), (FaultReverted, "Wipe")]
    world.do("start 3")
    world.advance(3)
    assert world.cluster().identical(ORDERS)
