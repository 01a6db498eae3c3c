"""The checks of AlterPartition, in order."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import AlterPartitionRefused, PartitionDecided
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import three_brokers


def test_success_answers_the_new_isr_and_keeps_the_leader_epoch() -> None:
    driver = three_brokers()
    answer = driver.alter(1, 1, 2)
    assert (answer.error, answer.isr, answer.leader_epoch, answer.partition_epoch) == (0, (1, 2), 0, 1)
    assert driver.events(PartitionDecided)[-1].why == "ISR shrink by leader 1"
    driver.alter(1, 1, 2, 3)
    assert driver.events(PartitionDecided)[-1].why == "ISR expansion by leader 1"
    driver.alter(1, 1, 3)
    driver.alter(1, 1, 2)
    assert driver.events(PartitionDecided)[-1].why == "ISR change by leader 1"


def test_a_stale_broker_epoch_is_checked_first() -> None:
    driver = three_brokers()
    assert driver.alter(1, broker_epoch=0, topic_id=77, leader_epoch=9).error == ErrorCode.STALE_BROKER_EPOCH


def test_then_the_topic_id() -> None:
    driver = three_brokers()
    assert driver.alter(1, 1, topic_id=77, leader_epoch=9).error == ErrorCode.UNKNOWN_TOPIC_ID
    assert driver.alter(1, 1, topic="none").error == ErrorCode.UNKNOWN_TOPIC_ID
    assert driver.alter(1, 1, partition=5).error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_newer_epochs_mean_that_this_controller_is_behind() -> None:
    driver = three_brokers()
    assert driver.alter(2, 1, leader_epoch=9).error == ErrorCode.NOT_CONTROLLER
    assert driver.alter(2, 1, partition_epoch=9).error == ErrorCode.NOT_CONTROLLER


def test_an_older_leader_epoch_is_fenced_before_anything_about_the_sender() -> None:
    driver = three_brokers()
    assert driver.alter(3, leader_epoch=-1, partition_epoch=-1).error == ErrorCode.FENCED_LEADER_EPOCH


def test_a_sender_that_does_not_lead_comes_before_the_partition_epoch() -> None:
    driver = three_brokers()
    driver.alter(1, 1, 2)
    assert driver.alter(2, 1, 2, partition_epoch=0).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(1, 1, 2, 3, partition_epoch=0).error == ErrorCode.INVALID_UPDATE_VERSION


def test_the_isr_is_a_set_of_replicas_with_the_leader() -> None:
    driver = three_brokers()
    assert driver.alter(1).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(1, 1, 4).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(1, 1, 1).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(1, 2, 3).error == ErrorCode.INVALID_REQUEST


def test_a_recovering_leader_is_alone() -> None:
    driver = three_brokers(Settings(elr=False, unclean_leader_election=True))
    driver.alter(1, 1)
    driver.kill(1)
    assert driver.shown == (2, 1, 2, (2,))
    assert driver.alter(2, 2, 3, recovering=True).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(2, 2, recovering=False).error == 0
    assert driver.alter(2, 2, recovering=True).error == ErrorCode.INVALID_REQUEST


def test_members_out_of_service_are_ineligible() -> None:
    driver = three_brokers()
    driver.kill(3)
    driver.heartbeat(2, leave=True)
    assert driver.alter(1, 1, 3).error == ErrorCode.INELIGIBLE_REPLICA
    assert driver.alter(1, 1, 2).error == ErrorCode.INELIGIBLE_REPLICA
    driver.join(3)
    assert driver.alter(1, new_isr=((1, -1), (3, driver.epochs[3] - 1))).error == ErrorCode.INELIGIBLE_REPLICA
    assert driver.alter(1, new_isr=((1, -1), (3, -1))).error == 0
    assert driver.events(AlterPartitionRefused)[0].broker_id == 1


def test_a_refusal_writes_nothing_and_says_what_it_compared() -> None:
    driver = three_brokers()
    before = driver.next_offset
    driver.alter(1, 1, 2, leader_epoch=-1)
    assert driver.next_offset == before
    numbers = driver.decisions(AlterPartitionRefused)[0].numbers
    assert (numbers["leader_epoch"], numbers["known_leader_epoch"]) == (-1, 0)
