"""Brokers of a run stay registered."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.brokers import UNREGISTER_BROKER, UnregisterBrokerRequest
from cluster.kafka.broker_view import BrokerView, Endpoint
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={},
    fenced={4: Endpoint("127.0.0.1", 9004)},
)


@pytest.mark.parametrize(
    ("broker", "error"),
    [(9, ErrorCode.BROKER_ID_NOT_REGISTERED), (-1, ErrorCode.BROKER_ID_NOT_REGISTERED), (4, 35), (1, 35)],
)
def test_who_would_forget_a_broker_is_told_why_not(broker: int, error: int) -> None:
    request = request_of(UNREGISTER_BROKER, 0, UnregisterBrokerRequest(broker))
    response = told(request, request.api.begin(request, VIEW).response())
    assert response.error_code == error and response.error_message
