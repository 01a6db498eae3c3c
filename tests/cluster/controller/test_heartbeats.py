"""Heartbeats, sessions and fencing."""

from __future__ import annotations

from cluster.controller.controller import SESSION_CHECK
from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerFenced, BrokerUnfenced, ControlledShutdownBegun
from cluster.model.inputs import TimerFired
from cluster.model.messages import BrokerHeartbeatRequest
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers


def test_a_wrong_broker_epoch_is_stale() -> None:
    driver = ControllerDriver()
    driver.join(1)
    request = BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=99, metadata_offset=99, want_fence=False, want_shut_down=False
    )
    assert driver.ask(1, request).error == ErrorCode.STALE_BROKER_EPOCH
    request.broker_id = 9
    assert driver.ask(9, request).error == ErrorCode.STALE_BROKER_EPOCH


def test_a_broker_is_unfenced_once_it_has_read_its_registration() -> None:
    driver = ControllerDriver()
    own = driver.register(1).broker_epoch
    early = driver.heartbeat(1, offset=own - 1)
    assert (early.is_caught_up, early.is_fenced) == (False, True)
    asks = driver.heartbeat(1, offset=own, fence=True)
    assert (asks.is_caught_up, asks.is_fenced) == (True, True)
    assert driver.heartbeat(1, offset=own).is_fenced is False
    assert driver.decisions(BrokerUnfenced)[0].numbers["registration_offset"] == own
    before = driver.next_offset
    driver.heartbeat(1)
    assert (len(driver.events(BrokerUnfenced)), driver.next_offset) == (1, before), "it is in service already"


def test_a_broker_may_ask_to_be_fenced() -> None:
    driver = three_brokers()
    assert driver.heartbeat(1, fence=True).is_fenced
    assert driver.shown == (2, 1, 1, (2, 3))
    assert driver.events(BrokerFenced)[0].why == "asked"


def test_a_fenced_broker_may_go_at_once() -> None:
    driver = ControllerDriver()
    driver.register(1)
    before = driver.next_offset
    assert driver.heartbeat(1, fence=True, leave=True).should_shut_down
    assert driver.next_offset == before


def test_a_broker_that_leads_nothing_may_go_at_once() -> None:
    driver = three_brokers()
    answer = driver.heartbeat(3, leave=True)
    assert (answer.should_shut_down, answer.is_fenced) == (True, True)
    assert driver.shown == (1, 0, 1, (1, 2))
    assert not driver.events(ControlledShutdownBegun)


def test_a_session_ends_after_its_timeout_and_is_checked_every_eighth_of_it() -> None:
    driver = three_brokers()
    assert driver.timers[SESSION_CHECK] == 9_000 // 8
    driver.heartbeat(2)
    driver.heartbeat(3)
    driver.now_ms = 9_000
    driver.give(TimerFired(name=SESSION_CHECK))
    assert not driver.events(BrokerFenced)
    driver.now_ms = 9_001
    driver.give(TimerFired(name=SESSION_CHECK))
    assert driver.events(BrokerFenced)[0].why == "session expired"
    assert driver.decisions(BrokerFenced)[0].numbers["silence_ms"] == 9_001


def test_one_broker_is_fenced_in_each_pass_the_stalest_first() -> None:
    driver = three_brokers()
    driver.now_ms = 100
    driver.heartbeat(1)
    driver.heartbeat(3)
    driver.now_ms = 20_000
    fenced = []
    for _ in range(4):
        driver.give(TimerFired(name=SESSION_CHECK))
        fenced = [event.broker_id for event in driver.events(BrokerFenced)]
    assert fenced == [2, 1, 3]


def test_a_millisecond_makes_one_broker_staler_than_another() -> None:
    driver = three_brokers()
    driver.now_ms = 1
    driver.heartbeat(1)
    driver.heartbeat(3)
    driver.now_ms = 20_000
    driver.give(TimerFired(name=SESSION_CHECK))
    assert [event.broker_id for event in driver.events(BrokerFenced)] == [2]


def test_a_new_active_controller_gives_every_unfenced_broker_a_whole_session() -> None:
    driver = three_brokers()
    driver.now_ms = 8_000
    driver.controller.deactivate(2)
    driver.controller.activate(driver.image, 3, driver.now_ms, driver.next_offset)
    driver.now_ms = 17_000
    driver.give(TimerFired(name=SESSION_CHECK))
    assert not driver.events(BrokerFenced)
    driver.now_ms = 17_001
    driver.give(TimerFired(name=SESSION_CHECK))
    assert driver.events(BrokerFenced)


def test_a_controlled_shutdown_survives_a_controller_failover() -> None:
    driver = three_brokers()
    driver.heartbeat(1, leave=True)
    driver.controller.deactivate(2)
    driver.controller.activate(driver.image, 3, driver.now_ms, driver.next_offset)
    assert driver.heartbeat(1, leave=True).should_shut_down


def test_a_broker_that_leaves_waits_until_the_last_of_the_others_has_read_of_its_moves() -> None:
    driver = three_brokers()
    assert driver.heartbeat(1, leave=True).should_shut_down is False
    assert [event.broker_id for event in driver.events(ControlledShutdownBegun)] == [1]
    moved = driver.next_offset - 1
    for offset_of_3, may_go in ((moved - 1, False), (moved, True)):
        driver.heartbeat(2, offset=moved)
        driver.heartbeat(3, offset=offset_of_3)
        assert driver.heartbeat(1, leave=True, offset=0).should_shut_down is may_go


def test_a_resumed_broker_is_unfenced_by_its_next_heartbeat() -> None:
    driver = three_brokers()
    driver.kill(2)
    assert driver.heartbeat(2).is_fenced is False


def test_a_broker_that_was_fenced_while_it_left_may_come_back() -> None:
    driver = three_brokers()
    assert driver.heartbeat(1, leave=True).should_shut_down is False
    driver.kill(1)
    assert driver.heartbeat(1).is_fenced is False
    again = driver.heartbeat(1)
    assert (again.is_fenced, again.should_shut_down) == (False, False), "its first wish to leave is forgotten"
