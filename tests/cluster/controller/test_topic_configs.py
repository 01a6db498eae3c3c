"""Settings of topics: what is refused, what a change does to partitions, and what is told."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionDecided, TopicConfigChanged
from cluster.model.messages import AlterConfigsRequest, AlterConfigsResponse
from cluster.model.messages.configs import APPEND, BROKER, DELETE, SET, SUBTRACT, TOPIC
from cluster.model.settings import Settings
from cluster.model.topic_settings import MIN_ISR, UNCLEAN
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers


def alter(driver: ControllerDriver, *changes: tuple[str, int, str | None], **given: Any) -> AlterConfigsResponse:
    fields: dict[str, Any] = {"resource_type": TOPIC, "resource_name": "orders", "changes": changes} | given
    answer = driver.ask(1001, AlterConfigsRequest(**fields))
    assert isinstance(answer, AlterConfigsResponse)
    return answer


@pytest.mark.parametrize(
    ("changes", "given", "error"),
    [
        (((MIN_ISR, SET, "2"),), {"resource_type": BROKER, "resource_name": "1"}, ErrorCode.INVALID_REQUEST),
        (((MIN_ISR, SET, "2"), (MIN_ISR, DELETE, None)), {}, ErrorCode.INVALID_REQUEST),
        (((MIN_ISR, 7, "2"),), {}, ErrorCode.INVALID_REQUEST),
        (((MIN_ISR, SET, None),), {}, ErrorCode.INVALID_REQUEST),
        (((MIN_ISR, SET, "2"),), {"resource_name": "nothing"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (((MIN_ISR, APPEND, "2"),), {}, ErrorCode.INVALID_CONFIG),
        (((MIN_ISR, SET, "0"),), {}, ErrorCode.INVALID_CONFIG),
        (((MIN_ISR, SET, "two"),), {}, ErrorCode.INVALID_CONFIG),
        (((MIN_ISR, SET, "\u0662"),), {}, ErrorCode.INVALID_CONFIG),
        (((UNCLEAN, SET, "yes"),), {}, ErrorCode.INVALID_CONFIG),
        ((("retention.ms", SET, "-2"),), {}, ErrorCode.INVALID_CONFIG),
        ((("cleanup.policy", APPEND, "keep"),), {}, ErrorCode.INVALID_CONFIG),
        ((("no.such.thing", SET, "1"),), {}, ErrorCode.INVALID_CONFIG),
        (((MIN_ISR, SET, "2"), (UNCLEAN, SET, "yes")), {}, ErrorCode.INVALID_CONFIG),
    ],
)
def test_one_bad_change_refuses_all(changes: Any, given: dict[str, Any], error: ErrorCode) -> None:
    driver = three_brokers()
    answer = alter(driver, *changes, **given)
    assert (answer.error, bool(answer.reason)) == (error, True)
    assert not driver.events(TopicConfigChanged)
    assert driver.partition.min_insync_replicas == 1


def test_a_check_changes_nothing() -> None:
    driver = three_brokers()
    assert alter(driver, (MIN_ISR, SET, "2"), validate_only=True).error == 0
    assert driver.partition.min_insync_replicas == 1


def test_another_minimum_reaches_every_partition_capped_to_its_replicas() -> None:
    driver = three_brokers()
    assert alter(driver, (MIN_ISR, SET, "9")).error == 0
    assert (driver.partition.min_insync_replicas, driver.partition.partition_epoch) == (3, 0), "it is none of its state"
    assert driver.image.topics["orders"].min_insync_replicas == 9
    alter(driver, (MIN_ISR, DELETE, None))
    assert driver.partition.min_insync_replicas == 1
    assert [(event.value, event.is_default) for event in driver.events(TopicConfigChanged)] == [
        ("9", False),
        ("", True),
    ]


def test_the_same_minimum_changes_no_partition() -> None:
    driver = three_brokers()
    alter(driver, (MIN_ISR, SET, "1"))
    assert driver.partition.partition_epoch == 0


def test_another_minimum_empties_the_eligible_leader_replicas() -> None:
    driver = three_brokers(Settings(elr=True), minimum=2)
    driver.kill(2)
    driver.kill(3)
    assert driver.partition.elr == (3,)
    alter(driver, (MIN_ISR, SET, "1"))
    decided = driver.events(PartitionDecided)[-1]
    assert (decided.elr, decided.min_insync_replicas, decided.why) == ((), 1, "min.insync.replicas is 1")


def test_allowing_unclean_elections_gives_a_leaderless_partition_a_leader() -> None:
    driver = three_brokers()
    driver.alter(1, 1)
    driver.kill(1)
    assert driver.partition.leader == -1
    assert alter(driver, (UNCLEAN, SET, "true")).error == 0
    assert driver.partition.leader == 2
    assert driver.events(PartitionDecided)[-1].unclean


def test_the_topic_s_own_word_on_unclean_elections_counts_before_that_of_the_run() -> None:
    driver = three_brokers(Settings(elr=False, unclean_leader_election=True))
    alter(driver, (UNCLEAN, SET, "false"))
    driver.alter(1, 1)
    driver.kill(1)
    assert driver.partition.leader == -1
    alter(driver, (UNCLEAN, DELETE, None))
    assert driver.partition.leader == 2


def test_a_list_grows_and_shrinks() -> None:
    driver = three_brokers()
    alter(driver, ("cleanup.policy", APPEND, "compact"))
    assert driver.image.topics["orders"].own["cleanup.policy"] == "delete,compact"
    alter(driver, ("cleanup.policy", SUBTRACT, "delete,nothing"))
    assert driver.image.topics["orders"].own["cleanup.policy"] == "compact"


def test_a_change_may_replace_all_that_was_set() -> None:
    driver = three_brokers(minimum=2)
    alter(driver, ("retention.ms", SET, "1000"), (UNCLEAN, SET, "true"))
    assert alter(driver, ("retention.ms", SET, "2000"), replaces=True).error == 0
    assert driver.image.topics["orders"].own == {"retention.ms": "2000"}
    assert driver.partition.min_insync_replicas == 1


def test_what_is_set_already_is_not_written_again() -> None:
    driver = three_brokers()
    alter(driver, ("retention.ms", SET, "1000"))
    alter(driver, ("retention.ms", SET, " 1000"))
    assert len(driver.events(TopicConfigChanged)) == 1
