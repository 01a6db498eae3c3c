"""What a connection must say before it is served, where a run asks for a password: SASL/PLAIN.

ApiVersions, then SaslHandshake, then the client's user and password; anything else ends the connection unread.
After a handshake of version 0 they come in a frame without a header, as clients before Kafka 1.0 send them.
Source: Kafka SaslServerAuthenticator, PlainSaslServer; KIP-43, KIP-152; RFC 4616.
"""

from __future__ import annotations

import struct
from enum import Enum, auto
from typing import Any

from msgspec import Struct

from cluster.kafka.api import Request
from cluster.kafka.apis import APIS
from cluster.kafka.apis.api_versions import API_VERSIONS
from cluster.kafka.apis.sasl import SASL_AUTHENTICATE, SASL_HANDSHAKE, SaslAuthenticateResponse, SaslHandshakeResponse
from cluster.kafka.codec.limits import Buffer
from cluster.kafka.credentials import Credentials
from cluster.kafka.frames import LENGTH_BYTES, decode_request, response_parts
from cluster.model.errors import ErrorCode

MECHANISM = "PLAIN"
WRONG = "wrong user or password"
"""The same words whichever of the two is wrong."""
_KEY = struct.Struct(">h")
_EMPTY_FRAME = bytes(LENGTH_BYTES)


class Step(Enum):
    """How far a connection is."""

    HANDSHAKE = auto()
    """It may ask for versions, and has to choose a mechanism."""
    TOKEN = auto()
    """Its user and password are to come in a SaslAuthenticate."""
    BARE_TOKEN = auto()
    """They are to come in a frame of their own."""
    OPEN = auto()
    """It is served."""
    SHUT = auto()
    """It is not, and never will be."""


class Answer(Struct, frozen=True):
    """What a client is told at the gate."""

    parts: list[Buffer]
    """The frame of the response; empty when there is none."""
    refusal: str = ""
    """Why the connection ends after it; empty when it goes on."""


class Gate:
    """One connection on its way to being served."""

    __slots__ = ("_credentials", "_step")

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._step = Step.HANDSHAKE

    @property
    def is_open(self) -> bool:
        """Whether all it asks is served."""
        return self._step is Step.OPEN

    def take(self, frame: Buffer) -> Answer | None:
        """Take one frame; None when it is to be served as usual. CodecError as from `decode_request`."""
        if self._step is Step.BARE_TOKEN:
            return self._judge_bare(bytes(frame))
        key = _KEY.unpack_from(frame)[0] if len(frame) >= _KEY.size else -1
        if self._step is Step.HANDSHAKE and key == API_VERSIONS.key:
            return None
        wanted = SASL_HANDSHAKE if self._step is Step.HANDSHAKE else SASL_AUTHENTICATE
        if self._step is Step.SHUT or key != wanted.key:  # it is not read: most that could go wrong is in its message
            self._step = Step.SHUT
            name = APIS[key].name if key in APIS else f"request {key}"
            return Answer([], f"{name} comes before a password; this run wants SASL/PLAIN")
        request = decode_request(frame)
        return self._choose(request) if wanted is SASL_HANDSHAKE else self._judge(request)

    def _choose(self, request: Request) -> Answer:
        if request.message.mechanism != MECHANISM:
            self._step = Step.SHUT
            refused = SaslHandshakeResponse(ErrorCode.UNSUPPORTED_SASL_MECHANISM, [MECHANISM])
            return Answer(_parts(request, refused), f"it wants another mechanism than {MECHANISM}")
        self._step = Step.TOKEN if request.version >= 1 else Step.BARE_TOKEN
        return Answer(_parts(request, SaslHandshakeResponse(ErrorCode.NONE, [MECHANISM])))

    def _judge(self, request: Request) -> Answer:
        if self._fits(request.message.auth_bytes):
            self._step = Step.OPEN
            return Answer(_parts(request, SaslAuthenticateResponse(ErrorCode.NONE, None)))
        self._step = Step.SHUT
        refused = SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, WRONG)
        return Answer(_parts(request, refused), WRONG)

    def _judge_bare(self, token: bytes) -> Answer:
        """Who fails here is closed without a word, as in Kafka: there is no response that could hold one."""
        if self._fits(token):
            self._step = Step.OPEN
            return Answer([_EMPTY_FRAME])
        self._step = Step.SHUT
        return Answer([], WRONG)

    def _fits(self, token: bytes) -> bool:
        """The token is who acts, user and password, with a zero between them; who acts is nobody else than the user."""
        words = str(token, "utf-8", "replace").split("\0")
        if len(words) != 3:
            return False
        acting, user, password = words
        return self._credentials.fit(user, password) and acting in ("", user)


def _parts(request: Request, message: Any) -> list[Buffer]:
    return response_parts(request.api, request.version, request.correlation_id, message)
