"""Rules about brokers, at each of their bounds: what they answer, whether that is a yes, and the numbers they show."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.image import BrokerState
from cluster.controller.rules.brokers import (
    BrokerControlState,
    allocate_producer_ids,
    is_clean_restart,
    may_register,
    next_broker_state,
    session_expired,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import AllocateProducerIdsRequest, BrokerHeartbeatRequest, BrokerRegistrationRequest

FENCED, UNFENCED = BrokerControlState.FENCED, BrokerControlState.UNFENCED
LEAVING, GONE = BrokerControlState.CONTROLLED_SHUTDOWN, BrokerControlState.SHUTDOWN_NOW
ASKED = BrokerRegistrationRequest(broker_id=1, incarnation_id="new", previous_broker_epoch=4)


def known(**changes: Any) -> BrokerState:
    """A broker in service under epoch 4."""
    usual: dict[str, Any] = {"broker_epoch": 4, "incarnation_id": "old", "fenced": False, "registration_offset": 4}
    return BrokerState(**usual | changes)


@pytest.mark.parametrize(
    ("before", "silence_ms", "granted", "reason"),
    [
        (None, 0, True, "first registration of this broker"),
        (known(incarnation_id="new"), 0, True, "same incarnation, its epoch stays"),
        (known(fenced=True), 0, True, "the old incarnation is fenced"),
        (known(in_controlled_shutdown=True), 0, True, "the old incarnation was shutting down"),
        (known(), 100, False, "another incarnation still has a valid session"),
        (known(), 101, True, "the old session is over"),
    ],
)
def test_who_may_register(before: BrokerState | None, silence_ms: int, granted: bool, reason: str) -> None:  # noqa: FBT001
    ruling = may_register(before, ASKED, silence_ms, 100)
    assert (ruling.value, ruling.granted, ruling.reason) == (granted, granted, reason)
    numbers: dict[str, Any] = {"broker_id": 1}
    if before is not None:
        numbers |= {"known_broker_epoch": 4, "previous_broker_epoch": 4}
    if "session" in reason:
        numbers |= {"silence_ms": silence_ms, "session_timeout_ms": 100}
    if "session" in reason or "shutting" in reason:
        numbers["shuts down"] = int("shutting" in reason)
    assert ruling.numbers == numbers


@pytest.mark.parametrize(("previous", "clean"), [(4, True), (3, False), (-1, False)])
def test_a_restart_is_clean_that_names_the_epoch_which_is_known(previous: int, clean: bool) -> None:  # noqa: FBT001
    request = BrokerRegistrationRequest(broker_id=1, incarnation_id="new", previous_broker_epoch=previous)
    assert is_clean_restart(known(), request) is clean


@pytest.mark.parametrize(
    ("silence_ms", "expired", "reason"),
    [(100, False, "heard within its session"), (101, True, "silent for longer than its session")],
)
def test_a_session_is_over_after_more_than_its_timeout(silence_ms: int, expired: bool, reason: str) -> None:  # noqa: FBT001
    ruling = session_expired(1, silence_ms, 100)
    assert (ruling.value, ruling.granted, ruling.reason) == (expired, expired, reason)
    assert ruling.numbers == {"broker_id": 1, "silence_ms": silence_ms, "session_timeout_ms": 100}


@pytest.mark.parametrize(
    ("current", "read", "fence", "leave", "led", "others", "after", "reason"),
    [
        (FENCED, 8, False, False, 0, None, FENCED, "it has not read its own registration yet"),
        (FENCED, 9, False, False, 0, None, UNFENCED, "it has read its own registration"),
        (FENCED, 10, False, False, 0, None, UNFENCED, "it has read its own registration"),
        (FENCED, 9, True, False, 0, None, FENCED, "it asks to stay fenced"),
        (FENCED, 9, True, True, 0, None, GONE, "it is fenced and may go at once"),
        (UNFENCED, 9, False, False, 1, None, UNFENCED, "it is alive"),
        (UNFENCED, 9, True, False, 1, None, FENCED, "it asks to be fenced"),
        (UNFENCED, 9, True, True, 1, None, GONE, "it asks to be fenced and to go"),
        (UNFENCED, 9, False, True, 1, None, LEAVING, "it leads partitions that must move first"),
        (UNFENCED, 9, False, True, 0, None, GONE, "it leads nothing"),
        (LEAVING, 9, False, True, 1, 30, LEAVING, "it still leads partitions"),
        (LEAVING, 9, False, True, 0, 29, LEAVING, "another broker has not read of the moves yet"),
        (LEAVING, 9, False, True, 0, 30, GONE, "it leads nothing and the others know"),
        (LEAVING, 9, False, True, 0, None, GONE, "it leads nothing and the others know"),
    ],
)
def test_what_a_heartbeat_leads_to(  # noqa: PLR0913
    current: BrokerControlState,
    read: int,
    fence: bool,  # noqa: FBT001
    leave: bool,  # noqa: FBT001
    led: int,
    others: int | None,
    after: BrokerControlState,
    reason: str,
) -> None:
    request = BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=4, metadata_offset=read, want_fence=fence, want_shut_down=leave
    )
    ruling = next_broker_state(current, request, 9, led, 30, others)
    assert (ruling.value, ruling.granted, ruling.reason) == (after, after is not current, reason)
    numbers = {"broker_id": 1, "metadata_offset": read, "registration_offset": 9, "partitions_led": led}
    if current is UNFENCED:
        numbers["asks to be fenced"] = int(fence)
    if current is LEAVING:
        numbers |= {"shutdown_offset": 30} | ({} if others is None else {"lowest_active_offset": others})
    assert ruling.numbers == numbers


@pytest.mark.parametrize(
    ("asked", "registered", "error"),
    [
        (4, 4, ErrorCode.NONE),
        (0, 0, ErrorCode.NONE),
        (4, 5, ErrorCode.STALE_BROKER_EPOCH),
        (4, -1, ErrorCode.STALE_BROKER_EPOCH),
        (-1, -1, ErrorCode.STALE_BROKER_EPOCH),
    ],
)
def test_only_the_living_process_gets_producer_ids(asked: int, registered: int, error: ErrorCode) -> None:
    ruling = allocate_producer_ids(AllocateProducerIdsRequest(broker_id=1, broker_epoch=asked), registered, 7)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert ruling.numbers == {
        "broker_id": 1,
        "broker_epoch": asked,
        "registered_broker_epoch": registered,
        "next_producer_id": 7,
    }
