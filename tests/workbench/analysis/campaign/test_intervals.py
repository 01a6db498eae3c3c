"""Intervals against values worked out elsewhere."""

from __future__ import annotations

import pytest

from workbench.analysis.campaign.intervals import holm, mean_interval, rank, sign_test, t_quantile, two_sided, wilson


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


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [(12.7062, 1, 0.05), (6.3138, 1, 0.1), (4.30265, 2, 0.05), (3.18245, 3, 0.05), (2.22814, 10, 0.05),
     (-2.75, 30, 0.01), (0.0, 7, 1.0), (3.3398, 199, 0.001)],
)  # fmt: skip
def test_how_far_students_t_goes_by_chance(t: float, freedom: int, p: float) -> None:
    assert two_sided(t, freedom) == pytest.approx(p, rel=2e-3)


@pytest.mark.parametrize(
    ("more", "less", "p"), [(0, 0, 1.0), (3, 3, 1.0), (0, 5, 0.0625), (9, 1, 0.021484), (12, 3, 0.035156)]
)
def test_a_sign_test_counts_changes_alone(more: int, less: int, p: float) -> None:
    assert sign_test(more, less) == pytest.approx(p, rel=1e-4)


def test_holm_corrects_the_smallest_most_and_never_turns_their_order() -> None:
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0] and holm([]) == []
