"""Profiles scale timers together and nothing else."""

from __future__ import annotations

from cluster.model.settings import CLASSROOM_FACTOR, UNSCALED, Settings, classroom_timing, kafka_timing, setting_names


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
