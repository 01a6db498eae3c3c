"""Deleted records and deleted topics in a whole simulated cluster, on simulated disks, judged by the checker."""

from __future__ import annotations

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.inputs import Received
from cluster.model.messages import DeleteRecordsRequest, DeleteTopicRequest, Message
from tests.support.traces.watched import ORDERS, Watched

CLIENT = 1999


def ask(world: Watched, node: int, request: Message) -> None:
    """A request of somebody who does not wait for the answer."""
    world.processes[node].give(Received(sender=CLIENT, correlation=3, message=request), None, "test")


def starts(world: Watched) -> list[int]:
    return [world.processes[node].store.open(ORDERS)[0].log_start_offset for node in world.brokers]


def watched() -> Watched:
    world = Watched()
    world.send("topic orders min-isr=2 assign=1,2,3")
    world.send("produce orders 6 idempotent=on")
    return world


def surprising(world: Watched) -> list[str]:
    """Rules that the run has broken."""
    world.finish()
    checker = Checker()
    for entry in world.entries:
        checker.feed(entry)
    return [line.info.id for line in checker.finish(()) if line.verdict is Verdict.VIOLATED]


def test_deleted_records_stay_deleted_through_power_loss() -> None:
    world = watched()
    ask(world, 1, DeleteRecordsRequest(topic="orders", partition=0, before_offset=4, timeout_ms=1_000))
    assert world.run_until(lambda: starts(world) == [4, 4, 4], 5)
    world.send("power-loss 2")
    world.send("start 2")
    world.send("kill leader(orders-0)")
    world.send("produce orders 2 idempotent=on")
    world.send("start 1")
    world.advance(5)
    assert starts(world) == [4, 4, 4]
    assert world.send("consume orders from=4").text.startswith("4 records read")
    assert surprising(world) == []


def test_a_topic_that_is_made_again_begins_empty_also_on_a_broker_that_was_down() -> None:
    world = watched()
    world.send("kill 3")
    (active,) = world.active_controllers()
    ask(world, active, DeleteTopicRequest(topic="orders"))
    world.advance(3)
    assert ORDERS not in world.processes[1].store.found()
    world.send("topic orders min-isr=2 assign=1,2,3")
    assert world.send("produce orders 2").text == "2 of 2 records acknowledged, offsets 0 to 1"
    world.send("start 3")
    world.advance(5)
    ends = [world.processes[node].store.open(ORDERS)[0].log_end_offset for node in world.brokers]
    assert ends == [2, 2, 2]
    assert surprising(world) == []
