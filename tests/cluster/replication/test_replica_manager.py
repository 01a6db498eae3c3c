"""DescribeProducers at leaders, followers and strangers."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.messages import DescribeProducersRequest, DescribeProducersResponse, ProduceRequest
from cluster.model.record_batch import Record, encode_batch
from tests.support.worlds.replica_world import ReplicaWorld


def described(world: ReplicaWorld, node: int, topic: str = "orders") -> DescribeProducersResponse:
    answer = world.answer_of(world.send_as_client(node, DescribeProducersRequest(topic=topic, partition=0)))
    assert isinstance(answer, DescribeProducersResponse)
    return answer


def write(world: ReplicaWorld, node: int, producer_id: int, sequence: int, count: int, time_ms: int) -> None:
    data = encode_batch([Record(None, b"v")] * count, timestamp_ms=time_ms, sequenced=(producer_id, 2, sequence))
    request = ProduceRequest(client_id="p", topic="orders", partition=0, acks=-1, timeout_ms=800, records=data)
    assert world.answer_of(world.send_as_client(node, request)).error == 0


def test_a_leader_tells_how_far_each_idempotent_producer_is() -> None:
    world = ReplicaWorld()
    assert described(world, 1).producers == ()
    write(world, 1, 9, 5, 3, 1_000)
    world.produce(1, "plain")
    write(world, 1, 4, 0, 1, 2_000)
    assert described(world, 1).producers == ((4, 2, 0, 2_000), (9, 2, 7, 1_000))


def test_the_next_leader_tells_the_same() -> None:
    world = ReplicaWorld()
    write(world, 1, 9, 5, 3, 1_000)
    world.until(world.settled(1, 2, 3))
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    assert described(world, 2).producers == ((9, 2, 7, 1_000),)


def test_a_follower_tells_what_its_own_log_says() -> None:
    world = ReplicaWorld()
    write(world, 1, 9, 5, 3, 1_000)
    assert described(world, 2).producers == described(world, 1).producers == ((9, 2, 7, 1_000),)


def test_a_broker_without_the_partition_cannot_tell() -> None:
    world = ReplicaWorld()
    assert described(world, world.active()).error == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert described(world, 1, "nothing").error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
