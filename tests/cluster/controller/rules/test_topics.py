"""Rules about topics: where replicas go, and what may be deleted."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.image import BrokerState, MetadataImage, TopicState
from cluster.controller.rules.replica_placement import place_replicas
from cluster.controller.rules.topics import (
    PARTITION_COUNT_MAX,
    create_partitions,
    create_topic,
    delete_topic,
    first_state,
)
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE, OFFSETS_TOPIC, TRANSACTIONS_TOPIC, TopicPartition
from cluster.model.messages import CreatePartitionsRequest, CreateTopicRequest
from tests.support.worlds.controller_driver import three_brokers


def test_a_partition_none_of_whose_brokers_is_in_service_has_no_leader() -> None:
    driver = three_brokers()
    driver.kill(3)
    state = first_state(driver.image, 7, (3,), 2, by_majority=False).value
    assert (state.leader, state.isr, state.min_insync_replicas) == (NO_NODE, (), 1)


def test_by_majority_all_replicas_are_members_in_service_or_not() -> None:
    driver = three_brokers()
    driver.kill(1)
    state = first_state(driver.image, 7, (1, 2, 3), 2, by_majority=True).value
    assert (state.leader, state.isr) == (2, (1, 2, 3))


def test_a_refused_deletion_names_its_error() -> None:
    ruling = delete_topic(three_brokers().image, "t")
    assert (ruling.value, ruling.granted) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False)


def image(**topics: int) -> MetadataImage:
    """Brokers 1 to 3 in service, 4 fenced, 5 shutting down; topics with so many partitions of two replicas."""
    made = MetadataImage()
    for node in range(1, 6):
        made.brokers[node] = BrokerState(
            broker_epoch=node,
            incarnation_id="x",
            fenced=node == 4,
            in_controlled_shutdown=node == 5,
            registration_offset=1,
        )
    for number, (name, count) in enumerate(topics.items()):
        made.topics[name] = TopicState(topic_id=number, min_insync_replicas=1)
        for partition in range(count):
            state = first_state(made, number, (1, 2), 1, by_majority=False).value
            made.partitions[TopicPartition(name, partition)] = state
    return made


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ErrorCode.NONE),
        ({"partitions": 1, "replication_factor": 1}, ErrorCode.NONE),
        ({"partitions": PARTITION_COUNT_MAX}, ErrorCode.NONE),
        ({"partitions": PARTITION_COUNT_MAX + 1}, ErrorCode.INVALID_PARTITIONS),
        ({"partitions": 0}, ErrorCode.INVALID_PARTITIONS),
        ({"min_insync_replicas": 0}, ErrorCode.INVALID_REQUEST),
        ({"replication_factor": 4}, ErrorCode.NONE),
        ({"replication_factor": 5}, ErrorCode.INVALID_REPLICATION_FACTOR),
        ({"replication_factor": 0}, ErrorCode.INVALID_REPLICATION_FACTOR),
        ({"topic": "."}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"topic": "a b"}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"topic": METADATA.topic}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"topic": "orders"}, ErrorCode.TOPIC_ALREADY_EXISTS),
        ({"topic": "order.s"}, ErrorCode.NONE),
        ({"topic": "or.ders"}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"configs": (("nonsense", "1"),)}, ErrorCode.INVALID_CONFIG),
        ({"configs": (("nonsense", "1"),), "topic": "."}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"configs": (("retention.ms", "5"),)}, ErrorCode.NONE),
        ({"assignments": ((1, 2), (2, 3))}, ErrorCode.NONE),
        ({"assignments": ((1, 2),)}, ErrorCode.INVALID_REQUEST),
        ({"assignments": ((1, 2), (2,))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((2,), (1, 2))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((), ())}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1, 1), (2, 3))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1, 9), (2, 3))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((4, 5), (2, 3))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((4, 1), (2, 3))}, ErrorCode.NONE),
    ],
)
def test_which_topics_are_made(changes: dict[str, Any], error: ErrorCode) -> None:
    usual: dict[str, Any] = {"topic": "new", "partitions": 2, "replication_factor": 2}
    request = CreateTopicRequest(**usual | changes)
    ruling = create_topic(image(orders=1, or_ders=1), request)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert (ruling.reason == "all checks passed") is ruling.granted
    first = request.assignments[0] if request.assignments else None
    assert ruling.numbers == {
        "partitions": request.partitions,
        "replication_factor": request.replication_factor if first is None else len(first),
        "usable_brokers": [1, 2, 3, 4],
        "min_insync_replicas": request.min_insync_replicas,
    }


@pytest.mark.parametrize(
    ("assignments", "reason"),
    [
        (((1, 2), (2,)), "partition 1: 1 replicas, where each partition of this topic has 2"),
        (((), ()), "partition 0: there are no replicas"),
    ],
)
def test_the_first_list_of_replicas_says_how_many_there_are(
    assignments: tuple[tuple[int, ...], ...], reason: str
) -> None:
    request = CreateTopicRequest(topic="new", partitions=2, replication_factor=2, assignments=assignments)
    assert create_topic(image(), request).reason == reason


def test_no_topic_is_made_while_all_brokers_are_fenced() -> None:
    made = image()
    for node in (1, 2, 3):
        del made.brokers[node]
    request = CreateTopicRequest(topic="new", partitions=1, replication_factor=1)
    assert create_topic(made, request).value == ErrorCode.INVALID_REPLICATION_FACTOR


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ErrorCode.NONE),
        ({"topic": "new"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"count": 2}, ErrorCode.INVALID_PARTITIONS),
        ({"count": 1}, ErrorCode.INVALID_PARTITIONS),
        ({"count": PARTITION_COUNT_MAX}, ErrorCode.NONE),
        ({"count": PARTITION_COUNT_MAX + 1}, ErrorCode.INVALID_PARTITIONS),
        ({"assignments": ((1, 2),)}, ErrorCode.NONE),
        ({"assignments": ((1, 2), (2, 3))}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1,),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((4, 5),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_how_a_topic_grows(changes: dict[str, Any], error: ErrorCode) -> None:
    usual: dict[str, Any] = {"topic": "orders", "count": 3}
    request = CreatePartitionsRequest(**usual | changes)
    ruling = create_partitions(image(orders=2), request)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert ruling.numbers == {"count": request.count}
    assert (ruling.reason == "all checks passed") is ruling.granted


def test_why_a_topic_does_not_grow() -> None:
    reasons = [
        create_partitions(image(orders=2), CreatePartitionsRequest(topic="orders", count=count)).reason
        for count in (2, 1)
    ]
    assert reasons == ["it has 2 partitions already", "it has 2 partitions, and they cannot become fewer"]


@pytest.mark.parametrize(
    ("gone", "error"), [((), ErrorCode.NONE), ((2,), ErrorCode.NONE), ((2, 3), ErrorCode.NONE),
                        ((2, 3, 4), ErrorCode.INVALID_REPLICATION_FACTOR),
                        ((1, 2, 3), ErrorCode.INVALID_REPLICATION_FACTOR)]
)  # fmt: skip
def test_a_topic_grows_while_enough_brokers_are_there(gone: tuple[int, ...], error: ErrorCode) -> None:
    made = image(orders=2)
    for node in gone:
        del made.brokers[node]
    assert create_partitions(made, CreatePartitionsRequest(topic="orders", count=3)).value == error


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("orders", ErrorCode.NONE),
        ("new", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (OFFSETS_TOPIC, ErrorCode.TOPIC_DELETION_DISABLED),
        (TRANSACTIONS_TOPIC, ErrorCode.TOPIC_DELETION_DISABLED),
    ],
)
def test_what_may_be_deleted(name: str, error: ErrorCode) -> None:
    made = image(orders=2, **{OFFSETS_TOPIC: 1, TRANSACTIONS_TOPIC: 1})
    ruling = delete_topic(made, name)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    count = {"orders": 2, OFFSETS_TOPIC: 1, TRANSACTIONS_TOPIC: 1}.get(name)
    assert ruling.numbers.get("partitions") == count


def test_evidence_of_a_new_topic() -> None:
    placed, first = place_replicas(image(), 1, 2, 0), first_state(image(), 7, (4, 2, 5), 2, by_majority=False)
    assert (placed.granted, placed.numbers) == (True, {"unfenced": [1, 2, 3], "fenced": [4]})
    assert (first.granted, first.numbers) == (True, {"assignment": [4, 2, 5], "eligible": [1, 2, 3], "leader": 2})
    assert (first.value.leader_epoch, first.value.partition_epoch) == (0, 0)
