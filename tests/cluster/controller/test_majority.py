"""The controller of partitions by majority: it deposes, hears, and elects."""

from __future__ import annotations

from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import LogEndHeard, PartitionDecided
from cluster.model.messages import AlterConfigsRequest, CreateTopicRequest, ElectLeadersRequest, ReportLogEndRequest
from cluster.model.messages.configs import SET, TOPIC
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import ORDERS, ControllerDriver


class Majority(ControllerDriver):
    """orders-0 on brokers 1, 2 and 3; 1 leads in epoch 0."""

    def __init__(self) -> None:
        super().__init__(Settings(elr=False))
        self.join(1, 2, 3)
        request = CreateTopicRequest(
            topic="orders",
            partitions=1,
            replication_factor=3,
            assignments=((1, 2, 3),),
            configs=(("commit.rule", "majority"),),
        )
        assert self.ask(9, request).error == 0

    def report(self, broker: int, epoch: int, end: int, *, adopted: int = 0, broker_epoch: int | None = None) -> Any:
        request = ReportLogEndRequest(
            broker_id=broker,
            broker_epoch=self.epochs[broker] if broker_epoch is None else broker_epoch,
            topic="orders",
            topic_id=self.decided().topic_id,
            partition=0,
            leader_epoch=epoch,
            adopted_epoch=adopted,
            log_end_offset=end,
        )
        return self.ask(broker, request).error

    def decided(self) -> Any:
        return self.image.partitions[ORDERS]

    @property
    def standing(self) -> tuple[int, int, int]:
        """Leader, leader epoch and partition epoch."""
        state = self.decided()
        return state.leader, state.leader_epoch, state.partition_epoch


def test_who_leads_is_deposed_and_the_most_complete_log_of_a_majority_leads() -> None:
    driver = Majority()
    driver.kill(1)
    assert driver.standing == (-1, 1, 1)
    assert driver.report(2, 1, 4) == ErrorCode.NONE
    assert driver.standing == (-1, 1, 1)
    assert driver.report(3, 1, 6) == ErrorCode.NONE
    assert driver.standing == (3, 2, 2)
    assert driver.decided().isr == (1, 2, 3)
    decided = [emit for emit in driver.emitted if isinstance(emit.event, PartitionDecided)][-1]
    assert decided.decision is not None
    assert decided.decision.rule == "elect_by_majority"
    assert decided.decision.numbers["log_end_offset of 3"] == 6


def test_who_only_follows_is_fenced_without_any_change_to_the_partition() -> None:
    driver = Majority()
    driver.kill(3)
    assert driver.standing == (1, 0, 0)


def test_a_leader_without_a_majority_in_service_is_deposed_whoever_was_fenced_first() -> None:
    driver = Majority()
    driver.kill(3)
    driver.kill(2)
    assert driver.standing == (-1, 1, 1)
    decided = [emit for emit in driver.emitted if isinstance(emit.event, PartitionDecided)][-1]
    assert decided.decision is not None
    assert (decided.decision.rule, decided.decision.granted) == ("leads_on", False)
    driver.join(2)
    assert driver.report(2, 1, 4) == driver.report(1, 1, 4) == ErrorCode.NONE
    assert driver.standing == (1, 2, 2)


def test_a_leader_of_an_unclean_election_stays_while_another_is_not_in_service() -> None:
    driver = Majority()
    driver.kill(2)
    driver.kill(3)
    assert driver.report(1, 1, 4) == ErrorCode.NONE
    assert driver.ask(9, ElectLeadersRequest(topic="orders", partition=0, unclean=True)).error == ErrorCode.NONE
    assert driver.standing == (1, 2, 2)
    driver.join(4)
    driver.kill(4)
    assert driver.standing == (1, 2, 2)


def test_a_report_counts_in_its_epoch_of_its_process_and_while_its_broker_is_in_service() -> None:
    driver = Majority()
    assert driver.report(2, 0, 4) == ErrorCode.FENCED_LEADER_EPOCH
    driver.kill(1)
    assert driver.report(1, 1, 4) == ErrorCode.INELIGIBLE_REPLICA
    assert driver.report(2, 0, 4) == ErrorCode.FENCED_LEADER_EPOCH
    assert driver.report(2, 1, 4, broker_epoch=0) == ErrorCode.STALE_BROKER_EPOCH
    assert driver.report(2, 1, 4) == ErrorCode.NONE
    driver.kill(2)
    driver.join(2)
    assert driver.report(3, 1, 6) == ErrorCode.NONE
    assert driver.standing == (-1, 1, 1), "the process that told is gone"
    assert driver.report(2, 1, 4) == ErrorCode.NONE
    assert driver.standing == (3, 2, 2)


def test_what_was_reported_once_is_told_once() -> None:
    driver = Majority()
    driver.kill(1)
    driver.report(2, 1, 4)
    driver.report(2, 1, 4)
    assert sum(isinstance(emit.event, LogEndHeard) for emit in driver.emitted) == 1


def test_an_election_that_is_asked_for_asks_the_replicas_anew() -> None:
    driver = Majority()
    driver.kill(1)
    driver.report(2, 1, 4)
    driver.report(3, 1, 4)
    assert driver.standing[0] == 2
    driver.join(1)
    preferred = ElectLeadersRequest(topic="orders", partition=0, unclean=False)
    assert driver.ask(9, preferred).error == ErrorCode.NONE
    assert driver.standing[0] == -1
    epoch = driver.standing[1]
    driver.report(3, epoch, 4, adopted=2)
    driver.report(1, epoch, 4, adopted=2)
    assert driver.standing[0] == 1


def test_an_election_that_is_asked_for_where_nobody_leads_waits_for_a_majority_that_tells() -> None:
    driver = Majority()
    driver.kill(1)
    driver.report(2, 1, 4)
    preferred = ElectLeadersRequest(topic="orders", partition=0, unclean=False)
    assert driver.ask(9, preferred).error != ErrorCode.NONE
    assert driver.standing == (-1, 1, 1), "one of three told: nothing changes, and the epoch stands"


def test_an_unclean_election_needs_one_report_and_says_so() -> None:
    driver = Majority()
    driver.kill(1)
    unclean = ElectLeadersRequest(topic="orders", partition=0, unclean=True)
    assert driver.ask(9, unclean).error == ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    driver.report(3, 1, 4)
    assert driver.ask(9, unclean).error == ErrorCode.NONE
    assert driver.standing[0] == 3
    decided = [emit.event for emit in driver.emitted if isinstance(emit.event, PartitionDecided)][-1]
    assert decided.unclean


def test_the_rule_of_a_topic_is_never_changed() -> None:
    driver = Majority()
    request = AlterConfigsRequest(
        resource_type=TOPIC, resource_name="orders", changes=(("commit.rule", SET, "isr"),), replaces=False
    )
    answer = driver.ask(9, request)
    assert answer.error == ErrorCode.INVALID_CONFIG
    assert "when a topic is made" in answer.reason
