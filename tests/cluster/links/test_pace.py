"""When frames of a delayed or slow link leave."""

from __future__ import annotations

import pytest

from cluster.faults.judge import Delay
from cluster.links.pace import BURST_BYTES, Pace


def test_a_later_frame_never_leaves_before_an_earlier_one() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.9) == pytest.approx(10.19)
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.0) == pytest.approx(10.19)


def test_a_slow_link_takes_a_burst_then_its_rate() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, BURST_BYTES, None, 1000, 0) == 10.0
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(11.0)
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(12.0)
