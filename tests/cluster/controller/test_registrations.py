"""Registration and broker epochs."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerFenced, BrokerRegistered, PartitionDecided, RegistrationRefused
from cluster.model.metadata_records import RegisterBrokerRecord
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers


def test_the_broker_epoch_is_the_offset_about_to_be_written() -> None:
    driver = ControllerDriver()
    driver.next_offset = 41
    assert driver.register(1).broker_epoch == 41
    assert driver.records == [RegisterBrokerRecord(broker_id=1, incarnation_id="1-1", broker_epoch=41, fenced=True)]
    assert driver.events(BrokerRegistered)[0].broker_epoch == 41


def test_another_incarnation_with_a_valid_session_is_a_duplicate() -> None:
    driver = ControllerDriver()
    driver.join(1)
    assert driver.register(1).error == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    assert driver.events(RegistrationRefused)[0].error == 101
    numbers = driver.decisions(RegistrationRefused)[0].numbers
    assert (numbers["silence_ms"], numbers["session_timeout_ms"]) == (0, 9000)


def test_the_same_incarnation_keeps_its_epoch_and_its_place() -> None:
    driver = three_brokers()
    epoch = driver.epochs[1]
    assert driver.register(1, new=False).broker_epoch == epoch
    assert driver.image.brokers[1].fenced is False
    assert driver.shown == (1, 0, 0, (1, 2, 3))


def test_a_new_incarnation_after_the_session_cleans_up_the_old_one_first() -> None:
    driver = three_brokers()
    driver.now_ms += 9_001
    base = driver.next_offset
    assert driver.register(1, clean=False).broker_epoch == base
    assert driver.shown == (2, 1, 1, (2, 3))
    assert driver.events(BrokerFenced)[0].why == "restarted"
    assert [type(record).__name__ for record in driver.records[-2:]] == ["PartitionRecord", "RegisterBrokerRecord"]


def test_a_broker_epoch_rises_with_each_incarnation() -> None:
    driver = ControllerDriver()
    driver.join(1)
    before = driver.epochs[1]
    driver.kill(1)
    assert driver.register(1).broker_epoch > before
    assert len(driver.events(BrokerFenced)) == 1, "the one that is known is fenced already"


def test_a_new_incarnation_does_not_inherit_that_the_old_one_was_leaving() -> None:
    driver = three_brokers()
    assert driver.heartbeat(1, leave=True).should_shut_down is False
    driver.join(1)
    for other in (2, 3):
        driver.heartbeat(other)
    again = driver.heartbeat(1)
    assert (again.is_fenced, again.should_shut_down) == (False, False)


def test_a_clean_restart_keeps_its_place_in_the_elr() -> None:
    driver = three_brokers(Settings(elr=True), minimum=3)
    driver.kill(3)
    assert driver.partition.elr == (3,)
    driver.join(3, clean=True)
    assert driver.partition.elr == (3,)


def test_an_unclean_restart_leaves_isr_and_elr() -> None:
    driver = three_brokers(Settings(elr=True), minimum=3)
    driver.now_ms += 9_001
    driver.heartbeat(1)
    driver.heartbeat(2)
    driver.register(3, clean=False)
    assert (driver.shown, driver.partition.elr) == ((1, 0, 1, (1, 2)), ())
    assert driver.events(PartitionDecided)[-1].why == "broker 3 restarted after an unclean stop"


def test_the_last_known_leader_returns_uncleanly_and_counts_as_unclean() -> None:
    driver = three_brokers(Settings(elr=True))
    for broker in (3, 2, 1):
        driver.kill(broker)
    assert (driver.shown, driver.partition.elr) == ((-1, 1, 3, ()), (1,))
    driver.join(1, clean=False)
    assert driver.shown == (1, 2, 5, (1,))
    assert driver.partition.recovering
    assert driver.events(PartitionDecided)[-1].unclean
