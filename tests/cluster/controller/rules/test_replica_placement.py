"""Where the replicas of new partitions are put."""

from __future__ import annotations

from cluster.controller.rules.replica_placement import place_replicas
from tests.support.worlds.controller_driver import three_brokers


def test_replicas_are_striped_and_fenced_brokers_come_last() -> None:
    driver = three_brokers()
    assert place_replicas(driver.image, 3, 2, 0).value == [(1, 2), (2, 3), (3, 1)]
    assert place_replicas(driver.image, 2, 1, 5).value == [(3,), (1,)]
    driver.kill(3)
    assert place_replicas(driver.image, 2, 3, 0).value == [(1, 2, 3), (2, 1, 3)]
