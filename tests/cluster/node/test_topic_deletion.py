"""A deleted topic is gone everywhere, and the next one of its name begins empty."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import TopicDeleted
from cluster.model.messages import CreateTopicRequest, DeleteTopicRequest, FetchRequest
from tests.support.worlds.replica_world import BROKERS, ORDERS, ReplicaWorld


def delete(world: ReplicaWorld, topic: str = "orders") -> int:
    answer = world.answer_of(world.send_as_client(world.active(), DeleteTopicRequest(topic=topic)))
    assert bool(answer.reason) == (answer.error != 0)
    return int(answer.error)


def create(world: ReplicaWorld) -> None:
    request = CreateTopicRequest(
        topic="orders", partitions=1, replication_factor=3, min_insync_replicas=2, assignments=(BROKERS,)
    )
    assert world.answer_of(world.send_as_client(world.active(), request)).error == 0


def written() -> ReplicaWorld:
    world = ReplicaWorld()
    world.produce(1, "a", "b")
    world.until(world.settled(1, 2, 3))
    return world


def test_every_broker_drops_the_log_and_knows_the_partition_no_more() -> None:
    world = written()
    assert delete(world) == 0
    world.until(lambda: all(ORDERS not in world.disks[node].logs for node in BROKERS))
    assert world.produce(1, "c").error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert world.consume(1).error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert ORDERS not in world.nodes[2].image.partitions
    assert "orders" not in world.nodes[2].image.topics
    (told,) = world.named(TopicDeleted)
    assert (told.topic, told.partitions) == ("orders", 1)
    assert delete(world) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_who_waits_for_the_partition_is_answered() -> None:
    world = written()
    world.cuts |= {(2, 1), (3, 1)}
    producer = world.send_produce(1, "c", timeout_ms=60_000)
    consumer = world.send_as_client(
        1, FetchRequest(replica_id=-1, topic="orders", partition=0, fetch_offset=2, max_wait_ms=60_000)
    )
    assert not {producer, consumer} & set(world.answered)
    delete(world)
    world.until(lambda: {producer, consumer} <= set(world.answered), 2_000)
    assert world.answered[producer].error == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert world.answered[consumer].error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_new_topic_of_the_same_name_begins_empty_on_every_broker() -> None:
    world = written()
    delete(world)
    create(world)
    world.until(lambda: world.state().isr == BROKERS)
    assert world.produce(1, "new").base_offset == 0
    world.until(lambda: all(world.values(node) == ["new"] for node in BROKERS))


def test_a_broker_that_was_away_does_not_bring_old_records_back() -> None:
    world = written()
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    delete(world)
    create(world)
    assert world.produce(1, "new", timeout_ms=3_000).error == 0
    world.start(3)
    world.until(lambda: world.state().isr == BROKERS)
    assert world.values(3) == ["new"]


def test_a_broker_that_was_away_drops_what_is_deleted_when_it_is_back() -> None:
    world = written()
    world.kill(3)
    delete(world)
    world.start(3)
    world.until(lambda: world.unfenced() == BROKERS and ORDERS not in world.disks[3].logs)


def test_the_cluster_keeps_what_it_needs_for_itself() -> None:
    world = ReplicaWorld()
    offsets = CreateTopicRequest(topic="__consumer_offsets", partitions=1, replication_factor=1, min_insync_replicas=1)
    assert world.answer_of(world.send_as_client(world.active(), offsets)).error == 0
    assert delete(world, "__consumer_offsets") == ErrorCode.TOPIC_DELETION_DISABLED
