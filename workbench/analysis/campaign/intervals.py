"""How sure a number is: Wilson's interval for shares, Student's t for means. Plain arithmetic, the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, ceil, comb, cos, fsum, pi, sin, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
QUANTILE_ERROR = 1e-10
_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


def wilson(happened: int, runs: int) -> tuple[float, float]:
    """Interval for the share behind `happened` of `runs`; (0, 1) without runs. Source: Wilson 1927, score interval."""
    if runs == 0:
        return 0.0, 1.0
    share, square = happened / runs, _Z * _Z
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = _Z / (1 + square / runs) * sqrt(share * (1 - share) / runs + square / (4 * runs * runs))
    low = 0.0 if happened == 0 else max(0.0, middle - half)
    return low, 1.0 if happened == runs else min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """(mean, low, high); low and high are the mean itself when a single value or equal ones leave nothing to judge by.

    ValueError without values.
    """
    if not values:
        raise ValueError("no values, no mean")
    count = len(values)
    mean = fsum(values) / count
    if count == 1:
        return mean, mean, mean
    spread = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = t_quantile(count - 1) * spread / sqrt(count)
    return mean, mean - half, mean + half


def two_sided(t: float, freedom: int) -> float:
    """How likely Student's t is at least so far from 0, either way, by chance. Source: Abramowitz, Stegun, 26.7.3-4."""
    angle = atan(abs(t) / sqrt(freedom))
    square, term = cos(angle) ** 2, 1.0
    series = 0.0 if freedom == 1 else 1.0
    for step in range(2 + freedom % 2, freedom, 2):
        term *= square * (step - 1) / step
        series += term
    if freedom % 2:
        return max(0.0, 1 - 2 / pi * (angle + sin(angle) * cos(angle) * series))
    return max(0.0, 1 - sin(angle) * series)


def t_quantile(freedom: int) -> float:
    """The two-sided quantile of Student's t at CONFIDENCE."""
    low, high = 0.0, 16.0
    while high - low > QUANTILE_ERROR:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > 1 - CONFIDENCE else (low, middle)
    return high


def sign_test(more: int, less: int) -> float:
    """How likely so uneven a number of changes up and down is by chance, both ways together; 1 without any."""
    count = more + less
    tail = sum(comb(count, place) for place in range(min(more, less) + 1))
    return min(1.0, tail / float(2 ** max(0, count - 1)))


def holm(chances: Sequence[float]) -> list[float]:
    """Each p corrected for there being so many, in the same order. Source: Holm 1979."""
    corrected, worst = [0.0] * len(chances), 0.0
    for place, index in enumerate(sorted(range(len(chances)), key=lambda index: chances[index])):
        worst = max(worst, min(1.0, (len(chances) - place) * chances[index]))
        corrected[index] = worst
    return corrected


def rank(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed; `ordered` is ascending and not empty."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
