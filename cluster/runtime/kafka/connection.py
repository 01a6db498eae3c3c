"""One connection of a Kafka client: bytes to frames, and responses back in the order of their requests.

A frame that fits is read into a small buffer of the connection; a longer one gets a buffer of its own, straight from
the socket, once its length has been checked and the listener has room for it. As in Kafka a connection is mute while a
request of it is on its way: the next one is looked at when the response has left.
Source: Kafka SocketServer.Processor (mute, unmute), NetworkReceive.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from typing import Protocol, cast

from cluster.kafka.codec.limits import FRAME_BYTES_MAX, Buffer, CodecError
from cluster.kafka.frames import LENGTH_BYTES, check_frame_length
from cluster.kafka.gate import Gate

SCRATCH_BYTES = 64 << 10
HEADER_BYTES = 12
"""Length, key, version, correlation id: what must be there soon after the first byte."""
UNSENT_BYTES_MAX = 4 << 20
"""With more than this unread by the client, its next request waits."""
FRAMES_MAX = 16
"""Whole frames that may wait; more are left in the socket."""


class Slot:
    """Where the response to one request goes."""

    __slots__ = ("connection", "held_bytes", "is_done", "must_close", "parts")

    def __init__(self, connection: ClientConnection, held_bytes: int) -> None:
        self.connection = connection
        self.held_bytes = held_bytes
        """What its long frame counts for, until the response has left."""
        self.parts: list[Buffer] = []
        """The frame of the response; empty when none is sent."""
        self.is_done = False
        """Whether it may leave."""
        self.must_close = ""
        """Why the connection is closed after it; empty when it is not."""


class Owner(Protocol):
    """The listener."""

    def on_made(self, connection: ClientConnection) -> None:
        """A client has connected."""

    def on_frames(self, connection: ClientConnection) -> None:
        """There are whole frames."""

    def on_bad_frame(self, connection: ClientConnection, error: CodecError) -> None:
        """Bytes that are no frame."""

    def on_lost(self, connection: ClientConnection) -> None:
        """The connection is gone."""

    def may_hold(self, connection: ClientConnection, size: int) -> bool:
        """Whether there is room for a long frame; when not, `go_on` is called once there is."""


class ClientConnection(asyncio.BufferedProtocol):
    """Bytes in, frames out; parts in, bytes out."""

    def __init__(self, owner: Owner, loop: asyncio.AbstractEventLoop, number: int, gate: Gate | None = None) -> None:
        self.number = number
        """Unique in one life of this broker."""
        self.gate = gate
        """What it must pass before it is served; None when everybody is."""
        self.client_id = ""
        """As its newest request says."""
        self.request_count = 0
        """Requests it has sent."""
        self.told: dict[int, tuple[float, int, int]] = {}
        """For each API: when it was last told of, requests and bytes since."""
        self.frames: deque[Buffer] = deque()
        """Whole frames without their lengths, oldest first."""
        self.slots: deque[Slot] = deque()
        """Requests on their way, oldest first."""
        self.why = "closed by the client"
        self.connected_s = self.heard_s = loop.time()
        """Loop time of its beginning, and of its last bytes."""
        self.began_s: float | None = None
        """Since when a frame is unfinished; None when none is."""
        self.held_bytes = 0
        """Long frames it has room for."""
        self.is_closed = False
        """Nothing more is read or written."""
        self._owner = owner
        self._loop = loop
        self._scratch = bytearray(SCRATCH_BYTES)
        self._view = memoryview(self._scratch)
        self._end = 0
        self._long: bytearray | None = None
        self._filled = 0
        self._holds: set[str] = set()
        self._transport: asyncio.Transport | None = None

    @property
    def has_header(self) -> bool:
        """Whether the unfinished frame has said what it is."""
        return self._long is not None or self._end >= HEADER_BYTES

    @property
    def has_to_log_in(self) -> bool:
        """Whether it is not served yet."""
        return self.gate is not None and not self.gate.is_open

    @property
    def is_held(self) -> bool:
        """Whether it is not read from."""
        return bool(self._holds)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is up."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transports are no subclass of it
        link = transport.get_extra_info("socket")
        if link is not None:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._transport.set_write_buffer_limits(high=UNSENT_BYTES_MAX)
        self._owner.on_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go."""
        del sizehint
        if self._long is not None:
            return memoryview(self._long)[self._filled :]
        return self._view[self._end :]

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes are there."""
        if self.is_closed:
            return
        self.heard_s = self._loop.time()
        if self._long is not None:
            self._filled += nbytes
            if self._filled < len(self._long):
                return
            self.frames.append(self._long)
            self._long, self.began_s = None, None
        else:
            self._end += nbytes
            if not self._cut():
                return
        self._after_frames()

    def go_on(self) -> None:
        """There is room for the long frame that had to wait."""
        self.release("room")
        if not self.is_closed and self._cut() and self.frames:
            self._owner.on_frames(self)

    def eof_received(self) -> bool:
        """The client sends nothing more; it wants no answers either."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Gone, for whatever reason."""
        del exc
        self.is_closed = True
        self.frames.clear()
        self._owner.on_lost(self)

    def pause_writing(self) -> None:
        """The client does not read what it asked for."""
        self.hold("unsent")

    def resume_writing(self) -> None:
        """It has read on."""
        self.release("unsent")
        if self.frames:
            self._owner.on_frames(self)

    @property
    def may_take(self) -> bool:
        """Whether the client keeps up with what it is sent."""
        return "unsent" not in self._holds and "cut" not in self._holds

    def hold(self, why: str) -> None:
        """Read nothing for a while."""
        if not self._holds and self._transport is not None and not self.is_closed:
            self._transport.pause_reading()
        self._holds.add(why)

    def release(self, why: str) -> None:
        """One reason less not to read."""
        if why not in self._holds:
            return
        self._holds.discard(why)
        if not self._holds and self._transport is not None and not self.is_closed:
            self._transport.resume_reading()

    def next_frame(self) -> Buffer:
        """The oldest whole frame."""
        frame = self.frames.popleft()
        if len(self.frames) < FRAMES_MAX // 2:
            self.release("many")
        return frame

    def write(self, parts: list[Buffer]) -> None:
        """Send the frame of one response."""
        if parts and self._transport is not None and not self.is_closed:
            self._transport.writelines(parts)

    def close(self, why: str) -> None:
        """Send what is queued, then close."""
        self.why = self.why if self.is_closed else why
        self.is_closed = True
        if self._transport is not None:
            self._transport.close()

    def reset(self, why: str) -> None:
        """Close now with a TCP reset; what is queued is gone."""
        self.why = self.why if self.is_closed else why
        self.is_closed = True
        if self._transport is None:
            return
        link = self._transport.get_extra_info("socket")
        if link is not None:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _after_frames(self) -> None:
        if len(self.frames) > FRAMES_MAX:
            self.hold("many")
        if self.frames:
            self._owner.on_frames(self)

    def _cut(self) -> bool:
        """Whole frames out of the scratch; false when its bytes are no frame."""
        start, end, view = 0, self._end, self._view
        try:
            while end - start >= LENGTH_BYTES:
                length = check_frame_length(view[start : start + LENGTH_BYTES], FRAME_BYTES_MAX)
                stop = start + LENGTH_BYTES + length
                if stop > end:
                    start = self._begin_long(start, length)
                    break
                self.frames.append(bytes(view[start + LENGTH_BYTES : stop]))
                start, self.began_s = stop, None
        except CodecError as error:
            self._owner.on_bad_frame(self, error)
            return False
        if start:
            self._scratch[: end - start] = self._scratch[start:end]
        self._end = end - start
        if self.began_s is None and (self._end or self._long is not None):
            self.began_s = self.heard_s
        return True

    def _begin_long(self, start: int, length: int) -> int:
        """A frame that does not fit gets its own buffer, when there is room; where the scratch begins then."""
        if LENGTH_BYTES + length <= SCRATCH_BYTES:
            return start
        if not self._owner.may_hold(self, length):
            self.hold("room")
            return start
        have = self._end - start - LENGTH_BYTES
        self._long = bytearray(length)
        self._long[:have] = self._view[start + LENGTH_BYTES : self._end]
        self._filled = have
        return self._end
