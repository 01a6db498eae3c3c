"""One loopback connection: both ends prove that they know the run's secret, then frames flow."""

from __future__ import annotations

import asyncio
import secrets
import socket
import struct
from collections.abc import Callable
from typing import Protocol, cast

from cluster.links.frame import Frame, FrameDecoder, WireError, encode_frame
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
from cluster.model.identifiers import FIRST_CLIENT_ID, NO_NODE, NodeId

ACCEPT_TIMEOUT_MS = 1_000
"""A connection that has not proved itself by then is closed."""
UNSENT_BYTES_MAX = 64 << 20
"""A peer that leaves this much unread is cut off."""
TURN_FRAMES = 64
"""So many frames of one connection are handed over in one turn of the loop; then it is the turn of the others, and no
more is read of this one until the rest is done. Else a follower's fetch waits behind all that a busy producer sent.
Source: Kafka's SocketServer, which mutes a connection while it works on a request of it."""

LOOPBACK = "127.0.0.1"
BACKLOG = 256
"""Connections that wait in the kernel."""
ACCEPTED_MAX = 8
"""In one turn of the loop, which has closed those that are too many a few turns later."""
ARRIVING_MAX = 5 * ACCEPTED_MAX
"""Descriptors of connections that are accepted and not yet counted or closed."""


def bind(port: int) -> socket.socket:
    """Take a port on loopback; connections wait in its queue. OSError when it is taken."""
    bound = socket.socket()
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind((LOOPBACK, port))
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    return bound


async def accept(bound: socket.socket, make: Callable[[], asyncio.BaseProtocol]) -> asyncio.Server:
    """Take the connections of a bound port, a few at a time.

    asyncio takes as many in one turn as the queue may hold, so that a crowd would have all descriptors before the first
    of it is sent away.
    """
    server = await asyncio.get_running_loop().create_server(make, sock=bound, backlog=ACCEPTED_MAX)
    bound.listen(BACKLOG)
    return server


class Owner(Protocol):
    """Who is told about connections."""

    node_id: NodeId
    secret: bytes

    def on_ready(self, connection: Connection) -> None:
        """Both ends have proved themselves."""

    def on_frames(self, connection: Connection, frames: list[Frame]) -> None:
        """Frames came in."""

    def on_stranger(self, why: str) -> None:
        """Somebody called who does not know the run's secret, and was sent away."""

    def on_closed(self, connection: Connection) -> None:
        """It is gone."""


