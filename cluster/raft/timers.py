"""The timers of a quorum node, by name, and those that end with a role. Source: KIP-595."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, SetTimer
from cluster.raft.state import QuorumState

ELECTION_TIMER = "quorum.election"
RESEND_TIMER = "quorum.retry"
FETCH_TIMER = "quorum.fetch"
FETCH_RETRY_TIMER = "quorum.fetch_retry"
PARKED_TIMER = "quorum.parked."
CHECK_TIMER = "quorum.check"
BEGIN_TIMER = "quorum.begin"
RETENTION_TIMER = "quorum.retention"
STOP_TIMER = "quorum.stop"
CHANGE_TIMER = "quorum.change"
JOIN_TIMER = "quorum.join"


def set_election_timer(state: QuorumState) -> SetTimer:
    """Uniform in [T, 2T) unless the spread is set otherwise; the world draws. Source: QuorumState, Raft paper 9.3."""
    timeout_ms = state.settings.quorum_election_timeout_ms
    return SetTimer(ELECTION_TIMER, timeout_ms, timeout_ms * state.settings.quorum_election_spread_percent // 100)


def check_quorum_ms(state: QuorumState) -> int:
    """How long a leader waits for fetches of a majority. Source: LeaderState, CHECK_QUORUM_TIMEOUT_FACTOR."""
    return state.settings.quorum_fetch_timeout_ms * 3 // 2


def set_check_timer(state: QuorumState) -> SetTimer:
    """A leader's wait for a majority begins anew."""
    return SetTimer(CHECK_TIMER, check_quorum_ms(state))


def stop_timers() -> list[Effect]:
    """Timers that only a leader or a follower has."""
    return [CancelTimer(name) for name in (CHECK_TIMER, BEGIN_TIMER, FETCH_TIMER, RESEND_TIMER)]
