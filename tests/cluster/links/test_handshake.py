"""Only who knows the secret gets through, once, in one direction, as one id."""

from __future__ import annotations

import pytest

from cluster.links.frame import WireError
from cluster.links.handshake import (
    ANSWER_BYTES,
    HELLO_BYTES,
    NONCE_BYTES,
    PROOF_BYTES,
    Challenge,
    Side,
    check,
    decode_hello,
    encode_hello,
    prove,
)

SECRET = bytes(range(32))
CHALLENGE = Challenge(1, 101, b"c" * NONCE_BYTES, b"a" * NONCE_BYTES)


def test_both_sides_convince_each_other() -> None:
    hello = encode_hello(1, CHALLENGE.connector_nonce)
    assert len(hello) == HELLO_BYTES
    node_id, connector_nonce = decode_hello(hello)
    challenge = Challenge(node_id, 101, connector_nonce, CHALLENGE.acceptor_nonce)
    answer = challenge.acceptor_nonce + prove(SECRET, Side.ACCEPTOR, challenge)
    assert len(answer) == ANSWER_BYTES
    check(SECRET, Side.ACCEPTOR, challenge, answer[NONCE_BYTES:])
    proof = prove(SECRET, Side.CONNECTOR, challenge)
    assert len(proof) == PROOF_BYTES
    check(SECRET, Side.CONNECTOR, challenge, proof)


@pytest.mark.parametrize(
    "other",
    [
        CHALLENGE._replace(connector_id=2),
        CHALLENGE._replace(acceptor_id=102),
        CHALLENGE._replace(connector_nonce=b"x" * NONCE_BYTES),
        CHALLENGE._replace(acceptor_nonce=b"x" * NONCE_BYTES),
    ],
    ids=["connector", "acceptor", "connector nonce", "acceptor nonce"],
)
def test_a_proof_of_another_meeting_is_refused(other: Challenge) -> None:
    with pytest.raises(WireError):
        check(SECRET, Side.CONNECTOR, CHALLENGE, prove(SECRET, Side.CONNECTOR, other))


def test_a_proof_cannot_be_mirrored() -> None:
    with pytest.raises(WireError):
        check(SECRET, Side.CONNECTOR, CHALLENGE, prove(SECRET, Side.ACCEPTOR, CHALLENGE))


@pytest.mark.parametrize("proof", [b"", b"x" * PROOF_BYTES, prove(b"\0" * 32, Side.CONNECTOR, CHALLENGE)])
def test_without_the_secret_nobody_gets_through(proof: bytes) -> None:
    with pytest.raises(WireError):
        check(SECRET, Side.CONNECTOR, CHALLENGE, proof)


@pytest.mark.parametrize(
    "hello", [b"", b"GET / HTTP/1.1\r\n", encode_hello(1, bytes(32))[:-1], encode_hello(-1, bytes(32))]
)
def test_what_is_no_hello_is_refused(hello: bytes) -> None:
    with pytest.raises(WireError):
        decode_hello(hello)


def test_a_short_secret_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        prove(b"short", Side.CONNECTOR, CHALLENGE)
