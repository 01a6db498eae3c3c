"""Soft state: how long a broker has been silent."""

from __future__ import annotations

from cluster.controller.state import BrokerSession, ControllerState
from cluster.model.settings import Settings


def test_silence_counts_from_the_last_heartbeat() -> None:
    state = ControllerState(Settings(), sessions={1: BrokerSession(100)})
    assert state.silence_ms(1, 350) == 250


def test_a_broker_without_a_session_has_been_silent_for_longer_than_one() -> None:
    assert ControllerState(Settings()).silence_ms(1, 0) > 9_000
