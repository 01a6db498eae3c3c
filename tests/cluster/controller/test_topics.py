"""Topic creation: names, sizes, placement and first states."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionDecided, TopicConfigChanged, TopicCreated
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse
from cluster.model.metadata_records import TopicRecord
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers


def create(
    driver: ControllerDriver,
    topic: str = "t",
    partitions: int = 1,
    factor: int = 3,
    minimum: int = 1,
    assignments: tuple[tuple[int, ...], ...] = (),
) -> int:
    request = CreateTopicRequest(
        topic=topic,
        partitions=partitions,
        replication_factor=factor,
        min_insync_replicas=minimum,
        assignments=assignments,
    )
    error: int = driver.ask(1001, request).error
    return error


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "a/b", "ä", "a\n", "x" * 250, "__cluster_metadata"])
def test_a_bad_name_is_refused(name: str) -> None:
    assert create(three_brokers(), name) == ErrorCode.INVALID_TOPIC_EXCEPTION


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "x" * 249, "..."])
def test_a_good_name_is_taken(name: str) -> None:
    assert create(three_brokers(), name) == 0


def test_a_topic_exists_once_and_dots_count_as_underscores() -> None:
    driver = three_brokers()
    assert create(driver, "orders") == ErrorCode.TOPIC_ALREADY_EXISTS
    assert create(driver, "a.b") == 0
    assert create(driver, "a_b") == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_sizes_are_checked() -> None:
    driver = three_brokers()
    assert create(driver, partitions=0) == ErrorCode.INVALID_PARTITIONS
    assert create(driver, partitions=10**9) == ErrorCode.INVALID_PARTITIONS
    assert create(driver, factor=0) == ErrorCode.INVALID_REPLICATION_FACTOR
    assert create(driver, factor=4) == ErrorCode.INVALID_REPLICATION_FACTOR
    assert create(driver, minimum=0) == ErrorCode.INVALID_REQUEST
    assert create(ControllerDriver(), factor=1) == ErrorCode.INVALID_REPLICATION_FACTOR


def test_an_explicit_assignment_is_checked() -> None:
    driver = three_brokers()
    for wrong in ((1, 1),), ((1, 9),), ((),):
        assert create(driver, assignments=wrong) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert create(driver, partitions=2, assignments=((1, 2), (1,))) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert create(driver, partitions=2, assignments=((1, 2),)) == ErrorCode.INVALID_REQUEST
    driver.kill(3)
    assert create(driver, assignments=((3,),)) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert create(driver, assignments=((3, 2),)) == 0
    state = driver.image.partitions[TopicPartition("t", 0)]
    assert (state.replicas, state.isr, state.leader) == ((3, 2), (2,), 2)


def test_each_partition_has_the_replicas_that_it_was_assigned() -> None:
    driver = three_brokers()
    assert create(driver, partitions=2, assignments=((1, 2), (3, 1))) == 0
    found = [driver.image.partitions[TopicPartition("t", index)].replicas for index in (0, 1)]
    assert found == [(1, 2), (3, 1)]


def test_a_topic_is_made_with_settings_or_not_at_all() -> None:
    driver = three_brokers()

    def make(*configs: tuple[str, str], **more: Any) -> CreateTopicResponse:
        request = CreateTopicRequest(topic="t", partitions=1, replication_factor=3, configs=configs, **more)
        answer = driver.ask(1001, request)
        assert isinstance(answer, CreateTopicResponse)
        return answer

    refused = make(("retention.ms", "1000"), ("no.such.thing", "1"))
    assert (refused.error, refused.reason) == (
        ErrorCode.INVALID_CONFIG, "there is no setting 'no.such.thing' of topics",
    )  # fmt: skip
    wanted = ("min.insync.replicas", "2"), ("cleanup.policy", " compact, delete ")
    checked = make(*wanted, validate_only=True)
    assert checked.error == 0 and "t" not in driver.image.topics and not driver.events(TopicConfigChanged)
    made = make(*wanted)
    told = {name: (value, source) for name, value, source, *_ in made.configs}
    assert (told["min.insync.replicas"], told["cleanup.policy"]) == (("2", 1), ("compact,delete", 1))
    assert told["retention.ms"] == ("-1", 5)
    assert checked.configs == made.configs
    assert driver.image.topics["t"].own == {"min.insync.replicas": "2", "cleanup.policy": "compact,delete"}
    assert driver.image.partitions[TopicPartition("t", 0)].min_insync_replicas == 2
    assert {event.config for event in driver.events(TopicConfigChanged)} == {"min.insync.replicas", "cleanup.policy"}


def test_the_first_state_has_epochs_zero_and_an_isr_of_those_in_service() -> None:
    driver = three_brokers()
    driver.kill(2)
    assert create(driver, minimum=5) == 0
    state = driver.image.partitions[TopicPartition("t", 0)]
    assert (state.leader_epoch, state.partition_epoch) == (0, 0)
    assert set(state.isr) == {1, 3}
    assert set(state.replicas) == {1, 2, 3}
    assert state.min_insync_replicas == 3
    assert driver.image.topics["t"].min_insync_replicas == 5
    assert driver.events(TopicCreated)[-1].min_insync_replicas == 5
    assert driver.events(PartitionDecided)[-1].why == "created"


def test_the_topic_and_its_partitions_are_one_batch() -> None:
    driver = three_brokers()
    base = driver.next_offset
    create(driver, partitions=3)
    assert driver.records[-4] == TopicRecord(topic="t", topic_id=base, min_insync_replicas=1)
    assert [record.state.replicas[0] for record in driver.records[-3:]] == [2, 3, 1]
