"""Rules about topics: where replicas go, and what may be deleted."""

from __future__ import annotations

from cluster.controller.rules.topics import delete_topic, first_state, place_replicas
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE
from tests.support.worlds.controller_driver import three_brokers


def test_replicas_are_striped_and_fenced_brokers_come_last() -> None:
    driver = three_brokers()
    assert place_replicas(driver.image, 3, 2, 0).value == [(1, 2), (2, 3), (3, 1)]
    assert place_replicas(driver.image, 2, 1, 5).value == [(3,), (1,)]
    driver.kill(3)
    assert place_replicas(driver.image, 2, 3, 0).value == [(1, 2, 3), (2, 1, 3)]


def test_a_partition_none_of_whose_brokers_is_in_service_has_no_leader() -> None:
    driver = three_brokers()
    driver.kill(3)
    state = first_state(driver.image, 7, (3,), 2, by_majority=False).value
    assert (state.leader, state.isr, state.min_insync_replicas) == (NO_NODE, (), 1)


def test_by_majority_all_replicas_are_members_in_service_or_not() -> None:
    driver = three_brokers()
    driver.kill(1)
    state = first_state(driver.image, 7, (1, 2, 3), 2, by_majority=True).value
    assert (state.leader, state.isr) == (2, (1, 2, 3))


def test_a_refused_deletion_names_its_error() -> None:
    ruling = delete_topic(three_brokers().image, "t")
    assert (ruling.value, ruling.granted) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False)
