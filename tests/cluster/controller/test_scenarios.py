"""What the controller makes of the fault scenarios of partitions: leader, leader epoch, partition epoch, ISR, ELR."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionDecided
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers

WITH_ELR = Settings(elr=True)


def all_die(driver: ControllerDriver) -> None:
    for broker in (3, 2, 1):
        driver.kill(broker)


def test_p01_leader_crash() -> None:
    driver = three_brokers()
    driver.kill(1)
    assert driver.shown == (2, 1, 1, (2, 3))
    driver.join(1, clean=False)
    assert driver.shown == (2, 1, 1, (2, 3)), "no election when it returns"
    assert driver.alter(2, 1, 2, 3).error == 0
    assert driver.shown == (2, 1, 2, (1, 2, 3))
    assert driver.elect() == 0
    assert driver.shown == (1, 2, 3, (1, 2, 3))


def test_p02_follower_crash() -> None:
    driver = three_brokers()
    driver.kill(3)
    assert driver.shown == (1, 0, 1, (1, 2))
    driver.join(3, clean=False)
    driver.alter(1, 1, 2, 3)
    assert driver.shown == (1, 0, 2, (1, 2, 3))


def test_p03_all_die_and_the_last_one_must_return() -> None:
    driver = three_brokers()
    all_die(driver)
    assert driver.shown == (-1, 1, 3, (1,))
    driver.join(2, clean=False)
    assert driver.shown == (-1, 1, 3, (1,))
    driver.join(1, clean=False)
    assert driver.shown == (1, 2, 4, (1,))
    driver.alter(1, 1, 2)
    assert driver.shown == (1, 2, 5, (1, 2))


def test_p04_all_die_and_an_unclean_election_is_allowed() -> None:
    driver = three_brokers(Settings(elr=False, unclean_leader_election=True))
    all_die(driver)
    driver.join(2, clean=False)
    assert driver.shown == (2, 2, 4, (2,))
    assert driver.partition.recovering
    assert driver.events(PartitionDecided)[-1].unclean
    driver.join(1, clean=False)
    assert driver.alter(2, 1, 2).error == 0
    assert driver.shown == (2, 2, 5, (1, 2))
    assert not driver.partition.recovering


def test_p11_the_isr_shrinks_to_the_leader_and_grows_again() -> None:
    driver = three_brokers(minimum=2)
    driver.kill(3)
    driver.kill(2)
    assert driver.shown == (1, 0, 2, (1,))
    driver.join(2, clean=False)
    answer = driver.alter(1, 1, 2)
    assert (answer.isr, answer.partition_epoch, answer.leader_epoch) == ((1, 2), 3, 0)


def test_p16_a_fenced_follower_is_not_taken_back() -> None:
    driver = three_brokers()
    driver.kill(3)
    assert driver.shown == (1, 0, 1, (1, 2))
    assert driver.alter(1, 1, 2, 3).error == ErrorCode.INELIGIBLE_REPLICA
    driver.heartbeat(3)
    assert driver.shown == (1, 0, 1, (1, 2))
    driver.alter(1, 1, 2, 3)
    assert driver.shown == (1, 0, 2, (1, 2, 3))


def test_p17_stale_proposals() -> None:
    driver = three_brokers()
    driver.kill(1)
    driver.join(1, clean=False)
    assert driver.shown == (2, 1, 1, (2, 3))
    assert driver.alter(2, 1, 2, 3, leader_epoch=0).error == ErrorCode.FENCED_LEADER_EPOCH
    assert driver.alter(2, 1, 2, 3, partition_epoch=0).error == ErrorCode.INVALID_UPDATE_VERSION
    assert driver.alter(2, 1, 2, 3, leader_epoch=2).error == ErrorCode.NOT_CONTROLLER
    assert driver.alter(2, 1, 2, 3, partition_epoch=2).error == ErrorCode.NOT_CONTROLLER
    assert driver.alter(3, 2, 3).error == ErrorCode.INVALID_REQUEST
    assert driver.alter(2, 3).error == ErrorCode.INVALID_REQUEST
    assert driver.shown == (2, 1, 1, (2, 3))


def test_p18_a_fast_restart_waits_for_the_old_session() -> None:
    driver = three_brokers()
    for broker in (1, 2, 3):
        driver.heartbeat(broker)
    heard_ms = driver.now_ms
    assert driver.register(1, clean=False).error == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    assert driver.shown == (1, 0, 0, (1, 2, 3))
    while driver.register(1, new=False, clean=False).error:
        driver.pass_check(1)
    assert 9_000 < driver.now_ms - heard_ms <= 9_000 * 1.125 + 1
    assert driver.shown == (2, 1, 1, (2, 3))


def test_p19_an_older_incarnation_is_not_eligible() -> None:
    driver = three_brokers()
    driver.kill(3)
    old_epoch = driver.epochs[3]
    driver.join(3, clean=False)
    answer = driver.alter(1, new_isr=((1, driver.epochs[1]), (2, driver.epochs[2]), (3, old_epoch)))
    assert answer.error == ErrorCode.INELIGIBLE_REPLICA


def test_p20_controlled_shutdown_moves_leaderships_first() -> None:
    driver = three_brokers()
    answer = driver.heartbeat(1, leave=True)
    assert not answer.should_shut_down
    assert driver.shown == (2, 1, 1, (2, 3))
    assert not driver.heartbeat(1, leave=True).should_shut_down, "the others have not read of it yet"
    driver.heartbeat(2)
    driver.heartbeat(3)
    answer = driver.heartbeat(1, leave=True)
    assert answer.should_shut_down
    assert answer.is_fenced
    assert driver.shown == (2, 1, 1, (2, 3))
    driver.join(1)


def test_p21_controlled_shutdown_of_the_only_isr_member() -> None:
    driver = three_brokers()
    driver.alter(1, 1)
    assert driver.shown == (1, 0, 1, (1,))
    driver.heartbeat(1, leave=True)
    assert driver.shown == (-1, 1, 2, (1,))
    driver.heartbeat(2)
    driver.heartbeat(3)
    assert driver.heartbeat(1, leave=True).should_shut_down
    driver.join(1)
    assert driver.shown == (1, 2, 3, (1,))


def test_p25_last_replica_standing_without_elr() -> None:
    driver = three_brokers(minimum=2)
    driver.alter(1, 1, 3)
    driver.alter(1, 1)
    driver.kill(1)
    assert driver.shown == (-1, 1, 3, (1,))
    driver.join(1, clean=False)
    assert driver.shown == (1, 2, 4, (1,))


def test_p26_last_replica_standing_with_elr() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    driver.alter(1, 1, 3)
    driver.alter(1, 1)
    assert (driver.shown, driver.partition.elr) == ((1, 0, 2, (1,)), (3,))
    driver.kill(1)
    assert (driver.shown, driver.partition.elr) == ((3, 1, 3, (3,)), (1,))
    driver.join(1, clean=False)
    assert (driver.shown, driver.partition.elr) == ((3, 1, 4, (3,)), ())
    driver.alter(3, 1, 3)
    assert (driver.shown, driver.partition.elr) == ((3, 1, 5, (1, 3)), ())


def test_p27_elr_all_die_and_a_clean_one_returns() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    all_die(driver)
    assert (driver.shown, driver.partition.elr) == ((-1, 1, 3, ()), (1, 2))
    assert driver.partition.last_known_leader == 1
    driver.join(2, clean=True)
    assert (driver.shown, driver.partition.elr) == ((2, 2, 4, (2,)), (1,))
    assert driver.partition.last_known_leader == -1


def test_p27_elr_all_die_and_an_unclean_one_returns() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    all_die(driver)
    driver.join(2, clean=False)
    assert (driver.shown, driver.partition.elr) == ((-1, 1, 4, ()), (1,))
    driver.join(1, clean=True)
    assert (driver.shown, driver.partition.elr) == ((1, 2, 5, (1,)), ())


def test_p28_elect_leaders_errors() -> None:
    driver = three_brokers()
    assert driver.elect() == ErrorCode.ELECTION_NOT_NEEDED
    assert driver.elect(unclean=True) == ErrorCode.ELECTION_NOT_NEEDED
    driver.kill(1)
    before = driver.partition
    assert driver.elect() == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert driver.elect(unclean=True) == ErrorCode.ELECTION_NOT_NEEDED
    assert driver.partition == before
