from __future__ import annotations

import math
import sys
from types import ModuleType

import pytest

from benchmarks.__main__ import PARTS, main
from benchmarks.commits import ratio
from benchmarks.idle import clock_seconds
from benchmarks.report import Aim, percentile, spread


def test_a_figure_is_held_against_floor_and_goal() -> None:
    assert Aim(2.0, 6.5).verdict(3.25) == "floor 2 met, goal 6.5 missed by 50 %"
    assert Aim(100, 50, higher_is_better=False).verdict(75) == "floor 100 met, goal 50 missed by 50 %"
    assert Aim(None, 35, higher_is_better=False).verdict(35) == "goal 35 met"


def test_a_percentile_is_a_value_that_was_seen() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile(range(100), 0.99) == 99
    assert percentile([7.0], 0.99) == 7.0
    assert math.isnan(percentile([], 0.5))


def test_a_spread_is_least_median_most() -> None:
    assert spread([3000.0, 1.0, 2.0]) == "1 / 2 / 3,000"
    assert spread([]) == "none"


def test_a_ratio_is_the_median_of_pairs_not_of_sums() -> None:
    assert ratio([10.0, 20.0, 90.0], [10.0, 10.0, 10.0]) == 2.0
    assert ratio([10.0, 20.0], [10.0, 0.0]) == 1.0, "a round in which the peer lost its leader is no win"


@pytest.mark.parametrize(
    ("text", "seconds"), [("0:01.50", 1.5), ("00:00:03", 3), (" 1:00:00", 3600), ("2-00:00:01", 172801)]
)
def test_processor_time_of_ps_is_read_on_both_systems(text: str, seconds: float) -> None:
    assert clock_seconds(text) == seconds


def test_an_unknown_measurement_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in ("nonsense", *PARTS))


def test_a_measurement_that_fails_does_not_end_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, whole = ModuleType("benchmarks.broken"), ModuleType("benchmarks.whole")
    broken.run = lambda: 1 // 0  # type: ignore[attr-defined]  # a measurement is a module with this function
    whole.run = lambda: sys.stdout.write("measured")  # type: ignore[attr-defined]  # the same
    for module in (broken, whole):
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(PARTS, module.__name__.rpartition(".")[2], "of this test")
    assert main(["broken", "whole"]) == 1
    printed = capsys.readouterr()
    assert "measured" in printed.out
    assert "ZeroDivisionError" in printed.err
    assert "failed: broken" in printed.err
