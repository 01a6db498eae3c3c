"""SaslHandshake and SaslAuthenticate of a connection that is served already: there is nothing to prove.

Where a run asks for a password, what comes before is taken at the gate. Source: Kafka KafkaApis.handleSaslHandshake.
"""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.schema.sasl_authenticate import SaslAuthenticateResponse
from cluster.kafka.schema.sasl_handshake import SaslHandshakeResponse

HANDSHAKE = SaslHandshakeResponse(KafkaError.ILLEGAL_SASL_STATE, [])
AUTHENTICATE = SaslAuthenticateResponse(KafkaError.ILLEGAL_SASL_STATE, "there is nothing to prove on this connection")
