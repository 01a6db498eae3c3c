"""Who may speak: both ends prove that they know the run's secret before the first frame.

The connector sends a hello; the acceptor answers with its nonce and proof; the connector answers with its own proof.
Each proof covers both nonces, both ids and the direction, so none can be replayed or mirrored.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from enum import Enum
from typing import NamedTuple

from cluster.links.frame import WireError
from cluster.model.identifiers import NodeId

MAGIC = b"KWB1"
SECRET_BYTES = 32
NONCE_BYTES = 32
PROOF_BYTES = 32
_HELLO = struct.Struct(f">4si{NONCE_BYTES}s")
HELLO_BYTES = _HELLO.size
ANSWER_BYTES = NONCE_BYTES + PROOF_BYTES


class Side(Enum):
    """Which end proves."""

    CONNECTOR = b"connector"
    ACCEPTOR = b"acceptor"


class Challenge(NamedTuple):
    """What both ends know once the hello and the acceptor's nonce are exchanged."""

    connector_id: NodeId
    """As the connector claims."""
    acceptor_id: NodeId
    """Whom the connector wants to reach."""
    connector_nonce: bytes
    """Fresh for this connection."""
    acceptor_nonce: bytes
    """Fresh for this connection."""


def encode_hello(node_id: NodeId, nonce: bytes) -> bytes:
    """The connector's first bytes."""
    return _HELLO.pack(MAGIC, node_id, nonce)


def decode_hello(data: bytes) -> tuple[NodeId, bytes]:
    """The connector's claimed id and its nonce. WireError when it is not a hello."""
    if len(data) != HELLO_BYTES or not data.startswith(MAGIC):
        raise WireError("not a hello")
    _, node_id, nonce = _HELLO.unpack(data)
    if node_id < 0:
        raise WireError("a hello with a negative id")
    return node_id, nonce


def prove(secret: bytes, side: Side, challenge: Challenge) -> bytes:
    """One side's proof."""
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret must be {SECRET_BYTES} bytes")
    ids = struct.pack(">ii", challenge.connector_id, challenge.acceptor_id)
    said = MAGIC + side.value.ljust(16, b"\0") + ids + challenge.connector_nonce + challenge.acceptor_nonce
    return hmac.new(secret, said, hashlib.sha256).digest()


def check(secret: bytes, side: Side, challenge: Challenge, proof: bytes) -> None:
    """WireError when this proof is not that side's; compared in constant time."""
    if not hmac.compare_digest(prove(secret, side, challenge), proof):
        raise WireError(f"the {side.name.lower()} does not know the secret of this run")
