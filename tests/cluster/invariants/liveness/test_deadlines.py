"""Deadlines are made of the run's own timeouts."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.liveness.deadlines import MS, Deadlines


def with_settings(**settings: object) -> Deadlines:
    ghost = Ghost()
    ghost.settings = dict(settings)
    return Deadlines(ghost)


def test_a_setting_that_is_no_number_counts_as_kafkas_own() -> None:
    assert with_settings(request_timeout_ms="soon").setting_ns("request_timeout_ms", 30_000) == 30_000 * MS
    assert with_settings(request_timeout_ms=5).setting_ns("request_timeout_ms", 30_000) == 5 * MS


def test_a_quorum_without_pre_vote_has_four_times_as_long() -> None:
    assert with_settings(quorum_election_timeout_ms=100).quorum_leader_ns() == 1_000 * MS
    assert with_settings(quorum_election_timeout_ms=100, pre_vote=False).quorum_leader_ns() == 4_000 * MS
    assert (with_settings().epochs, with_settings(pre_vote=False).epochs) == (3, 20)


def test_brokers_have_their_session_and_the_controllers_check() -> None:
    assert with_settings(broker_session_timeout_ms=800).partition_leader_ns() == (800 + 100 + 2_000) * MS


def test_metadata_has_a_fetch_that_was_lost_and_a_leader_that_must_be_found() -> None:
    found = with_settings(quorum_request_timeout_ms=200, quorum_fetch_timeout_ms=300).metadata_ns()
    assert found == (2_000 + 200 + 300) * MS
