"""The acceptance scenarios H-P of partitions, on whole nodes in memory."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import BecameFollower, FetchRefused, IsrProposed, ReplicaDiverged
from cluster.model.messages import ElectLeadersRequest
from tests.support.worlds.replica_world import BROKERS, CONTROLLERS, ReplicaWorld


def isolate(world: ReplicaWorld, broker: int) -> None:
    """Cut one broker from the other brokers, both ways; controllers still hear it."""
    others = [node for node in BROKERS if node != broker]
    world.cuts |= {(broker, node) for node in others} | {(node, broker) for node in others}


def test_round_trips_the_leader_commits_on_the_second_fetch_and_a_follower_learns_later() -> None:
    world = ReplicaWorld(min_isr=1, replicas=2)
    answer = world.produce(1, "a", acks=-1)
    assert (answer.error, answer.base_offset) == (0, 0)
    assert world.high_watermark(1) == 1
    assert world.end(2) == 1
    assert world.high_watermark(2) == 0, "the answer that carried the record told the old high watermark"
    world.until(lambda: world.high_watermark(2) == 1)


def test_p01_a_dead_leader_is_replaced_and_comes_back_as_a_follower() -> None:
    world = ReplicaWorld()
    world.produce(1, "a", "b")
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    assert (world.state().leader_epoch, world.state().partition_epoch, world.state().isr) == (1, 1, (2, 3))
    assert world.produce(2, "c").error == 0
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    assert (world.state().leader, world.state().leader_epoch, world.state().partition_epoch) == (2, 1, 2)
    assert world.values(1) == ["a", "b", "c"]
    world.ask(world.active(), ElectLeadersRequest(topic="orders", partition=0, unclean=False))
    world.until(lambda: world.state().leader == 1)
    assert (world.state().leader_epoch, world.state().partition_epoch) == (2, 3)
    assert world.produce(1, "d").base_offset == 3


def test_p02_a_dead_follower_leaves_the_isr_and_the_leader_epoch_stays() -> None:
    world = ReplicaWorld()
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    assert (world.state().leader_epoch, world.state().partition_epoch) == (0, 1)
    assert world.produce(1, "a").error == 0
    world.start(3)
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    assert (world.state().leader_epoch, world.state().partition_epoch) == (0, 2)
    assert world.values(3) == ["a"]


def test_p05_records_acknowledged_by_the_leader_alone_are_lost_with_it() -> None:
    world = ReplicaWorld()
    for number in range(5):
        assert world.produce(1, f"m{number}").error == 0
    world.until(world.settled(1, 2, 3))
    isolate(world, 1)
    for number in (5, 6, 7):
        assert world.produce(1, f"m{number}", acks=1).error == 0
    world.kill(1)
    world.cuts.clear()
    world.until(lambda: world.state().leader == 2)
    assert world.produce(2, "n").base_offset == 5
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    assert world.cuts_of(1) == [(8, 5)]
    told = world.named(ReplicaDiverged, 2)[0]
    assert (told.fetch_offset, told.last_fetched_epoch) == (8, 0)
    assert (told.diverging_epoch, told.diverging_end_offset) == (0, 5)
    assert world.values(1) == world.values(2) == ["m0", "m1", "m2", "m3", "m4", "n"]


def _with_a_follower_one_step_behind(mode: str, **changes: Any) -> ReplicaWorld:
    """A: [m0, m1] with high watermark 2; B: the same records, but it knows high watermark 1 only."""
    world = ReplicaWorld(min_isr=1, replicas=2, truncation_mode=mode, **changes)
    world.produce(1, "m0")
    world.until(world.settled(1, 2))
    world.produce(1, "m1")
    assert (world.high_watermark(1), world.end(2), world.high_watermark(2)) == (2, 2, 1)
    return world


def _loss(mode: str) -> ReplicaWorld:
    """D.8a: B restarts, then A dies before B has fetched again.

    A registration takes a restarted broker out of the ISR first, so B can only be elected uncleanly; in the ZooKeeper
    era it had stayed in the ISR and the election was clean.
    """
    world = _with_a_follower_one_step_behind(mode, unclean_leader_election=True)
    world.kill(2)
    world.cuts |= {(1, 2), (2, 1)}
    world.start(2)
    world.until(lambda: len(world.named(BecameFollower, 2)) > 1 and world.unfenced() == (1, 2))
    return world


def test_p06_mode_hw_loses_an_acknowledged_record() -> None:
    world = _loss("hw")
    assert world.end(2) == 1, "the restart cut it to its high watermark"
    world.kill(1)
    world.cuts.clear()
    world.until(lambda: world.state().leader == 2)
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2})
    assert world.values(1) == world.values(2) == ["m0"]


@pytest.mark.parametrize("mode", ["kip101", "kip279", "fetch"])
def test_p07_modes_that_ask_for_the_epoch_keep_it(mode: str) -> None:
    world = _loss(mode)
    assert world.end(2) == 2
    world.kill(1)
    world.cuts.clear()
    world.until(lambda: world.state().leader == 2)
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2})
    assert world.values(1) == world.values(2) == ["m0", "m1"]
    assert world.cuts_of(1) == world.cuts_of(2) == []


def _divergence(mode: str) -> ReplicaWorld:
    """D.8b: both are down, B comes back without m1 and leads, takes m2; then A returns."""
    world = _with_a_follower_one_step_behind(mode, unclean_leader_election=True)
    world.kill(1)
    world.kill(2)
    world.log(2).truncate(1)
    world.start(2)
    world.until(lambda: world.state().leader == 2)
    assert world.produce(2, "m2", acks=1).base_offset == 1
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2})
    return world


def test_p08_mode_hw_lets_the_logs_differ_at_one_offset() -> None:
    world = _divergence("hw")
    assert world.values(1) == ["m0", "m1"]
    assert world.values(2) == ["m0", "m2"]
    assert world.cuts_of(1) == []


@pytest.mark.parametrize("mode", ["kip101", "kip279", "fetch"])
def test_p09_modes_that_ask_for_the_epoch_cut_and_m1_is_the_lost_one(mode: str) -> None:
    world = _divergence(mode)
    assert world.cuts_of(1) == [(2, 1)]
    assert world.values(1) == world.values(2) == ["m0", "m2"]


@pytest.mark.parametrize("gate", [True, False])
def test_p11_below_min_insync_only_acks_all_is_refused(gate: bool) -> None:
    world = ReplicaWorld(replicas=2, hw_gate=gate)
    world.kill(2)
    world.until(lambda: world.state().isr == (1,))
    assert world.produce(1, "a").error == ErrorCode.NOT_ENOUGH_REPLICAS
    assert world.end(1) == 0
    assert world.produce(1, "b", acks=1).error == 0
    assert world.end(1) == 1
    assert world.consumed(1) == ([] if gate else ["b"])
    world.start(2)
    world.until(lambda: set(world.state().isr) == {1, 2})
    world.until(lambda: world.high_watermark(1) == 1)
    assert world.consumed(1) == ["b"]


@pytest.mark.parametrize(
    ("gate", "error"), [(True, ErrorCode.REQUEST_TIMED_OUT), (False, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)]
)
def test_p12_an_isr_that_falls_below_the_minimum_after_the_append(gate: bool, error: ErrorCode) -> None:
    world = ReplicaWorld(replicas=2, hw_gate=gate)
    world.kill(2)
    asked = world.send_produce(1, "a", timeout_ms=4000)
    assert world.end(1) == 1
    assert world.answer_of(asked).error == error
    assert world.values(1) == ["a"], "the record stays and may be committed later"


def test_p13_a_slow_follower_leaves_after_the_lag_time_and_comes_back() -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    world.cuts |= {(1, 3), (3, 1)}
    before_ms = world.now_ms
    asked = world.send_produce(1, "b", timeout_ms=30_000)
    assert world.answer_of(asked).error == 0
    lag_ms = world.settings.replica_lag_time_max_ms
    assert lag_ms < world.now_ms - before_ms <= 2 * lag_ms
    assert world.state().isr == (1, 2)
    assert (world.state().leader_epoch, world.state().partition_epoch) == (0, 1)
    proposal = world.named(IsrProposed, 1)[0]
    assert proposal.isr == (1, 2)
    world.cuts.clear()
    world.until(lambda: set(world.state().isr) == {1, 2, 3}, 60_000)
    assert world.values(3) == ["a", "b"]


def test_p15_a_leader_cut_off_from_the_controllers_loses_only_what_it_alone_acknowledged() -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(1, node) for node in CONTROLLERS} | {(node, 1) for node in CONTROLLERS}
    world.until(lambda: world.state().leader == 2)
    assert (world.state().leader_epoch, world.state().isr) == (1, (2, 3))
    assert world.produce(1, "zombie", acks=1).error == 0
    assert world.produce(1, "never", acks=-1).error == ErrorCode.REQUEST_TIMED_OUT
    assert world.high_watermark(1) == 1
    assert world.produce(2, "b").error == 0
    world.cuts.clear()
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    assert world.values(1) == world.values(2) == ["a", "b"]


def test_p16_a_fenced_follower_replicates_on_but_is_not_put_back() -> None:
    world = ReplicaWorld()
    world.cuts |= {(3, node) for node in CONTROLLERS} | {(node, 3) for node in CONTROLLERS}
    world.until(lambda: world.state().isr == (1, 2))
    world.produce(1, "a")
    world.until(lambda: world.end(3) == 1)
    world.wait(3000)
    assert world.state().isr == (1, 2)
    assert world.state().partition_epoch == 1
    world.cuts.clear()
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    assert world.state().partition_epoch == 2


def test_p20_a_leader_that_stops_in_order_hands_over_before_it_leaves() -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    world.stop(1)
    world.until(lambda: 1 not in world.nodes)
    assert (world.state().leader, world.state().leader_epoch, world.state().isr) == (2, 1, (2, 3))
    assert world.disks[1].broker_epoch >= 0
    assert world.produce(2, "b").error == 0


def test_p10_controllers_down_leaders_serve_on_and_nothing_else_moves() -> None:
    world = ReplicaWorld()
    for controller in (101, 102):
        world.kill(controller)
    world.wait(2000)
    assert world.produce(1, "a").error == 0
    world.kill(3)
    assert world.produce(1, "b", timeout_ms=500).error == ErrorCode.REQUEST_TIMED_OUT
    world.start(101)
    world.until(lambda: world.state().isr == (1, 2))
    world.until(lambda: world.high_watermark(1) == 2)


def test_p33_a_fetch_in_an_older_epoch_is_fenced() -> None:
    world = ReplicaWorld()
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    world.cuts |= {(node, 3) for node in CONTROLLERS}
    world.ask(world.active(), ElectLeadersRequest(topic="orders", partition=0, unclean=False))
    world.until(lambda: bool(world.named(FetchRefused, 2)))
    refused = world.named(FetchRefused, 2)[0]
    assert (refused.error, refused.their_epoch, refused.our_epoch) == (ErrorCode.FENCED_LEADER_EPOCH, 1, 2)
    world.cuts.clear()
    world.until(lambda: world.state().leader == 1 and set(world.state().isr) == {1, 2, 3})
    assert world.produce(1, "a").error == 0
    world.until(lambda: world.values(3) == ["a"])


def test_a_leader_that_is_no_more_refuses_and_names_the_new_one() -> None:
    world = ReplicaWorld()
    world.ask(world.active(), ElectLeadersRequest(topic="orders", partition=0, unclean=False))
    answer = world.produce(2, "a")
    assert (answer.error, answer.leader_id) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)


def test_p21_the_only_isr_member_may_stop_and_the_partition_waits_for_it() -> None:
    world = ReplicaWorld(min_isr=1, replicas=2)
    world.kill(2)
    world.until(lambda: world.state().isr == (1,))
    world.stop(1)
    world.until(lambda: 1 not in world.nodes)
    assert (world.state().leader, world.state().leader_epoch, world.state().isr) == (-1, 1, (1,))
    world.start(1)
    world.until(lambda: world.state().leader == 1)
    assert world.state().leader_epoch == 2
