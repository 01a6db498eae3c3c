from __future__ import annotations

import pytest

from workbench.session.pace import LATE_NS, SPEEDS, Pace


def test_slower_and_faster_walk_through_all_speeds_and_stop_at_the_ends() -> None:
    pace = Pace()
    assert pace.text == "x1"
    for _ in SPEEDS:
        pace.change(-1)
    assert pace.text == "x0.01"
    seen = [pace.text]
    for _ in SPEEDS:
        pace.change(1)
        seen.append(pace.text)
    assert seen[-2:] == ["max", "max"] and len(set(seen)) == len(SPEEDS)


def test_a_speed_between_two_steps_goes_on_to_its_neighbours() -> None:
    pace = Pace()
    assert pace.set("x0.3")
    pace.change(1)
    assert pace.text == "x0.5"
    pace.set("0.3")
    pace.change(-1)
    assert pace.text == "x0.2"


@pytest.mark.parametrize("text", ["", "fast", "0", "0.001", "51", "-1", "1e1", "nan", "x", "1 2"])
def test_what_is_no_speed_changes_nothing(text: str) -> None:
    pace = Pace()
    assert not pace.set(text) and pace.text == "x1"


def test_a_speed_that_is_not_reached_is_not_claimed() -> None:
    pace = Pace()
    pace.reached = 0.97
    assert pace.shown == "x1"
    pace.reached = 0.4321
    assert pace.shown == "x1: x0.432"
    pace.set("max")
    pace.reached = 114.8
    assert pace.shown == "max: x115"
    pace.reached = 0.0
    assert pace.shown == "max"


def test_virtual_time_is_a_share_of_real_time_and_a_long_wait_is_let_go() -> None:
    pace = Pace()
    pace.set("0.05")
    assert pace.due_ns(10_000_000) == 500_000
    pace.set("10")
    assert pace.due_ns(60_000_000_000) == 10 * LATE_NS
    pace.set("max")
    assert pace.due_ns(1) is None
