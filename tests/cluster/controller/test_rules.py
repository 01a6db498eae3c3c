"""The table of heartbeat outcomes, row by row."""

from __future__ import annotations

import pytest

from cluster.controller.rules.brokers import BrokerControlState, next_broker_state, session_expired
from cluster.model.messages import BrokerHeartbeatRequest

FENCED, UNFENCED = BrokerControlState.FENCED, BrokerControlState.UNFENCED
LEAVING, GO = BrokerControlState.CONTROLLED_SHUTDOWN, BrokerControlState.SHUTDOWN_NOW


@pytest.mark.parametrize(
    ("current", "fence", "leave", "offset", "led", "lowest", "expected"),
    [
        (FENCED, True, False, 50, 0, 50, FENCED),
        (FENCED, False, False, 9, 0, 50, FENCED),
        (FENCED, False, False, 10, 0, 50, UNFENCED),
        (FENCED, True, True, 0, 0, 50, GO),
        (FENCED, False, True, 0, 0, 50, GO),
        (UNFENCED, True, False, 50, 3, 50, FENCED),
        (UNFENCED, True, True, 50, 3, 50, GO),
        (UNFENCED, False, True, 50, 1, 50, LEAVING),
        (UNFENCED, False, True, 50, 0, 50, GO),
        (UNFENCED, False, False, 50, 1, 50, UNFENCED),
        (LEAVING, False, True, 50, 1, 50, LEAVING),
        (LEAVING, False, True, 50, 0, 29, LEAVING),
        (LEAVING, False, True, 50, 0, 30, GO),
        (LEAVING, False, True, 50, 0, None, GO),
    ],
)
def test_next_broker_state(
    current: BrokerControlState,
    fence: bool,
    leave: bool,
    offset: int,
    led: int,
    lowest: int | None,
    expected: BrokerControlState,
) -> None:
    request = BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=10, metadata_offset=offset, want_fence=fence, want_shut_down=leave
    )
    ruling = next_broker_state(current, request, 10, led, 30, lowest)
    assert ruling.value is expected
    assert ruling.granted == (expected != current)
    assert ruling.numbers["metadata_offset"] == offset


def test_a_session_is_over_only_after_its_timeout() -> None:
    assert not session_expired(1, 9_000, 9_000).granted
    assert session_expired(1, 9_001, 9_000).granted
