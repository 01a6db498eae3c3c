"""How sure a number is: Wilson's interval for shares, Student's t for means. Plain arithmetic, the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, fsum, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
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


def t_quantile(freedom: int) -> float:
    """The two-sided quantile of Student's t at CONFIDENCE. Source: Hill 1970, CACM algorithm 396."""
    if freedom == 1:
        return 12.706204736
    if freedom == 2:
        return 4.302652730
    a = 1 / (freedom - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * 1.5707963267948966) * freedom
    y = (d * (1 - CONFIDENCE)) ** (2 / freedom)
    if y > 0.05 + a:
        x = -_Z
        y = x * x
        if freedom < 5:
            c += 0.3 * (freedom - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = a * y * y
        y = y * y / 2 + y if y <= 0.002 else 2.718281828459045**y - 1
    else:
        y = (
            (1 / (((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3) + 0.5 / (freedom + 4)) * y
            - 1
        ) * (freedom + 1) / (freedom + 2) + 1 / y
    return sqrt(freedom * y)


def rank(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed; `ordered` is ascending and not empty."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
