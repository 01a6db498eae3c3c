"""Which ISR a controller takes from whom: each of the checks, in their order."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.image import BrokerState, MetadataImage, TopicState
from cluster.controller.rules.proposed_isr import alter_partition, ineligible_reason
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import AlterPartitionRequest
from cluster.model.partition_state import PartitionState

ALL = ((1, 11), (2, 12))


def image(**changes: Any) -> MetadataImage:
    """Brokers 1 and 2 in service, 3 fenced, 4 shutting down; broker 1 leads, in leader epoch 5, partition epoch 6."""
    made = MetadataImage()
    for node in (1, 2, 3, 4):
        made.brokers[node] = BrokerState(
            broker_epoch=10 + node,
            incarnation_id="x",
            fenced=node == 3,
            in_controlled_shutdown=node == 4,
            registration_offset=1,
        )
    made.topics["orders"] = TopicState(topic_id=7, min_insync_replicas=1)
    usual: dict[str, Any] = {
        "leader": 1,
        "leader_epoch": 5,
        "partition_epoch": 6,
        "isr": (1,),
        "replicas": (1, 2, 3, 4),
    }
    made.partitions[TopicPartition("orders", 0)] = PartitionState(topic_id=7, min_insync_replicas=1, **usual | changes)
    return made


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ErrorCode.NONE),
        ({"new_isr": ((1, -1), (2, -1))}, ErrorCode.NONE),
        ({"broker_id": 9}, ErrorCode.STALE_BROKER_EPOCH),
        ({"broker_epoch": 10}, ErrorCode.STALE_BROKER_EPOCH),
        ({"topic": "other"}, ErrorCode.UNKNOWN_TOPIC_ID),
        ({"topic_id": 8}, ErrorCode.UNKNOWN_TOPIC_ID),
        ({"partition": 1}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"leader_epoch": 6}, ErrorCode.NOT_CONTROLLER),
        ({"partition_epoch": 7}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": 4}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"broker_id": 2, "broker_epoch": 12}, ErrorCode.INVALID_REQUEST),
        ({"partition_epoch": 5}, ErrorCode.INVALID_UPDATE_VERSION),
        ({"new_isr": (*ALL, (2, 12))}, ErrorCode.INVALID_REQUEST),
        ({"new_isr": (*ALL, (9, -1))}, ErrorCode.INVALID_REQUEST),
        ({"new_isr": ((2, 12),)}, ErrorCode.INVALID_REQUEST),
        ({"new_isr": ()}, ErrorCode.INVALID_REQUEST),
        ({"recovering": True}, ErrorCode.INVALID_REQUEST),
        ({"recovering": True, "new_isr": ((1, 11),)}, ErrorCode.INVALID_REQUEST),
        ({"new_isr": ((1, 11), (2, 13))}, ErrorCode.INELIGIBLE_REPLICA),
        ({"new_isr": ((1, 11), (3, 13))}, ErrorCode.INELIGIBLE_REPLICA),
        ({"new_isr": ((1, 11), (4, 14))}, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_the_first_check_that_fails_names_the_error(changes: dict[str, Any], error: ErrorCode) -> None:
    usual: dict[str, Any] = {"broker_id": 1, "broker_epoch": 11, "topic": "orders", "topic_id": 7, "partition": 0}
    request = AlterPartitionRequest(**usual | {"leader_epoch": 5, "partition_epoch": 6, "new_isr": ALL} | changes)
    ruling = alter_partition(image(), request)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert ruling.numbers["new_isr"] == [node for node, _ in request.new_isr]
    assert ruling.numbers.get("isr") == ([1] if ruling.granted else None), "the old one beside the new one it takes"


@pytest.mark.parametrize(("members", "error"), [(((1, 11),), ErrorCode.NONE), (ALL, ErrorCode.INVALID_REQUEST)])
def test_a_leader_that_recovers_is_alone_in_the_isr(members: tuple[tuple[int, int], ...], error: ErrorCode) -> None:
    request = AlterPartitionRequest(
        broker_id=1,
        broker_epoch=11,
        topic="orders",
        topic_id=7,
        partition=0,
        leader_epoch=5,
        partition_epoch=6,
        new_isr=members,
        recovering=True,
    )
    assert alter_partition(image(recovering=True), request).value == error


@pytest.mark.parametrize(
    ("changes", "numbers"),
    [
        ({"broker_id": 9}, {"broker_epoch": 11, "registered_broker_epoch": -1}),
        ({"broker_epoch": 10}, {"broker_epoch": 10, "registered_broker_epoch": 11}),
        ({"topic": "other"}, {"topic_id": 7, "known_topic_id": -1}),
        ({"topic_id": 8}, {"topic_id": 8, "known_topic_id": 7}),
        ({"leader_epoch": 4}, {"leader_epoch": 4, "known_leader_epoch": 5, "partition_leader": 1}),
    ],
)
def test_a_refusal_shows_what_was_compared(changes: dict[str, Any], numbers: dict[str, int]) -> None:
    usual: dict[str, Any] = {"broker_id": 1, "broker_epoch": 11, "topic": "orders", "topic_id": 7, "partition": 0}
    request = AlterPartitionRequest(**usual | {"leader_epoch": 5, "partition_epoch": 6, "new_isr": ALL} | changes)
    assert numbers.items() <= alter_partition(image(), request).numbers.items()


@pytest.mark.parametrize(
    ("node", "epoch", "reason"),
    [
        (1, 11, ""),
        (1, -1, ""),
        (1, 12, "broker 1 has broker epoch 11, not 12"),
        (9, -1, "broker 9 is not registered"),
        (3, -1, "broker 3 is fenced"),
        (4, -1, "broker 4 is shutting down"),
    ],
)
def test_why_a_replica_may_not_be_in_an_isr(node: int, epoch: int, reason: str) -> None:
    assert ineligible_reason(image(), node, epoch) == reason
