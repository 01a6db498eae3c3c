"""Profiles scale timers together and nothing else."""

from __future__ import annotations

import pytest

from cluster.model.settings import (
    ABSENT_WITH_ZOOKEEPER,
    CLASSROOM_FACTOR,
    UNSCALED,
    Settings,
    classroom_timing,
    kafka_timing,
    setting_complaint,
    setting_names,
    zookeeper_complaint,
)


def test_kafka_timing_is_kafkas_defaults() -> None:
    settings = kafka_timing()
    assert settings.broker_session_timeout_ms == 9000
    assert settings.replica_lag_time_max_ms == 30000
    assert (settings.pre_vote, settings.elr, settings.hw_gate, settings.unclean_leader_election) == (
        True,
        True,
        True,
        False,
    )


def test_classroom_timing_scales_all_timers_by_one_factor_but_those_that_nobody_waits_for() -> None:
    slow, fast = Settings(), classroom_timing()
    for name in setting_names():
        before, after = getattr(slow, name), getattr(fast, name)
        is_scaled = name.endswith("_ms") and name not in UNSCALED
        assert after == (max(1, round(before * CLASSROOM_FACTOR)) if is_scaled else before)


def test_a_timer_never_scales_to_nothing() -> None:
    assert Settings().scaled(1e-9).quorum_retry_backoff_ms == 1


@pytest.mark.parametrize("name", ABSENT_WITH_ZOOKEEPER)
def test_a_setting_that_asks_for_what_zookeepers_era_has_not_is_named(name: str) -> None:
    asked = {"commit_rule": "majority", "spare_controllers": 1}.get(name, True)
    assert setting_complaint({name: ABSENT_WITH_ZOOKEEPER[name]}) is None
    assert zookeeper_complaint({name: asked}) is None
    found = zookeeper_complaint({"control": "zookeeper", name: asked})
    assert found is not None and found[0] == name
    assert zookeeper_complaint({"control": "zookeeper", **ABSENT_WITH_ZOOKEEPER}) is None
