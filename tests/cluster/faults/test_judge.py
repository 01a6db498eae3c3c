"""What link faults do to one frame."""

from __future__ import annotations

from cluster.faults.judge import CutLink, DelayedLink, Deliver, Hold, LimitedLink, judge


def test_without_faults_a_frame_is_delivered_at_once() -> None:
    assert judge((), 1, 2) == Deliver()


def test_a_cut_holds_its_own_direction_only() -> None:
    cut = CutLink(source=1, target=2)
    assert judge([cut], 1, 2) == Hold(cut)
    assert judge([cut], 2, 1) == Deliver()
    assert judge([cut], 1, 3) == Deliver()


def test_delays_add_up_and_the_lowest_rate_counts() -> None:
    faults = [
        DelayedLink(source=1, target=2, delay_ms=100, jitter_ms=10),
        DelayedLink(source=1, target=2, delay_ms=50),
        LimitedLink(source=1, target=2, bytes_per_second=1000),
        LimitedLink(source=1, target=2, bytes_per_second=400),
    ]
    assert judge(faults, 1, 2) == Deliver(150, 10, 400)


def test_a_cut_wins_over_a_delay() -> None:
    cut = CutLink(source=1, target=2)
    assert judge([DelayedLink(source=1, target=2, delay_ms=5), cut], 1, 2) == Hold(cut)
