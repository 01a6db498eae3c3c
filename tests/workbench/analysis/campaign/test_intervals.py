"""Intervals against values worked out elsewhere."""

from __future__ import annotations

import pytest

from workbench.analysis.campaign.intervals import mean_interval, rank, t_quantile, wilson


@pytest.mark.parametrize(
    ("happened", "runs", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (1, 10, 0.0179, 0.4042),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson(happened: int, runs: int, low: float, high: float) -> None:
    assert wilson(happened, runs) == pytest.approx((low, high), abs=6e-5)


def test_without_runs_a_share_may_be_anything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.7062),
        (2, 4.30265),
        (3, 3.18245),
        (4, 2.77645),
        (5, 2.57058),
        (10, 2.22814),
        (30, 2.04227),
        (199, 1.97196),
    ],
)
def test_students_t(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=2e-3)


def test_a_mean_with_its_interval() -> None:
    mean, low, high = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (mean, low, high) == pytest.approx((3.0, 1.0368, 4.9632), abs=2e-3)


def test_equal_values_or_a_single_one_leave_no_width() -> None:
    assert mean_interval([7.0]) == (7.0, 7.0, 7.0)
    assert mean_interval([2.0, 2.0, 2.0]) == (2.0, 2.0, 2.0)


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])


def test_a_rank_is_a_value_that_was_seen() -> None:
    assert rank([1.0, 2.0, 3.0, 4.0], 0.5) == 2.0
    assert rank([1.0, 2.0, 3.0, 4.0], 0.99) == 4.0
    assert rank([5.0], 0.5) == 5.0
