"""CreatePartitions and its errors."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import CreatePartitionsRequest, CreatePartitionsResponse, CreateTopicRequest
from tests.support.worlds.controller_driver import ORDERS, ControllerDriver, three_brokers


def grow(driver: ControllerDriver, count: int, **given: Any) -> CreatePartitionsResponse:
    wish: dict[str, Any] = {"topic": "orders", "count": count} | given
    answer = driver.ask(1001, CreatePartitionsRequest(**wish))
    assert isinstance(answer, CreatePartitionsResponse)
    return answer


def test_new_partitions_begin_at_epoch_0_and_the_old_one_stays() -> None:
    driver = three_brokers(minimum=2)
    before = driver.partition
    assert grow(driver, 3).error == 0
    assert driver.image.partitions[ORDERS] == before
    added = [driver.image.partitions[TopicPartition("orders", index)] for index in (1, 2)]
    assert {(state.leader_epoch, state.partition_epoch, state.min_insync_replicas) for state in added} == {(0, 0, 2)}
    assert {state.topic_id for state in added} == {before.topic_id}
    assert len({state.leader for state in (before, *added)}) == 3, "striped on over the brokers"


def test_new_partitions_go_on_from_where_those_of_their_topic_end() -> None:
    driver = three_brokers()
    first = (2, 3, 1)
    create = CreateTopicRequest(
        topic="users", partitions=1, replication_factor=3, min_insync_replicas=1, assignments=(first,)
    )
    assert driver.ask(1001, create).error == 0
    assert grow(driver, 2, topic="users").error == 0
    assert driver.image.partitions[TopicPartition("users", 1)].replicas[0] == 3, "the one after the first of its first"


@pytest.mark.parametrize(
    ("count", "given", "error"),
    [
        (2, {"topic": "nothing"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (1, {}, ErrorCode.INVALID_PARTITIONS),
        (0, {}, ErrorCode.INVALID_PARTITIONS),
        (100_000, {}, ErrorCode.INVALID_PARTITIONS),
        (3, {"assignments": ((1, 2, 3),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (2, {"assignments": ((1, 2),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (2, {"assignments": ((1, 2, 2),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (2, {"assignments": ((1, 2, 9),)}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_what_cannot_be_is_refused_in_words(count: int, given: dict[str, Any], error: ErrorCode) -> None:
    driver = three_brokers()
    answer = grow(driver, count, **given)
    assert (answer.error, bool(answer.reason)) == (error, True)
    assert len(driver.image.partitions) == 1


def test_new_partitions_of_a_topic_whose_first_broker_is_away_go_on_from_the_first_in_service() -> None:
    driver = three_brokers()
    driver.join(4)
    driver.kill(1)
    assert grow(driver, 2).error == 0
    assert driver.image.partitions[TopicPartition("orders", 1)].replicas[0] == 3, "2 is the first, and one is there"


def test_replicas_may_be_given_for_each_new_partition() -> None:
    driver = three_brokers()
    assert grow(driver, 3, assignments=((3, 1, 2), (2, 3, 1))).error == 0
    assert driver.image.partitions[TopicPartition("orders", 1)].leader == 3
    assert driver.image.partitions[TopicPartition("orders", 2)].replicas == (2, 3, 1)


def test_a_check_changes_nothing() -> None:
    driver = three_brokers()
    assert grow(driver, 3, validate_only=True).error == 0
    assert len(driver.image.partitions) == 1


def test_without_brokers_in_service_nothing_is_placed() -> None:
    driver = three_brokers()
    for broker in (1, 2, 3):
        driver.kill(broker)
    assert grow(driver, 2).error == ErrorCode.INVALID_REPLICATION_FACTOR
