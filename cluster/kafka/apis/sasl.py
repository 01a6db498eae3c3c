"""SaslHandshake and SaslAuthenticate of a connection that is served already: there is nothing to prove.

Where a run asks for a password, what comes before is taken at the gate. Source: Kafka KafkaApis.handleSaslHandshake.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, blob, int16, int64, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode


@dataclass(slots=True)
class SaslHandshakeRequest:
    """I want this mechanism."""

    mechanism: str = string()


@dataclass(slots=True)
class SaslHandshakeResponse:
    """Go on, or which there are."""

    error_code: int = int16()
    mechanisms: list[str] = array("string")


def refuse_handshake(_request: Request, _view: BrokerView) -> SaslHandshakeResponse:
    """There is nothing to prove, so there is nothing to choose."""
    return SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE, [])


SASL_HANDSHAKE: Final = Api(
    17, SaslHandshakeRequest, SaslHandshakeResponse, Known.by(refuse_handshake), versions="0-1", flexible=None
)


@dataclass(slots=True)
class SaslAuthenticateRequest:
    """The client's next bytes; with PLAIN its user and its password. Never to be shown or kept."""

    auth_bytes: bytes = blob()


@dataclass(slots=True)
class SaslAuthenticateResponse:
    """The broker's next bytes, or why not."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    auth_bytes: bytes = blob()
    session_lifetime_ms: int = int64("1+")


def refuse_authenticate(_request: Request, _view: BrokerView) -> SaslAuthenticateResponse:
    """There is nothing to prove."""
    return SaslAuthenticateResponse(ErrorCode.ILLEGAL_SASL_STATE, "there is nothing to prove on this connection")


SASL_AUTHENTICATE: Final = Api(
    36, SaslAuthenticateRequest, SaslAuthenticateResponse, Known.by(refuse_authenticate), versions="0-2", flexible="2+"
)
