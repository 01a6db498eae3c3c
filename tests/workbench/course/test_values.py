"""Values in a lesson's text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.settings import classroom_timing
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.terms import GrammarError
from workbench.course.values import duration, parsed, told, unknown_values, values_in

SETTINGS, STATE = classroom_timing(), ClusterState()


def test_a_timer_is_told_as_people_say_it_and_a_value_as_the_run_has_it() -> None:
    settings = replace(SETTINGS, replica_lag_time_max_ms=1500)
    text = "After {replica_lag_time_max_ms}: {$e1}, {events ctl.broker_fenced} times."
    assert told(text, settings, STATE, {"e1": 4}) == "After 1.5 s: 4, 0 times."


def test_a_leader_that_is_not_there_is_nobody_and_needs_no_noun() -> None:
    text = "Controller {leader of quorum} leads, and so says {leader orders-0}. Led by controller {active controller}."
    assert told(text, SETTINGS, STATE, {}) == "Nobody leads, and so says nobody. Led by nobody."
    assert not unknown_values(text, STATE, {}), "that nobody leads is known"


def test_a_value_may_go_on_in_the_next_line() -> None:
    assert values_in("It is {high_watermark\norders-0 on 1} and {idle}.") == ["high_watermark orders-0 on 1", "idle"]
    assert told("{isr\norders-0}", SETTINGS, STATE, {}) == "unknown"


def test_what_is_not_known_yet_is_found() -> None:
    text = "{isr orders-0} {replica_lag_time_max_ms} {events ctl.broker_fenced} {$e1}"
    assert unknown_values(text, STATE, {"e1": 3}) == ["isr orders-0"]


@pytest.mark.parametrize("value", ["broker_session_timeout", "leader", "log_end orders-0", "events", "", "$e2"])
def test_what_is_no_value_is_refused(value: str) -> None:
    with pytest.raises(GrammarError, match=r"is no timer of cluster/model/settings\.py, and: "):
        parsed(value, frozenset({"e1"}))


@pytest.mark.parametrize(
    ("milliseconds", "says"),
    [
        (1, "1 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (1500, "1.5 s"),
        (60_000, "60 s"),
        (90_000, "90 s"),
        (1_200_000, "20 min"),
    ],
)
def test_times_are_told_as_people_say_them(milliseconds: int, says: str) -> None:
    assert duration(milliseconds) == says
