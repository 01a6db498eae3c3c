"""The active controller's decisions about brokers, as pure functions."""

from __future__ import annotations

from enum import StrEnum

from cluster.controller.image import BrokerState
from cluster.model.decision import Decision
from cluster.model.identifiers import NodeId, Offset
from cluster.model.messages import BrokerHeartbeatRequest, BrokerRegistrationRequest

STALE_CHECKS_PER_SESSION = 8
"""Passes of the stale check in one session timeout; each fences at most one broker."""


class BrokerControlState(StrEnum):
    """How the controller sees a broker. Source: Kafka BrokerControlState."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled_shutdown"
    SHUTDOWN_NOW = "shutdown_now"


def may_register(
    known: BrokerState | None, request: BrokerRegistrationRequest, silence_ms: int, timeout_ms: int
) -> Decision:
    """A new incarnation waits until the session of the old one is over. Source: KIP-631, ClusterControlManager.

    Args:
        known: the registration under this id, if any.
        silence_ms: since the old incarnation was last heard; larger than timeout_ms when it has no session.
        timeout_ms: broker.session.timeout.ms.
    """
    source = "KIP-631, ClusterControlManager.registerBroker"
    numbers: dict[str, int | str | list[int]] = {"broker_id": request.broker_id}
    if known is None:
        return Decision("may_register", True, "first registration of this broker", source, numbers)
    numbers |= {"known_broker_epoch": known.broker_epoch, "previous_broker_epoch": request.previous_broker_epoch}
    if known.incarnation_id == request.incarnation_id:
        return Decision("may_register", True, "same incarnation, its epoch stays", source, numbers)
    if known.fenced:
        return Decision("may_register", True, "the old incarnation is fenced", source, numbers)
    if known.in_controlled_shutdown:
        return Decision("may_register", True, "the old incarnation was shutting down", source, numbers)
    numbers |= {"silence_ms": silence_ms, "session_timeout_ms": timeout_ms}
    if silence_ms > timeout_ms:
        return Decision("may_register", True, "the old session is over", source, numbers)
    return Decision("may_register", False, "another incarnation still has a valid session", source, numbers)


def is_clean_restart(known: BrokerState, request: BrokerRegistrationRequest) -> bool:
    """Whether the old incarnation left its marker behind: it names the epoch we stored. Source: KIP-966."""
    return request.previous_broker_epoch == known.broker_epoch


def session_expired(broker_id: NodeId, silence_ms: int, timeout_ms: int) -> Decision:
    """A broker that was silent for longer than its session is stale. Source: BrokerHeartbeatManager."""
    numbers: dict[str, int | str | list[int]] = {
        "broker_id": broker_id,
        "silence_ms": silence_ms,
        "session_timeout_ms": timeout_ms,
    }
    expired = silence_ms > timeout_ms
    reason = "silent for longer than its session" if expired else "heard within its session"
    return Decision(
        "session_expired", expired, reason, "KIP-631, ReplicationControlManager.maybeFenceOneStaleBroker", numbers
    )


def next_broker_state(
    current: BrokerControlState,
    request: BrokerHeartbeatRequest,
    registration_offset: Offset,
    led_count: int,
    shutdown_offset: Offset,
    lowest_active_offset: Offset | None,
) -> tuple[BrokerControlState, Decision]:
    """What a heartbeat makes of a broker. Source: BrokerHeartbeatManager.calculateNextBrokerState.

    Args:
        registration_offset: of the broker's own registration record (inclusive).
        led_count: partitions it leads.
        shutdown_offset: last offset of the batch that began its shutdown (inclusive); -1 when it has not begun.
        lowest_active_offset: least metadata offset the other active brokers reported; None without others.
    """
    numbers: dict[str, int | str | list[int]] = {
        "broker_id": request.broker_id,
        "metadata_offset": request.metadata_offset,
        "registration_offset": registration_offset,
        "partitions_led": led_count,
    }
    match current:
        case BrokerControlState.FENCED:
            chosen, reason = _from_fenced(request, registration_offset)
        case BrokerControlState.UNFENCED:
            chosen, reason = _from_unfenced(request, led_count)
        case _:
            numbers["shutdown_offset"] = shutdown_offset
            if lowest_active_offset is not None:
                numbers["lowest_active_offset"] = lowest_active_offset
            chosen, reason = _from_controlled_shutdown(led_count, shutdown_offset, lowest_active_offset)
    source = "KIP-631, BrokerHeartbeatManager.calculateNextBrokerState"
    return chosen, Decision("next_broker_state", chosen != current, reason, source, numbers)


def _from_fenced(request: BrokerHeartbeatRequest, registration_offset: Offset) -> tuple[BrokerControlState, str]:
    if request.want_shut_down:
        return BrokerControlState.SHUTDOWN_NOW, "it is fenced and may go at once"
    if request.want_fence:
        return BrokerControlState.FENCED, "it asks to stay fenced"
    if request.metadata_offset >= registration_offset:
        return BrokerControlState.UNFENCED, "it has read its own registration"
    return BrokerControlState.FENCED, "it has not read its own registration yet"


def _from_unfenced(request: BrokerHeartbeatRequest, led_count: int) -> tuple[BrokerControlState, str]:
    if request.want_fence:
        if request.want_shut_down:
            return BrokerControlState.SHUTDOWN_NOW, "it asks to be fenced and to go"
        return BrokerControlState.FENCED, "it asks to be fenced"
    if request.want_shut_down:
        if led_count:
            return BrokerControlState.CONTROLLED_SHUTDOWN, "it leads partitions that must move first"
        return BrokerControlState.SHUTDOWN_NOW, "it leads nothing"
    return BrokerControlState.UNFENCED, "it is alive"


def _from_controlled_shutdown(
    led_count: int, shutdown_offset: Offset, lowest_active_offset: Offset | None
) -> tuple[BrokerControlState, str]:
    if led_count:
        return BrokerControlState.CONTROLLED_SHUTDOWN, "it still leads partitions"
    if lowest_active_offset is not None and lowest_active_offset < shutdown_offset:
        return BrokerControlState.CONTROLLED_SHUTDOWN, "another broker has not read of the moves yet"
    return BrokerControlState.SHUTDOWN_NOW, "it leads nothing and the others know"
