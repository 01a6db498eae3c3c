"""What brokers make of a reassignment: who is added copies and joins, who leaves drops its log."""

from __future__ import annotations

from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import BecameLeader, PartitionApplied
from cluster.model.messages import ReassignPartitionRequest
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld

SPARES = (4, 5, 6)


def written(**changes: Any) -> ReplicaWorld:
    world = ReplicaWorld(spares=SPARES, **changes)
    world.produce(1, "a", "b")
    world.until(world.settled(1, 2, 3))
    return world


def reassign(world: ReplicaWorld, *replicas: int) -> int:
    return _ask(world, replicas)


def cancel(world: ReplicaWorld) -> int:
    return _ask(world, None)


def _ask(world: ReplicaWorld, replicas: tuple[int, ...] | None) -> int:
    request = ReassignPartitionRequest(topic="orders", partition=0, replicas=replicas)
    return int(world.answer_of(world.send_as_client(world.active(), request)).error)


def holders(world: ReplicaWorld) -> set[int]:
    return {node for node in (1, 2, 3, *SPARES) if ORDERS in world.disks[node].logs}


def moved_to(world: ReplicaWorld, *replicas: int) -> None:
    world.until(lambda: world.state().replicas == replicas and not world.state().is_reassigning)
    world.until(lambda: holders(world) == set(replicas), 3_000)


def test_an_added_replica_copies_all_and_joins_the_isr() -> None:
    world = written()
    assert reassign(world, 1, 2, 3, 4) == 0
    moved_to(world, 1, 2, 3, 4)
    assert (set(world.state().isr), world.state().leader_epoch) == ({1, 2, 3, 4}, 0)
    assert world.values(4) == ["a", "b"]
    assert len(world.named(BecameLeader)) == 1, "the leader stays in its epoch"


def test_all_three_move_with_their_records_and_the_old_logs_are_gone() -> None:
    world = written()
    assert reassign(world, 4, 5, 6) == 0
    moved_to(world, 4, 5, 6)
    assert (world.state().leader, set(world.state().isr)) == (4, {4, 5, 6})
    assert all(world.values(node) == ["a", "b"] for node in SPARES)
    assert world.produce(4, "c").error == 0
    assert world.produce(1, "c").error == ErrorCode.NOT_LEADER_OR_FOLLOWER, "it is elsewhere, and a client looks again"
    assert world.consume(1).error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_an_acks_all_write_is_taken_at_every_moment_of_a_move() -> None:
    world = written()
    world.cuts |= {(6, 1), (1, 6)}
    reassign(world, 4, 5, 6)
    world.until(lambda: {4, 5} <= set(world.state().isr))
    assert world.produce(1, "c").error == 0
    assert set(world.state().removing_replicas) == {1, 2, 3}, "6 is not there yet"
    world.cuts.clear()
    moved_to(world, 4, 5, 6)
    assert world.consumed(4) == ["a", "b", "c"]


def test_a_cancelled_move_leaves_nothing_behind() -> None:
    world = written()
    world.cuts |= {(6, 1), (1, 6)}
    reassign(world, 4, 5, 6)
    world.until(lambda: {4, 5} <= set(world.state().isr))
    assert cancel(world) == 0
    moved_to(world, 1, 2, 3)
    assert world.produce(1, "c").error == 0
    assert cancel(world) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_a_dead_target_holds_the_move_up_and_nothing_else() -> None:
    world = written()
    world.kill(4)
    world.until(lambda: 4 not in world.unfenced())
    assert reassign(world, 1, 2, 4) == 0
    assert world.produce(1, "c").error == 0
    assert world.state().replicas == (1, 2, 4, 3)
    world.start(4)
    moved_to(world, 1, 2, 4)
    assert world.values(4) == ["a", "b", "c"]


def test_another_controller_goes_on_with_a_move() -> None:
    world = written()
    world.cuts |= {(4, 1), (1, 4)}
    assert reassign(world, 1, 2, 4) == 0
    old = world.active()
    world.kill(old)
    world.until(lambda: world.active() not in (-1, old))
    assert world.state().adding_replicas == (4,)
    world.cuts.clear()
    moved_to(world, 1, 2, 4)


def test_who_was_away_when_it_left_drops_its_log_when_it_is_back() -> None:
    world = written()
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    reassign(world, 1, 2, 4)
    world.until(lambda: world.state().replicas == (1, 2, 4))
    assert 3 in holders(world)
    world.start(3)
    world.until(lambda: 3 not in holders(world))


def test_who_left_and_comes_back_begins_with_an_empty_log() -> None:
    world = written()
    reassign(world, 1, 2)
    moved_to(world, 1, 2)
    world.produce(1, "c")
    reassign(world, 1, 2, 3)
    moved_to(world, 1, 2, 3)
    assert world.values(3) == ["a", "b", "c"]
    told = [event for event in world.named(PartitionApplied, 3) if event.topic == "orders"]
    assert told[-1].replicas == (1, 2, 3)
