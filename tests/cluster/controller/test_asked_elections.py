"""ElectLeaders and its errors."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionDecided
from cluster.model.messages import ElectLeadersRequest
from tests.support.worlds.controller_driver import three_brokers


def test_an_unknown_partition() -> None:
    driver = three_brokers()
    answer = driver.ask(1001, ElectLeadersRequest(topic="orders", partition=4, unclean=False))
    assert answer.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_an_unclean_election_may_be_asked_for_when_the_setting_forbids_it() -> None:
    driver = three_brokers()
    driver.alter(1, 1)
    driver.kill(1)
    assert driver.shown == (-1, 1, 2, (1,))
    assert driver.elect(unclean=True) == 0
    assert driver.shown == (2, 2, 3, (2,))
    assert driver.events(PartitionDecided)[-1].unclean


def test_no_replica_is_left_to_lead() -> None:
    driver = three_brokers()
    for broker in (3, 2, 1):
        driver.kill(broker)
    assert driver.elect(unclean=True) == ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    assert driver.elect() == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
