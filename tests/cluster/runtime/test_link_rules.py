"""Rules of links as data."""

from __future__ import annotations

import pytest

from cluster.runtime.link_rules import BURST_BYTES, Delay, Direction, LinkRules, Pace

WAY = Direction(1, 2)


def test_either_way_cut_prevents_connecting() -> None:
    rules = LinkRules([{"kind": "cut", "source": 1, "target": 2}])
    assert rules.is_cut(1, 2)
    assert rules.is_cut(2, 1)
    assert not rules.is_cut(1, 3)


def test_delays_add_up_and_the_slowest_rate_counts() -> None:
    delay = {"kind": "delay", "source": 1, "target": 2, "delay_ms": 10, "jitter_ms": 5}
    slow = {"kind": "slow", "source": 1, "target": 2, "bytes_per_second": 100}
    rules = LinkRules([delay, delay, slow, {**slow, "bytes_per_second": 50}])
    assert rules.delays[WAY] == Delay(20, 10)
    assert rules.rates[WAY] == 50
    assert rules.shapes(WAY)


def test_an_unknown_kind_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="teleport"):
        LinkRules([{"kind": "teleport", "source": 1, "target": 2}])


def test_a_later_frame_never_leaves_before_an_earlier_one() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.9) == pytest.approx(10.19)
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.0) == pytest.approx(10.19)


def test_a_slow_link_takes_a_burst_then_its_rate() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, BURST_BYTES, None, 1000, 0) == 10.0
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(11.0)
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(12.0)
