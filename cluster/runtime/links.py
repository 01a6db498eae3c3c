"""Loopback TCP between nodes: a handshake with the run's secret, then frames."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.wire.frame import Frame, FrameDecoder, WireError
from cluster.wire.handshake import (
    ANSWER_BYTES,
    HELLO_BYTES,
    NONCE_BYTES,
    PROOF_BYTES,
    Challenge,
    Side,
    check,
    decode_hello,
    encode_hello,
    fresh_nonce,
    prove,
)

HANDSHAKE_LIMIT_S = 1.0


class Link(asyncio.Protocol):
    """One connection. Nothing is told to the node before the other end has proved that it knows the secret."""

    def __init__(
        self, own_id: NodeId, secret: bytes, arrived: Callable[[Link, Frame], None], *, target: NodeId = NO_NODE
    ) -> None:
        self.peer = target
        self.ready = asyncio.get_running_loop().create_future()
        self._own_id = own_id
        self._secret = secret
        self._arrived = arrived
        self._connects = target != NO_NODE
        self._nonce = fresh_nonce()
        self._challenge: Challenge | None = None
        self._bytes = bytearray()
        self._frames: FrameDecoder | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello when this end connected; wait at most a second for the proof."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if transport.get_extra_info("sockname") == transport.get_extra_info("peername"):
            transport.abort()
            return
        asyncio.get_running_loop().call_later(HANDSHAKE_LIMIT_S, self._give_up)
        if self._connects:
            transport.write(encode_hello(self._own_id, self._nonce))

    def data_received(self, data: bytes) -> None:
        """Shake hands first, then hand over frames; anything wrong closes the link."""
        try:
            if self._frames is None:
                self._bytes += data
                data = self._shake_hands()
            if self._frames is not None and data:
                for frame in self._frames.feed(data):
                    self._arrived(self, frame)
        except WireError:
            self.abort()

    def _shake_hands(self) -> bytes:
        assert self._transport is not None
        if self._connects:
            if len(self._bytes) < ANSWER_BYTES:
                return b""
            theirs, proof = bytes(self._bytes[:NONCE_BYTES]), bytes(self._bytes[NONCE_BYTES:ANSWER_BYTES])
            challenge = Challenge(self._own_id, self.peer, self._nonce, theirs)
            check(self._secret, Side.ACCEPTOR, challenge, proof)
            self._transport.write(prove(self._secret, Side.CONNECTOR, challenge))
            return self._open(ANSWER_BYTES)
        if self._challenge is None:
            if len(self._bytes) < HELLO_BYTES:
                return b""
            self.peer, nonce = decode_hello(bytes(self._bytes[:HELLO_BYTES]))
            del self._bytes[:HELLO_BYTES]
            self._challenge = Challenge(self.peer, self._own_id, nonce, self._nonce)
            self._transport.write(self._nonce + prove(self._secret, Side.ACCEPTOR, self._challenge))
        if len(self._bytes) < PROOF_BYTES:
            return b""
        check(self._secret, Side.CONNECTOR, self._challenge, bytes(self._bytes[:PROOF_BYTES]))
        return self._open(PROOF_BYTES)

    def _open(self, used: int) -> bytes:
        rest = bytes(self._bytes[used:])
        self._frames = FrameDecoder()
        if not self.ready.done():
            self.ready.set_result(True)
        return rest

    def _give_up(self) -> None:
        if self._frames is None:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end is gone."""
        self._transport = None
        if not self.ready.done():
            self.ready.set_result(False)

    @property
    def is_open(self) -> bool:
        """Whether frames can be written."""
        return self._transport is not None and self._frames is not None

    def write(self, data: bytes) -> None:
        """Queue one encoded frame; lost when the link is gone."""
        if self._transport is not None:
            self._transport.write(data)

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()
