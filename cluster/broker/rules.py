"""What a broker decides for itself: where it is in its life, and who gets a producer id."""

from __future__ import annotations

from enum import StrEnum

from cluster.model.errors import ErrorCode
from cluster.model.messages import BrokerHeartbeatResponse, InitProducerIdRequest
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


class LifecycleState(StrEnum):
    """Where a broker is in its life. Source: Kafka BrokerState."""

    NOT_RUNNING = "not_running"
    STARTING = "starting"
    RECOVERY = "recovery"
    RUNNING = "running"
    PENDING_CONTROLLED_SHUTDOWN = "pending_controlled_shutdown"
    SHUTTING_DOWN = "shutting_down"


TRANSITIONS: dict[LifecycleState, frozenset[LifecycleState]] = {
    LifecycleState.NOT_RUNNING: frozenset({LifecycleState.STARTING, LifecycleState.SHUTTING_DOWN}),
    LifecycleState.STARTING: frozenset({LifecycleState.RECOVERY, LifecycleState.SHUTTING_DOWN}),
    LifecycleState.RECOVERY: frozenset({LifecycleState.RUNNING, LifecycleState.SHUTTING_DOWN}),
    LifecycleState.RUNNING: frozenset({LifecycleState.PENDING_CONTROLLED_SHUTDOWN}),
    LifecycleState.PENDING_CONTROLLED_SHUTDOWN: frozenset({LifecycleState.SHUTTING_DOWN}),
    LifecycleState.SHUTTING_DOWN: frozenset(),
}


@rule(source="KIP-631", kafka="BrokerHeartbeatResponseEvent.run")
def next_lifecycle_state(state: LifecycleState, response: BrokerHeartbeatResponse) -> Ruling[LifecycleState]:
    """A broker recovers once it has caught up, runs once it is unfenced, and goes once the controller lets it go."""
    after, reason = state, "nothing new for where it is in its life"
    if state is LifecycleState.STARTING and response.is_caught_up:
        after, reason = LifecycleState.RECOVERY, "it has caught up with the metadata log"
    elif state is LifecycleState.RECOVERY and not response.is_fenced:
        after, reason = LifecycleState.RUNNING, "the controller has unfenced it"
    elif state is LifecycleState.PENDING_CONTROLLED_SHUTDOWN and response.should_shut_down:
        after, reason = LifecycleState.SHUTTING_DOWN, "the controller lets it go"
    numbers: Numbers = {"state": str(state)}
    return Ruling(after, after is not state, reason, numbers)


@rule(source="KIP-98", kafka="TransactionCoordinator.handleInitProducerId")
def may_have_producer_id(request: InitProducerIdRequest) -> Ruling[ErrorCode]:
    """A producer gets an id when it names both its old id and its old epoch or neither."""
    if (request.producer_id >= 0) != (request.producer_epoch >= 0):
        return error_or_none(ErrorCode.INVALID_REQUEST, "it names an id without an epoch, or an epoch without an id")
    return error_or_none(ErrorCode.NONE, "it may have an id")
