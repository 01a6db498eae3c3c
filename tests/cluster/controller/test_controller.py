"""Records of the metadata log and the controller's doors: active, inactive, timers."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.controller import BALANCE, IDLE, SESSION_CHECK, TIMERS, Controller
from cluster.model.effects import CancelTimer, Emit, Propose, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import ControllerActivated, ControllerDeactivated, PartitionDecided
from cluster.model.inputs import QuorumStatus, Received, TimerFired
from cluster.model.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CreateTopicRequest,
    ElectLeadersRequest,
    Message,
    MetadataRequest,
)
from cluster.model.metadata_records import NoOpRecord
from cluster.model.settings import Settings
from tests.support.kinds import as_kind
from tests.support.worlds.controller_driver import CONTROLLER, ControllerDriver, three_brokers

REQUESTS: list[Message] = [
    BrokerRegistrationRequest(broker_id=1, incarnation_id="a"),
    BrokerHeartbeatRequest(broker_id=1, broker_epoch=1, metadata_offset=1, want_fence=False, want_shut_down=False),
    AlterPartitionRequest(
        broker_id=1, broker_epoch=1, topic="t", topic_id=1, partition=0, leader_epoch=0, partition_epoch=0, new_isr=()
    ),
    CreateTopicRequest(topic="t", partitions=1, replication_factor=1),
    ElectLeadersRequest(topic="t", partition=0, unclean=False),
]


@pytest.mark.parametrize("request_message", REQUESTS, ids=lambda message: type(message).__name__)
def test_an_inactive_controller_names_the_active_one(request_message: Message) -> None:
    controller = Controller(102, Settings())
    controller.handle(QuorumStatus(leader_id=101, epoch=3), 0, 5)
    (effect,) = controller.handle(Received(sender=1, correlation=9, message=request_message), 0, 5)
    assert isinstance(effect, Send)
    assert (effect.target, effect.correlation) == (1, 9)
    refused: Any = effect.message
    assert refused.error == ErrorCode.NOT_CONTROLLER
    assert refused.leader_id == 101


def test_an_answer_waits_for_the_commit_and_events_come_first() -> None:
    driver = ControllerDriver()
    message = BrokerRegistrationRequest(broker_id=1, incarnation_id="a")
    effects = driver.controller.handle(Received(sender=1, correlation=9, message=message), 0, 5)
    assert [type(effect) for effect in effects] == [Emit, Propose]
    (answer,) = as_kind(Propose, effects[1]).then
    assert isinstance(answer, Send)
    assert (answer.target, answer.correlation) == (1, 9)
    assert as_kind(BrokerRegistrationResponse, answer.message).broker_epoch == 5


def test_own_records_count_at_once() -> None:
    driver = ControllerDriver()
    message = BrokerRegistrationRequest(broker_id=1, incarnation_id="a")
    driver.controller.handle(Received(sender=1, correlation=9, message=message), 0, 5)
    assert driver.controller.image.brokers[1].broker_epoch == 5


def test_lost_leadership_drops_what_was_not_committed() -> None:
    driver = three_brokers()
    effects = driver.controller.deactivate(2)
    assert effects[0] == Emit(ControllerDeactivated(epoch=2))
    assert effects[1:] == [CancelTimer(name) for name in TIMERS]
    assert not driver.controller.is_active
    assert driver.controller.image.brokers == {}
    assert driver.controller.deactivate(3) == []


def test_activation_works_on_a_copy_of_the_committed_image() -> None:
    driver = three_brokers()
    assert driver.events(ControllerActivated)[0].epoch == 1
    other = Controller(102, driver.settings)
    other.activate(driver.image, 2, 0, driver.next_offset)
    message = BrokerRegistrationRequest(broker_id=9, incarnation_id="x")
    other.handle(Received(sender=9, correlation=1, message=message), 0, driver.next_offset)
    assert 9 in other.image.brokers
    assert 9 not in driver.image.brokers


def test_who_is_active_a_second_time_goes_by_the_committed_image_and_gives_each_broker_a_whole_session() -> None:
    driver = three_brokers()
    message = BrokerRegistrationRequest(broker_id=9, incarnation_id="x")
    driver.controller.handle(Received(sender=9, correlation=1, message=message), driver.now_ms, driver.next_offset)
    assert 9 in driver.controller.image.brokers, "never committed"
    driver.controller.deactivate(2)
    driver.now_ms += 10 * driver.settings.broker_session_timeout_ms
    driver.controller.activate(driver.image, 3, driver.now_ms, driver.next_offset)
    assert set(driver.controller.image.brokers) == {1, 2, 3}
    for name in (SESSION_CHECK, SESSION_CHECK):
        driver.give(TimerFired(name=name))
    assert sorted(driver.controller.image.unfenced_brokers()) == [1, 2, 3], "it heard nobody while it was not active"
    driver.kill(2)
    assert sorted(driver.controller.image.unfenced_brokers()) == [1, 3]


def test_an_idle_controller_writes_a_no_op_and_a_busy_one_does_not() -> None:
    driver = ControllerDriver()
    driver.now_ms = driver.timers[IDLE]
    driver.give(TimerFired(name=IDLE))
    assert driver.records == [NoOpRecord()]
    driver.register(1)
    driver.give(TimerFired(name=IDLE))
    assert len(driver.records) == 2


def test_the_balance_check_gives_leaderships_back_when_it_is_on() -> None:
    assert BALANCE not in ControllerDriver().timers
    settings = Settings(elr=False, auto_leader_rebalance=True)
    driver = three_brokers(settings)
    assert driver.timers[BALANCE] == settings.leader_imbalance_check_interval_ms
    driver.kill(1)
    driver.join(1)
    driver.alter(2, 1, 2, 3)
    driver.give(TimerFired(name=BALANCE))
    assert driver.shown == (1, 2, 3, (1, 2, 3))
    assert driver.events(PartitionDecided)[-1].why == "leaders rebalanced"


def test_other_messages_are_not_for_the_controller() -> None:
    driver = ControllerDriver()
    assert driver.ask(1, MetadataRequest()) is None
    assert Controller(CONTROLLER, Settings()).handle(TimerFired(name=IDLE), 0, 0) == []