class Connection(asyncio.Protocol):
    """One end. Implements Channel of the link machine.

    An accepted connection learns its peer from the hello; a connecting one knows it.
    """

    def __init__(self, owner: Owner, loop: asyncio.AbstractEventLoop, peer: NodeId, timeout_ms: int) -> None:
        self.peer = peer
        """Who is at the other end; -1 until it says so."""
        self.is_call = peer != NO_NODE
        """Whether this end called."""
        self.is_ready = False
        """Whether frames may flow."""
        self.is_open = True
        """Until it is gone."""
        self._owner = owner
        self._loop = loop
        self._timeout_ms = timeout_ms
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._challenge: Challenge | None = None
        self._buffer = bytearray()
        self._decoder = FrameDecoder()
        self._out: list[bytes] = []
        self._rest: list[Frame] = []
        """Frames that wait for the next turn; while there are any, reading is paused."""
        self._transport: asyncio.Transport | None = None
        self._guard: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is up; begin the handshake."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transports are no subclass of it
        link = transport.get_extra_info("socket")
        if link is not None:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._guard = self._loop.call_later(self._timeout_ms / 1000, self._on_late)
        if self.is_call:
            self._transport.write(encode_hello(self._owner.node_id, self._nonce))

    def data_received(self, data: bytes) -> None:
        """Handshake bytes first, then frames."""
        try:
            if not self.is_ready:
                self._buffer += data
                if not self._shake():
                    return
                data, self._buffer = bytes(self._buffer), bytearray()
            frames = self._decoder.feed(data) if data else []
            for frame in frames:
                self._check_sender(frame)
        except WireError as error:
            if not self.is_ready and not self.is_call:
                self._owner.on_stranger(str(error))
            self.abort()
            return
        if len(frames) > TURN_FRAMES:
            self._rest = frames
            self._pause_reading()
            self._take_turn()
        elif frames:
            self._owner.on_frames(self, frames)

    def connection_lost(self, _error: Exception | None) -> None:
        """Gone, for whatever reason. What came before its end counts."""
        if self._rest:
            rest, self._rest = self._rest, []
            self._owner.on_frames(self, rest)
        self.is_open = False
        self.is_ready = False
        if self._guard is not None:
            self._guard.cancel()
        self._owner.on_closed(self)

    def write(self, frame: Frame) -> None:
        """Queue one frame; sent by the next flush."""
        self._out.append(encode_frame(frame))

    def flush(self) -> None:
        """One write for all that is queued."""
        if not self._out or self._transport is None or not self.is_open:
            return
        data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
        self._out.clear()
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self.abort()

    def close(self) -> None:
        """Send what is queued, then close."""
        self.flush()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close now; queued frames are gone, both ways."""
        self._out.clear()
        self._rest.clear()
        if self._transport is not None:
            self._transport.abort()

    def reset(self) -> None:
        """Close now with a TCP reset."""
        link = None if self._transport is None else self._transport.get_extra_info("socket")
        if link is not None:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    def _take_turn(self) -> None:
        turn, self._rest = self._rest[:TURN_FRAMES], self._rest[TURN_FRAMES:]
        if self._rest:
            self._loop.call_soon(self._take_turn)
        else:
            self._resume_reading()
        if turn:
            self._owner.on_frames(self, turn)

    def _pause_reading(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def _check_sender(self, frame: Frame) -> None:
        """A node speaks for itself only; a client process may hold several clients."""
        if frame.sender == self.peer or (self.peer >= FIRST_CLIENT_ID and frame.sender >= FIRST_CLIENT_ID):
            return
        raise WireError(f"node {self.peer} sent a frame in the name of {frame.sender}")

    def _on_late(self) -> None:
        """The handshake takes too long: half a hello is no node's, a proof that does not come may be a paused one's."""
        if self._buffer and self._challenge is None and not self.is_call:
            self._owner.on_stranger("half a hello")
        self.abort()

    def _shake(self) -> bool:
        done = self._shake_as_connector() if self.is_call else self._shake_as_acceptor()
        if done:
            self.is_ready = True
            if self._guard is not None:
                self._guard.cancel()
            self._owner.on_ready(self)
        return done

    def _shake_as_connector(self) -> bool:
        if len(self._buffer) < ANSWER_BYTES:
            return False
        answer = bytes(self._buffer[:ANSWER_BYTES])
        del self._buffer[:ANSWER_BYTES]
        challenge = Challenge(self._owner.node_id, self.peer, self._nonce, answer[:NONCE_BYTES])
        check(self._owner.secret, Side.ACCEPTOR, challenge, answer[NONCE_BYTES:])
        self._send(prove(self._owner.secret, Side.CONNECTOR, challenge))
        return True

    def _shake_as_acceptor(self) -> bool:
        if self._challenge is None:
            if len(self._buffer) < HELLO_BYTES:
                return False
            peer, nonce = decode_hello(bytes(self._buffer[:HELLO_BYTES]))
            del self._buffer[:HELLO_BYTES]
            if peer == self._owner.node_id:
                raise WireError("a node does not connect to itself")
            self._challenge = Challenge(peer, self._owner.node_id, nonce, self._nonce)
            self._send(self._nonce + prove(self._owner.secret, Side.ACCEPTOR, self._challenge))
        if len(self._buffer) < PROOF_BYTES:
            return False
        proof = bytes(self._buffer[:PROOF_BYTES])
        del self._buffer[:PROOF_BYTES]
        check(self._owner.secret, Side.CONNECTOR, self._challenge, proof)
        self.peer = self._challenge.connector_id
        return True

    def _send(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)
