"""DeleteRecords: the leader's log start moves at once, the followers' after it, and it stays through restarts."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import LogStartAdvanced
from cluster.model.identifiers import INTERNAL_TOPICS
from cluster.model.messages import CreateTopicRequest, DeleteRecordsRequest, DeleteRecordsResponse, ListOffsetsRequest
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld


def request(before_offset: int, timeout_ms: int = 5_000) -> DeleteRecordsRequest:
    return DeleteRecordsRequest(topic="orders", partition=0, before_offset=before_offset, timeout_ms=timeout_ms)


def delete(world: ReplicaWorld, node: int, before_offset: int, timeout_ms: int = 5_000) -> DeleteRecordsResponse:
    answer = world.answer_of(world.send_as_client(node, request(before_offset, timeout_ms)))
    assert isinstance(answer, DeleteRecordsResponse)
    return answer


def written(count: int = 5) -> ReplicaWorld:
    world = ReplicaWorld()
    for number in range(count):
        world.produce(1, f"v{number}")
    world.until(world.settled(1, 2, 3))
    return world


def earliest(world: ReplicaWorld, node: int) -> int:
    asked = ListOffsetsRequest(topic="orders", partition=0, timestamp_ms=-2)
    return int(world.answer_of(world.send_as_client(node, asked)).offset)


def test_every_replica_follows_before_it_is_answered() -> None:
    world = written()
    answer = delete(world, 1, 3)
    assert (answer.error, answer.low_watermark) == (0, 3)
    assert [world.log(node).log_start_offset for node in (1, 2, 3)] == [3, 3, 3]
    assert world.values(2) == ["v3", "v4"]
    assert earliest(world, 1) == 3
    assert world.consume(1, offset=2).error == ErrorCode.OFFSET_OUT_OF_RANGE
    assert world.consume(1, offset=3).records != b""
    told = [(event.old_log_start_offset, event.log_start_offset, event.role) for event in world.named(LogStartAdvanced)]
    assert sorted(told) == [(0, 3, "follower"), (0, 3, "follower"), (0, 3, "leader")]


def test_minus_1_deletes_all_that_is_committed_and_writing_goes_on() -> None:
    world = written()
    assert delete(world, 1, -1).low_watermark == 5
    assert world.produce(1, "next").base_offset == 5
    world.until(world.settled(1, 2, 3))
    assert all(world.values(node) == ["next"] for node in (1, 2, 3))


@pytest.mark.parametrize(
    ("node", "offset", "error"),
    [
        (1, 6, ErrorCode.OFFSET_OUT_OF_RANGE),
        (1, -2, ErrorCode.OFFSET_OUT_OF_RANGE),
        (2, 3, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (101, 3, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_what_cannot_be_deleted_is_refused(node: int, offset: int, error: ErrorCode) -> None:
    world = written()
    answer = delete(world, node, offset)
    assert (answer.error, answer.low_watermark) == (error, -1)
    assert world.log(1).log_start_offset == 0


def test_a_log_start_never_goes_back() -> None:
    world = written()
    delete(world, 1, 3)
    assert delete(world, 1, 1).low_watermark == 3
    assert world.log(1).log_start_offset == 3


def test_a_follower_that_is_cut_off_is_waited_for_only_so_long() -> None:
    world = written()
    world.cuts |= {(3, 1)}
    assert delete(world, 1, 3, timeout_ms=200).error == ErrorCode.REQUEST_TIMED_OUT
    assert world.log(1).log_start_offset == 3, "it is deleted here all the same"
    world.cuts.clear()
    world.until(lambda: world.log(3).log_start_offset == 3)


def test_a_broker_out_of_service_is_not_waited_for() -> None:
    world = written()
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    assert delete(world, 1, 3).low_watermark == 3


def test_a_deposed_leader_sends_who_waits_to_the_next() -> None:
    world = written()
    world.cuts |= {(2, 1), (3, 1)}
    asked = world.send_as_client(1, request(3, 60_000))
    assert asked not in world.answered
    world.cuts |= {(1, controller) for controller in (101, 102, 103)}
    world.until(lambda: world.state().leader != 1)
    world.cuts.clear()
    world.until(lambda: asked in world.answered)
    assert world.answered[asked].error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_follower_that_lacks_all_that_is_left_begins_anew() -> None:
    world = written(2)
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    for number in range(4):
        world.produce(1, f"w{number}")
    assert delete(world, 1, 5).low_watermark == 5
    world.start(3)
    world.until(lambda: world.state().isr == (1, 2, 3))
    assert world.values(3) == ["w3"]
    assert (world.log(3).log_start_offset, world.end(3)) == (5, 6)
    world.produce(1, "x")
    world.until(world.settled(1, 2, 3))
    world.kill(1)
    world.kill(2)
    world.until(lambda: world.state().leader == 3)
    assert earliest(world, 3) == 5


def test_the_next_leader_has_the_same_start_and_finds_times_in_what_is_left() -> None:
    world = written()
    by_time = ListOffsetsRequest(topic="orders", partition=0, timestamp_ms=0)
    assert world.answer_of(world.send_as_client(1, by_time)).offset == 0
    delete(world, 1, 3)
    assert world.answer_of(world.send_as_client(1, by_time)).offset == 3
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    assert earliest(world, 2) == 3


@pytest.mark.parametrize("topic", sorted(INTERNAL_TOPICS))
def test_an_internal_topic_is_compacted_in_kafka_and_loses_nothing(topic: str) -> None:
    world = ReplicaWorld()
    create = CreateTopicRequest(
        topic=topic, partitions=1, replication_factor=1, min_insync_replicas=1, assignments=((2,),)
    )
    world.ask(world.active(), create)
    asked = DeleteRecordsRequest(topic=topic, partition=0, before_offset=-1, timeout_ms=100)
    world.until(lambda: world.replicas[2].is_open((topic, 0)))
    assert world.answer_of(world.send_as_client(2, asked)).error == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_who_asked_is_answered_once_and_not_before_all_have_followed() -> None:
    world = written()
    world.cuts |= {(3, 1)}
    asked = [world.send_as_client(1, request(offset, 60_000)) for offset in (1, 2)]
    world.until(lambda: world.log(2).log_start_offset == 2)
    world.wait(1_000)
    assert not {*asked} & {*world.answered}
    assert [each.target for each in world.replicas[1].replica(ORDERS).deleting] == [1, 2]
    world.cuts.clear()
    world.until(lambda: {*asked} <= {*world.answered})
    assert [(world.answered[each].error, world.answered[each].low_watermark) for each in asked] == [(0, 2)] * 2
    assert world.replicas[1].replica(ORDERS).deleting == []
