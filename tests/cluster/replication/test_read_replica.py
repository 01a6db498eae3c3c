"""Consumers that read from followers: who is sent where, who is served, and how far."""

from __future__ import annotations

from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import FollowerRead, ReadReplicaChosen
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import FetchRequest, FetchResponse
from tests.support.kinds import as_kind
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld, values_of


def racked(**changes: Any) -> ReplicaWorld:
    """Broker 1 leads in rack r1; 2 and 3 follow in r2 and r3."""
    return ReplicaWorld(broker_racks=3, replica_selector="rack", **changes)


def ask(world: ReplicaWorld, node: NodeId, rack: str | None, offset: int = 0, wait_ms: int = 0, epoch: int = -1) -> int:
    request = FetchRequest(
        replica_id=-1, topic="orders", partition=0, fetch_offset=offset, max_wait_ms=wait_ms,
        current_leader_epoch=epoch, client_rack=rack,
    )  # fmt: skip
    return world.send_as_client(node, request)


def read(world: ReplicaWorld, node: NodeId, rack: str | None, offset: int = 0, epoch: int = -1) -> FetchResponse:
    return as_kind(FetchResponse, world.answer_of(ask(world, node, rack, offset, epoch=epoch)))


def test_a_leader_names_the_follower_in_the_consumers_rack_instead_of_an_answer() -> None:
    world = racked()
    world.produce(1, "one")
    world.until(world.settled(1, 2, 3))
    answer = read(world, 1, "r3")
    assert (answer.error, answer.preferred_read_replica, answer.records, answer.high_watermark) == (0, 3, b"", 1)
    (told,) = world.named(ReadReplicaChosen)
    assert (told.rack, told.replica_id, told.fetch_offset) == ("r3", 3, 0)


def test_a_leader_serves_who_stands_in_its_own_rack_or_names_none() -> None:
    world = racked()
    world.produce(1, "one")
    for rack in ("r1", "", None, "r9"):
        answer = read(world, 1, rack)
        assert (answer.preferred_read_replica, values_of(answer.records)) == (NO_NODE, ["one"]), rack
    assert world.named(ReadReplicaChosen) == []
    assert world.named(FollowerRead) == []


def test_without_a_selector_a_leader_serves_every_rack() -> None:
    world = ReplicaWorld(broker_racks=3)
    world.produce(1, "one")
    assert values_of(read(world, 1, "r3").records) == ["one"]


def test_a_follower_out_of_the_isr_is_named_to_nobody() -> None:
    world = racked(replica_lag_time_max_ms=300)
    world.produce(1, "one")
    world.until(world.settled(1, 2, 3))
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    assert read(world, 1, "r3").preferred_read_replica == NO_NODE


def test_a_follower_serves_consumers_below_its_own_high_watermark_and_tells_of_it() -> None:
    world = racked()
    world.produce(1, "one", "two")
    world.until(world.settled(1, 2, 3))
    assert values_of(read(world, 3, "r3").records) == ["one", "two"]
    (told,) = world.named(FollowerRead, 3)
    assert (told.fetch_offset, told.end_offset, told.high_watermark, told.rack) == (0, 2, 2, "r3")


def test_what_a_follower_holds_past_its_high_watermark_it_keeps_to_itself() -> None:
    world = racked(min_isr=1)
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(1, 2), (2, 1)}
    world.produce(1, "one", acks=1)
    world.until(lambda: world.end(3) == 1)
    assert world.high_watermark(3) == 0
    answer = read(world, 3, "r3")
    assert (answer.error, answer.records, answer.high_watermark) == (0, b"", 0)
    assert world.named(FollowerRead) == []


def test_who_reads_from_leaders_only_is_refused_by_a_follower() -> None:
    world = racked()
    assert read(world, 3, None).error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_an_offset_that_a_follower_does_not_reach_is_out_of_its_range() -> None:
    world = racked()
    assert read(world, 3, "r3", offset=1).error == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_follower_looks_at_leader_epochs_as_a_leader_does() -> None:
    world = racked()
    assert read(world, 3, "r3", epoch=7).error == ErrorCode.UNKNOWN_LEADER_EPOCH
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    world.until(lambda: read(world, 3, "r3", epoch=0).error == ErrorCode.FENCED_LEADER_EPOCH)


def test_who_waits_at_a_follower_is_answered_when_its_high_watermark_moves() -> None:
    world = racked()
    world.until(world.settled(1, 2, 3))
    asked = ask(world, 3, "r3", wait_ms=9_000)
    world.produce(1, "one")
    began_ms = world.now_ms
    answer = world.answer_of(asked)
    assert values_of(answer.records) == ["one"]
    assert world.now_ms - began_ms < 9_000


def test_who_waits_at_a_follower_is_refused_when_its_role_is_over() -> None:
    world = racked()
    world.until(world.settled(1, 2, 3))
    asked = ask(world, 2, "r2", wait_ms=60_000)
    world.until(lambda: bool(world.replicas[2].replica(ORDERS).parked))
    world.kill(1)
    assert world.answer_of(asked).error == ErrorCode.NOT_LEADER_OR_FOLLOWER
