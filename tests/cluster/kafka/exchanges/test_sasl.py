"""A client with a password, where none is asked for."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.table import TABLE
from cluster.kafka.schema.sasl_authenticate import SaslAuthenticateRequest
from cluster.kafka.schema.sasl_handshake import SaslHandshakeRequest
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
ASKED = {
    ApiKey.SASL_HANDSHAKE: SaslHandshakeRequest("PLAIN"),
    ApiKey.SASL_AUTHENTICATE: SaslAuthenticateRequest(b"\0u\0p"),
}


@pytest.mark.parametrize("key", ASKED)
def test_a_handshake_where_there_is_nothing_to_prove_is_refused_in_every_version(key: ApiKey) -> None:
    for version in APIS[key].versions:
        request = request_of(key, version, ASKED[key])
        response = told(request, TABLE[key].begin(request, VIEW).response())
        assert response.error_code == KafkaError.ILLEGAL_SASL_STATE
