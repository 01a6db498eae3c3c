"""Where brokers stand."""

from __future__ import annotations

from cluster.model.racks import NO_RACK, rack_of


def test_brokers_are_spread_over_the_racks_in_turn() -> None:
    assert [rack_of(broker, 2) for broker in (1, 2, 3, 4)] == ["r1", "r2", "r1", "r2"]


def test_without_racks_no_broker_has_one() -> None:
    assert rack_of(1, 0) == NO_RACK == ""
