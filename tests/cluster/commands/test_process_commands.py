"""What is answered to commands about processes."""

from __future__ import annotations

from dataclasses import replace

from cluster.commands.carry_out import carry_out
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    CoordinatorLoaded,
    GroupGenerationBegan,
    LogRecovered,
    OperationFailed,
    OperationRetried,
    OperationSucceeded,
    PowerLost,
)
from cluster.model.settings import classroom_timing
from tests.support.traces.watched import Watched, at_once


def test_freeze_counts_the_nodes_that_it_stopped() -> None:
    world = Watched(seed=1)
    world.do("kill 1", "kill 2", "kill 3", "kill 101")

    def answer(text: str) -> str:
        return at_once(carry_out(world.desk, text, world.ready)).text

    assert answer("freeze") == "2 nodes are frozen"
    world.do("thaw", "kill 102")
    assert answer("freeze") == "1 node is frozen"


def test_links_and_disks_are_healed_apart_and_the_answer_names_what_was_healed() -> None:
    world = Watched(seed=1)
    world.do("topic orders", "cut 1>2", "fsync slow 2 100ms", "pause 3", "delay 1-3 50ms")
    assert world.send("heal links").text == "2 faults healed: 1 cut 1>2; 4 delay 1-3 50ms"
    assert world.send("heal disks").text == "1 fault healed: 2 fsync slow 2 100ms"
    assert world.is_paused(3)
    assert world.send("heal links").text == "0 faults healed"
    assert world.send("heal").text == "1 fault healed: 3 pause 3"
    assert not world.is_paused(3)


def test_a_node_that_is_down_loses_what_its_process_left_in_the_page_cache() -> None:
    world = Watched(seed=1, settings=replace(classroom_timing(), flush_partitions=False))
    world.do("topic orders assign=1,2,3 min-isr=2", "produce orders 3", "kill 3")
    assert world.send("power-loss 3").ok
    assert [event.node_id for event in world.of(PowerLost)] == [3]
    world.do("start 3")
    recovered = [event for event in world.of(LogRecovered, 3) if event.topic == "orders"][-1]
    assert recovered.log_end_offset == 0, "nothing was flushed"
    assert world.send("power-loss 1,2,3").ok, "some run, some do not"


def test_a_topic_may_be_asked_for_without_waiting_and_without_asking_again() -> None:
    world = Watched(seed=1)
    world.do("kill 1", "kill 2")
    world.advance(5)
    answer = world.send("topic orders replicas=3 retries=no")
    assert not answer.ok and "INVALID_REPLICATION_FACTOR" in answer.text
    assert {event.error for event in world.of(OperationRetried)} <= {ErrorCode.NOT_CONTROLLER}
    assert len(world.of(OperationFailed)) == 1
    world.do("start 1", "start 2")
    world.advance(5)
    world.send("topic later replicas=3 wait=no")
    assert not world.of(OperationSucceeded), "it does not wait for the answer"
    world.advance(5)
    assert [event.topic for event in world.of(OperationSucceeded)] == ["later"]


def test_a_broker_that_is_flushed_keeps_its_records_through_a_power_loss_and_the_other_does_not() -> None:
    world = Watched(seed=1, settings=replace(classroom_timing(), flush_partitions=False))
    world.do("topic orders assign=1,2,3 min-isr=2", "produce orders 3", "flush 2", "power-loss 1,2,3")
    world.do("start 1", "start 2")
    ends = {node: [each for each in world.of(LogRecovered, node) if each.topic == "orders"][-1] for node in (1, 2)}
    assert (ends[1].log_end_offset, ends[2].log_end_offset) == (0, 3)
    world.do("pause 2")
    assert world.send("flush 2").text == "node 2 is paused"
    assert world.send("flush 3").text == "node 3 is not running"


def test_the_coordinator_of_a_group_is_placed_with_the_offsets_topic() -> None:
    world = Watched(seed=1)
    world.do("topic __consumer_offsets partitions=2 assign=2,1,3", "topic orders", "consume orders group=g1 member=a")
    world.until(lambda: world.of(CoordinatorLoaded))
    world.advance(5)
    assert {node for node in (1, 2, 3) if world.of(GroupGenerationBegan, node)} == {2}


def test_a_frozen_node_goes_on_only_with_all_others() -> None:
    world = Watched(seed=1)
    world.do("freeze")
    answer = world.send("resume 1")
    assert (answer.ok, answer.text) == (False, "node 1 is frozen with all others; thaw lets them go on")
    world.do("thaw")
