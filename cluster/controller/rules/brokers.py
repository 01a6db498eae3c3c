"""The rules about brokers: registration, sessions, heartbeats, and blocks of producer ids."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from cluster.controller.image import BrokerState
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, Offset
from cluster.model.messages import AllocateProducerIdsRequest, BrokerHeartbeatRequest, BrokerRegistrationRequest
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no

STALE_CHECKS_PER_SESSION = 8
"""Passes of the stale check in one session timeout; each fences at most one broker."""


class BrokerControlState(StrEnum):
    """How the controller sees a broker. Source: Kafka BrokerControlState."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled_shutdown"
    SHUTDOWN_NOW = "shutdown_now"


@rule(source="KIP-631", kafka="ClusterControlManager.registerBroker")
def may_register(
    known: BrokerState | None, request: BrokerRegistrationRequest, silence_ms: int, timeout_ms: int
) -> Ruling[bool]:
    """A new incarnation of a broker waits until the session of the old one is over.

    Args:
        known: the registration under this id, if any.
        silence_ms: since the old incarnation was last heard; larger than timeout_ms when it has no session.
        timeout_ms: broker.session.timeout.ms.
    """
    numbers: Numbers = {"broker_id": request.broker_id}
    if known is None:
        return yes_or_no(True, "first registration of this broker", numbers)
    numbers |= {"known_broker_epoch": known.broker_epoch, "previous_broker_epoch": request.previous_broker_epoch}
    if known.incarnation_id == request.incarnation_id:
        return yes_or_no(True, "same incarnation, its epoch stays", numbers)
    if known.fenced:
        return yes_or_no(True, "the old incarnation is fenced", numbers)
    numbers["shuts down"] = int(known.in_controlled_shutdown)
    if known.in_controlled_shutdown:
        return yes_or_no(True, "the old incarnation was shutting down", numbers)
    numbers |= {"silence_ms": silence_ms, "session_timeout_ms": timeout_ms}
    if silence_ms > timeout_ms:
        return yes_or_no(True, "the old session is over", numbers)
    return yes_or_no(False, "another incarnation still has a valid session", numbers)


def is_clean_restart(known: BrokerState, request: BrokerRegistrationRequest) -> bool:
    """Whether the old incarnation left its marker behind: it names the epoch we stored. Source: KIP-966."""
    return request.previous_broker_epoch == known.broker_epoch


@rule(source="KIP-631", kafka="ReplicationControlManager.maybeFenceOneStaleBroker")
def session_expired(broker_id: NodeId, silence_ms: int, timeout_ms: int) -> Ruling[bool]:
    """A broker is fenced that sent no heartbeat for longer than its session."""
    numbers: Numbers = {
        "broker_id": broker_id,
        "silence_ms": silence_ms,
        "session_timeout_ms": timeout_ms,
    }
    expired = silence_ms > timeout_ms
    reason = "silent for longer than its session" if expired else "heard within its session"
    return yes_or_no(expired, reason, numbers)


@rule(source="KIP-631", kafka="BrokerHeartbeatManager.calculateNextBrokerState")
def next_broker_state(
    current: BrokerControlState,
    request: BrokerHeartbeatRequest,
    registration_offset: Offset,
    led_count: int,
    shutdown_offset: Offset,
    lowest_active_offset: Offset | None,
) -> Ruling[BrokerControlState]:
    """A heartbeat moves a broker into service once it has read its own registration, and out once it leads nothing.

    Args:
        registration_offset: of the broker's own registration record (inclusive).
        led_count: partitions it leads.
        shutdown_offset: last offset of the batch that began its shutdown (inclusive); -1 when it has not begun.
        lowest_active_offset: least metadata offset the other active brokers reported; None without others.
    """
    numbers: Numbers = {
        "broker_id": request.broker_id,
        "metadata_offset": request.metadata_offset,
        "registration_offset": registration_offset,
        "partitions_led": led_count,
    }
    match current:
        case BrokerControlState.FENCED:
            chosen, reason = _from_fenced(request, registration_offset)
        case BrokerControlState.UNFENCED:
            numbers["asks to be fenced"] = int(request.want_fence)
            chosen, reason = _from_unfenced(request, led_count)
        case BrokerControlState.CONTROLLED_SHUTDOWN | BrokerControlState.SHUTDOWN_NOW:
            numbers["shutdown_offset"] = shutdown_offset
            if lowest_active_offset is not None:
                numbers["lowest_active_offset"] = lowest_active_offset
            chosen, reason = _from_controlled_shutdown(led_count, shutdown_offset, lowest_active_offset)
        case _:
            assert_never(current)
    return Ruling(chosen, chosen != current, reason, numbers)


def _from_fenced(request: BrokerHeartbeatRequest, registration_offset: Offset) -> tuple[BrokerControlState, str]:
    if request.want_shut_down:
        return BrokerControlState.SHUTDOWN_NOW, "it is fenced and may go at once"
    if request.want_fence:
        return BrokerControlState.FENCED, "it asks to stay fenced"
    # In service it may be elected at once. Before its own registration its log tells of its former life: it would not
    # even know that it is meant, or lead in epochs that are long over. So it reads first and serves then.
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


@rule(source="KIP-730", kafka="ProducerIdControlManager.generateNextProducerId")
def allocate_producer_ids(
    request: AllocateProducerIdsRequest, registered_epoch: int, next_producer_id: int
) -> Ruling[ErrorCode]:
    """Only the live incarnation of a broker gets a block of producer ids, and no block is given twice."""
    numbers: Numbers = {
        "broker_id": request.broker_id,
        "broker_epoch": request.broker_epoch,
        "registered_broker_epoch": registered_epoch,
        "next_producer_id": next_producer_id,
    }
    if registered_epoch < 0 or registered_epoch != request.broker_epoch:
        return error_or_none(ErrorCode.STALE_BROKER_EPOCH, "the broker's registration is not current", numbers)
    return error_or_none(ErrorCode.NONE, "the next block nobody has", numbers)
