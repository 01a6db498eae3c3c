"""Whole nodes together: what follows in one part from what happened in another."""

from __future__ import annotations

from collections.abc import Mapping

from cluster.model.errors import ErrorCode
from cluster.model.events import ControllerDeactivated, PartitionApplied
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import BrokersChanged, PartitionChanged
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse, MetadataRequest, ProduceRequest
from tests.support.worlds.node_world import NodeWorld

SPLIT = {101: ("controller",), 102: ("controller",), 103: ("controller",)} | dict.fromkeys((1, 2, 3), ("broker",))
COMBINED = dict.fromkeys((1, 2, 3), ("controller", "broker"))
ORDERS = TopicPartition("orders", 0)
CREATE = CreateTopicRequest(
    topic="orders", partitions=1, replication_factor=3, min_insync_replicas=2, assignments=((1, 2, 3),)
)


def unfenced(world: NodeWorld) -> tuple[int, ...]:
    active = world.active()
    return world.nodes[active].image.unfenced_brokers() if active != -1 else ()


def running(roles: Mapping[int, tuple[str, ...]]) -> NodeWorld:
    world = NodeWorld(roles)
    world.until(lambda: unfenced(world) == (1, 2, 3))
    return world


def with_topic(roles: Mapping[int, tuple[str, ...]]) -> NodeWorld:
    world = running(roles)
    world.ask(world.active(), CREATE)
    world.until(lambda: all(world.replicas[n].opened for n in (1, 2, 3) if n in world.nodes))
    return world


def leader(world: NodeWorld, node: int) -> int:
    return world.nodes[node].image.partitions[ORDERS].leader


def test_a_quorum_elects_and_brokers_are_unfenced() -> None:
    assert running(SPLIT).active() in (101, 102, 103)


def test_combined_nodes_talk_to_themselves() -> None:
    assert running(COMBINED).active() in (1, 2, 3)


def test_one_combined_node_is_a_cluster() -> None:
    world = NodeWorld({1: ("controller", "broker")})
    world.until(lambda: unfenced(world) == (1,))


def test_the_answer_to_a_created_topic_waits_for_the_commit() -> None:
    world = running(SPLIT)
    active = world.active()
    world.cut_off = {101, 102, 103} - {active}
    world.ask(active, CREATE)
    assert world.answers == []
    world.cut_off = set()
    world.until(lambda: bool(world.answers))
    assert world.answers[0].error == ErrorCode.NONE


def test_an_answer_that_changes_nothing_waits_for_what_it_has_read() -> None:
    world = running(SPLIT)
    active = world.active()
    world.cut_off = {101, 102, 103} - {active}
    world.ask(active, CREATE)
    world.ask(active, CREATE)
    assert world.answers == [], "that it exists already may never be so"
    world.cut_off = set()
    world.until(lambda: len(world.answers) > 1)
    assert [answer.error for answer in world.answers] == [ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS]


def test_a_leader_that_loses_the_quorum_refuses_what_is_pending() -> None:
    world = running(SPLIT)
    active = world.active()
    world.cut_off = {101, 102, 103} - {active}
    world.ask(active, CREATE)
    world.until(lambda: bool(world.answers))
    assert isinstance(world.answers[0], CreateTopicResponse)
    assert world.answers[0].error == ErrorCode.NOT_CONTROLLER
    assert any(node == active and isinstance(event, ControllerDeactivated) for node, event in world.events)


def test_every_replica_is_told_of_its_partition_once() -> None:
    world = with_topic(SPLIT)
    for broker in (1, 2, 3):
        changes = [item for item in world.replicas[broker].told if isinstance(item, PartitionChanged)]
        assert [change.topic_partition for change in changes] == [ORDERS]
        assert set(changes[0].broker_epochs) == {1, 2, 3}
        applied = [event for node, event in world.events if node == broker and isinstance(event, PartitionApplied)]
        assert len(applied) == 1
        assert 0 < applied[0].metadata_offset <= world.nodes[broker].quorum.high_watermark


def test_a_killed_partition_leader_is_replaced() -> None:
    world = with_topic(SPLIT)
    world.kill(1)
    world.until(lambda: leader(world, 2) == 2)
    assert unfenced(world) == (2, 3)


def test_a_killed_active_controller_is_replaced_and_the_image_survives() -> None:
    world = with_topic(SPLIT)
    old = world.active()
    world.kill(old)
    world.until(lambda: world.active() not in (-1, old))
    assert ORDERS in world.nodes[world.active()].image.partitions


def test_a_restarted_broker_hears_nothing_of_its_earlier_life() -> None:
    world = with_topic(SPLIT)
    world.kill(1)
    world.until(lambda: leader(world, 2) == 2)
    world.start(1)
    world.until(lambda: bool(world.replicas[1].opened))
    changes = [item for item in world.replicas[1].told if isinstance(item, PartitionChanged)]
    assert all(change.state.leader == 2 for change in changes), "never a leader again of an epoch that is over"


def test_eligible_brokers_are_told_only_when_they_change() -> None:
    world = with_topic(SPLIT)
    told = [item.broker_epochs for item in world.replicas[2].told if isinstance(item, BrokersChanged)]
    assert all(before != after for before, after in zip(told, told[1:], strict=False))


def test_any_node_answers_metadata_from_its_image() -> None:
    world = with_topic(SPLIT)
    world.ask(3, MetadataRequest())
    answer = world.answers[-1]
    assert answer.controller_id == world.active()
    assert answer.brokers == (1, 2, 3)
    assert answer.partitions == (("orders", 0, world.nodes[3].image.partitions[ORDERS]),)
    assert answer.partitions[0][2].isr == (1, 2, 3)


def test_a_broker_without_a_controller_names_the_active_one() -> None:
    world = running(SPLIT)
    world.ask(1, CREATE)
    assert (world.answers[0].error, world.answers[0].leader_id) == (ErrorCode.NOT_CONTROLLER, world.active())


def test_a_controller_refuses_records() -> None:
    world = running(SPLIT)
    world.ask(101, ProduceRequest(client_id="a", topic="orders", partition=0, acks=1, timeout_ms=10, records=b""))
    assert world.answers[0].error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_stopped_broker_leaves_its_broker_epoch_and_is_fenced() -> None:
    world = running(SPLIT)
    world.stop(3)
    world.until(lambda: 3 not in world.nodes)
    assert world.disks[3].broker_epoch >= 0
    world.until(lambda: unfenced(world) == (1, 2))


def test_a_stopped_active_controller_hands_over() -> None:
    world = running(SPLIT)
    old = world.active()
    world.stop(old)
    world.until(lambda: old not in world.nodes and world.active() not in (-1, old))


def test_the_same_world_twice_is_the_same() -> None:
    assert with_topic(SPLIT).events == with_topic(SPLIT).events
