"""A client with a password, where none is asked for."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis.sasl import SASL_AUTHENTICATE, SASL_HANDSHAKE, SaslAuthenticateRequest, SaslHandshakeRequest
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
ASKED = {
    SASL_HANDSHAKE: SaslHandshakeRequest("PLAIN"),
    SASL_AUTHENTICATE: SaslAuthenticateRequest(b"\0u\0p"),
}


@pytest.mark.parametrize("api", ASKED)
def test_a_handshake_where_there_is_nothing_to_prove_is_refused_in_every_version(api: Api) -> None:
    for version in api.versions:
        request = request_of(api, version, ASKED[api])
        response = told(request, api.begin(request, VIEW).response())
        assert response.error_code == ErrorCode.ILLEGAL_SASL_STATE
