"""What a broker decides for itself."""

from __future__ import annotations

import pytest

from cluster.broker.rules import TRANSITIONS, LifecycleState, may_have_producer_id, next_lifecycle_state
from cluster.model.errors import ErrorCode
from cluster.model.messages import BrokerHeartbeatResponse, InitProducerIdRequest


@pytest.mark.parametrize(
    ("state", "response", "after"),
    [
        (LifecycleState.STARTING, BrokerHeartbeatResponse(is_fenced=True), LifecycleState.STARTING),
        (LifecycleState.STARTING, BrokerHeartbeatResponse(is_caught_up=True), LifecycleState.RECOVERY),
        (LifecycleState.RECOVERY, BrokerHeartbeatResponse(is_fenced=True), LifecycleState.RECOVERY),
        (LifecycleState.RECOVERY, BrokerHeartbeatResponse(is_fenced=False), LifecycleState.RUNNING),
        (LifecycleState.RUNNING, BrokerHeartbeatResponse(should_shut_down=True), LifecycleState.RUNNING),
        (
            LifecycleState.PENDING_CONTROLLED_SHUTDOWN,
            BrokerHeartbeatResponse(should_shut_down=True),
            LifecycleState.SHUTTING_DOWN,
        ),
    ],
)
def test_an_answer_of_the_controller_moves_a_broker_on(
    state: LifecycleState, response: BrokerHeartbeatResponse, after: LifecycleState
) -> None:
    ruling = next_lifecycle_state(state, response)
    assert (ruling.value, ruling.granted) == (after, after is not state)
    assert after is state or after in TRANSITIONS[state]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (InitProducerIdRequest(client_id="C1"), ErrorCode.NONE),
        (InitProducerIdRequest(client_id="C1", producer_id=7, producer_epoch=0), ErrorCode.NONE),
        (InitProducerIdRequest(client_id="C1", producer_id=0, producer_epoch=0), ErrorCode.NONE),
        (InitProducerIdRequest(client_id="C1", producer_id=7), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest(client_id="C1", producer_epoch=0), ErrorCode.INVALID_REQUEST),
    ],
)
def test_who_may_have_a_producer_id(request_: InitProducerIdRequest, error: ErrorCode) -> None:
    assert may_have_producer_id(request_).value == error
