"""What passes the gate of a run with a password, and what does not."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from cluster.kafka.api import Api, Request
from cluster.kafka.apis import APIS
from cluster.kafka.apis.api_versions import API_VERSIONS
from cluster.kafka.apis.sasl import SASL_AUTHENTICATE, SASL_HANDSHAKE, SaslAuthenticateRequest, SaslHandshakeRequest
from cluster.kafka.credentials import Credentials
from cluster.kafka.frames import LENGTH_BYTES, decode_response, encode_request
from cluster.kafka.gate import WRONG, Answer, Gate
from cluster.model.errors import ErrorCode

RIGHT = b"\0workbench\0geheim"
WRONG_TOKENS = [
    b"\0workbench\0gehein",
    b"\0workbench\0",
    b"\0\0geheim",
    b"\0other\0geheim",
    b"other\0workbench\0geheim",
    b"workbench\0geheim",
    b"\0workbench\0geheim\0",
    b"\0workbench\0\xff",
    b"",
]


def gate() -> Gate:
    return Gate(Credentials("workbench", "geheim"))


def frame(api: Api, version: int, message: Any) -> bytes:
    return encode_request(Request(api, version, 7, "c", message))[LENGTH_BYTES:]


def told(api: Api, version: int, answer: Answer | None) -> Any:
    assert answer is not None
    return decode_response(api, version, b"".join(answer.parts)[LENGTH_BYTES:])[1]


def shake(at: Gate, version: int = 1, mechanism: str = "PLAIN") -> Answer | None:
    return at.take(frame(SASL_HANDSHAKE, version, SaslHandshakeRequest(mechanism)))


def authenticate(at: Gate, token: bytes, version: int = 1) -> Answer | None:
    return at.take(frame(SASL_AUTHENTICATE, version, SaslAuthenticateRequest(token)))


@pytest.mark.parametrize("version", SASL_AUTHENTICATE.versions)
def test_the_right_password_opens(version: int) -> None:
    at = gate()
    assert at.take(struct.pack(">hhih", API_VERSIONS.key, 0, 1, -1)) is None, "versions may be asked first"
    assert told(SASL_HANDSHAKE, 1, shake(at)).mechanisms == ["PLAIN"]
    assert not at.is_open
    response = told(SASL_AUTHENTICATE, version, authenticate(at, RIGHT, version))
    assert (response.error_code, response.error_message, response.auth_bytes) == (0, None, b"")
    assert at.is_open


@pytest.mark.parametrize("token", WRONG_TOKENS)
def test_anything_else_does_not_and_is_told_the_same(token: bytes) -> None:
    at = gate()
    shake(at)
    answer = authenticate(at, token)
    response = told(SASL_AUTHENTICATE, 1, answer)
    assert (response.error_code, response.error_message) == (ErrorCode.SASL_AUTHENTICATION_FAILED, WRONG)
    assert answer is not None and answer.refusal == WRONG and not at.is_open
    again = authenticate(at, RIGHT)
    assert again is not None and again.refusal and not at.is_open, "there is no second try on a connection"


def test_a_password_after_an_old_handshake_comes_without_a_header() -> None:
    at = gate()
    told(SASL_HANDSHAKE, 0, shake(at, version=0))
    assert at.take(RIGHT) == Answer([bytes(4)]) and at.is_open
    at = gate()
    shake(at, version=0)
    assert at.take(WRONG_TOKENS[0]) == Answer([], WRONG) and not at.is_open


def test_another_mechanism_is_refused_with_what_there_is() -> None:
    at = gate()
    answer = shake(at, mechanism="SCRAM-SHA-256")
    response = told(SASL_HANDSHAKE, 1, answer)
    assert (response.error_code, response.mechanisms) == (ErrorCode.UNSUPPORTED_SASL_MECHANISM, ["PLAIN"])
    assert answer is not None and answer.refusal


@pytest.mark.parametrize("after", ["nothing", "handshake", "old handshake"])
def test_no_other_request_is_even_read(after: str) -> None:
    for key in [*(key for key in APIS if key != API_VERSIONS.key), 999]:
        at = gate()
        if after != "nothing":
            shake(at, version=0 if after == "old handshake" else 1)
        if (after, key) in (("nothing", SASL_HANDSHAKE.key), ("handshake", SASL_AUTHENTICATE.key)):
            continue
        answer = at.take(struct.pack(">hhih", key, 0, 1, -1) + b"\xff" * 9)
        assert answer is not None and answer.parts == [] and answer.refusal
        assert not at.is_open


def test_a_password_is_not_shown_by_accident() -> None:
    assert "geheim" not in repr(Credentials("workbench", "geheim"))
