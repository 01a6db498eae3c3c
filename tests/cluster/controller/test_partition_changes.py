"""What events write, and the eligible leader replicas."""

from __future__ import annotations

from cluster.controller.rules.eligible_leader_replicas import eligible_leader_replicas
from cluster.model.events import BrokerFenced, PartitionDecided
from cluster.model.messages import ElectLeadersRequest
from cluster.model.metadata_records import BrokerRegistrationChangeRecord, PartitionRecord
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import ORDERS, three_brokers

WITH_ELR = Settings(elr=True)


def test_fencing_writes_partitions_first_then_the_registration_change() -> None:
    driver = three_brokers()
    driver.kill(1)
    partition, change = driver.records[-2:]
    assert isinstance(partition, PartitionRecord)
    assert (partition.topic, partition.partition, partition.state) == (*ORDERS, driver.partition)
    assert partition.why == "broker 1 fenced"
    assert change == BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=driver.epochs[1], fenced=1)
    assert [type(emit.event) for emit in driver.emitted[-2:]] == [BrokerFenced, PartitionDecided]


def test_the_leader_epoch_grows_only_with_the_leader_and_the_partition_epoch_always() -> None:
    driver = three_brokers()
    driver.kill(3)
    assert driver.shown == (1, 0, 1, (1, 2))
    driver.kill(1)
    assert driver.shown == (2, 1, 2, (2,))


def test_without_elr_the_last_isr_member_stays_in_the_isr() -> None:
    driver = three_brokers()
    driver.alter(1, 1)
    driver.kill(1)
    assert (driver.shown, driver.partition.last_known_leader) == ((-1, 1, 2, (1,)), -1)


def test_with_elr_the_last_isr_member_moves_to_the_elr() -> None:
    driver = three_brokers(WITH_ELR)
    driver.alter(1, 1)
    driver.kill(1)
    assert (driver.shown, driver.partition.elr) == ((-1, 1, 2, ()), (1,))
    assert driver.partition.last_known_leader == 1


def test_unfencing_writes_the_change_first_and_looks_only_at_leaderless_partitions() -> None:
    driver = three_brokers()
    driver.kill(1)
    before = driver.next_offset
    driver.heartbeat(1)
    assert driver.next_offset == before + 1
    assert driver.records[-1] == BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=driver.epochs[1], fenced=-1)


def test_controlled_shutdown_is_marked_before_the_partitions() -> None:
    driver = three_brokers()
    driver.heartbeat(1, leave=True)
    mark, partition = driver.records[-2:]
    assert mark.controlled_shutdown == 1
    assert partition.why == "broker 1 shuts down"
    assert driver.image.eligible_brokers().keys() == {2, 3}
    assert driver.image.unfenced_brokers() == (1, 2, 3)


def test_the_elr_holds_who_left_an_isr_below_its_minimum() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    driver.kill(3)
    assert driver.partition.elr == ()
    driver.kill(2)
    assert (driver.shown, driver.partition.elr) == ((1, 0, 2, (1,)), (2,))


def test_the_elr_is_cleared_when_the_isr_reaches_its_minimum() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    driver.kill(3)
    driver.kill(2)
    driver.join(3)
    driver.alter(1, 1, 3)
    assert (driver.partition.isr, driver.partition.elr) == ((1, 3), ())


def test_the_elr_leaves_out_who_may_have_lost_records() -> None:
    driver = three_brokers(WITH_ELR, minimum=3)
    driver.kill(3)
    state = driver.partition
    assert eligible_leader_replicas(state, (1,), True, frozenset()).value == (2, 3)
    assert eligible_leader_replicas(state, (1,), True, frozenset({3})).value == (2,)
    assert eligible_leader_replicas(state, (1,), False, frozenset()).value == ()


def test_the_last_known_leader_is_kept_from_the_first_leaderless_moment() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    for broker in (3, 2, 1):
        driver.kill(broker)
    driver.register(2, clean=False)
    assert (driver.partition.last_known_leader, driver.partition.elr) == (1, (1,))


def test_an_unclean_election_clears_the_elr() -> None:
    driver = three_brokers(WITH_ELR, minimum=2)
    for broker in (3, 2, 1):
        driver.kill(broker)
    driver.join(3)
    assert driver.shown == (-1, 1, 3, ())
    assert driver.ask(1001, ElectLeadersRequest(topic="orders", partition=0, unclean=True)).error == 0
    assert (driver.shown, driver.partition.elr) == ((3, 2, 4, (3,)), ())
    assert driver.partition.recovering
