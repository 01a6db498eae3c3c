"""Where Kafka clients connect: bounded connections and memory, in-order responses, faults between client and broker.

It knows frames and connections and nothing of what is asked: whole requests go to the front, responses come back.
On loopback only. A client is never told why it was closed, as in Kafka; the trace is.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Protocol

from cluster.kafka.api import Request
from cluster.kafka.apis.api_versions import API_VERSIONS, unsupported
from cluster.kafka.codec.limits import Buffer, CodecError, UnsupportedVersionError
from cluster.kafka.credentials import Credentials
from cluster.kafka.frames import decode_request, encode_response
from cluster.kafka.gate import Answer, Gate
from cluster.model.events import ClientDisconnected, ClientRefused, Event
from cluster.runtime.kafka.client_faults import ClientFaults
from cluster.runtime.kafka.connection import ClientConnection, Slot
from cluster.runtime.transport import accept

CONNECTIONS_MAX = 512
HELD_BYTES_MAX = 64 << 20
"""Long frames of all connections together; further ones wait in the sockets."""
IN_FLIGHT_MAX = 16
"""Requests of one connection at a time, when a run allows more than one."""
HEADER_SECONDS = 5.0
FRAME_SECONDS = 30.0
IDLE_SECONDS = 600.0
"""connections.max.idle.ms."""
LOGIN_SECONDS = 10.0
FAILED_LOGIN_SECONDS = 0.1
"""connection.failed.authentication.delay.ms."""
SWEEP_SECONDS = 0.5
TELL_SECONDS = 1.0
TEXT_MAX = 100
OTHER_PROTOCOLS = {"http": "looks like HTTP", "tls": "looks like TLS"}
"""Kinds of refusals, and how the codec begins to tell of them: none of these hides behind another."""


class Front(Protocol):
    """Who serves requests."""

    def take(self, slot: Slot, request: Request, size_bytes: int) -> None:
        """Serve one request; its response goes to the slot."""

    def drop(self, connection: ClientConnection) -> None:
        """Nobody waits for the responses of this connection any more."""

    def drain(self) -> None:
        """Let what was taken happen."""


class KafkaListener:
    """The connections of one broker's Kafka clients."""

    def __init__(
        self,
        front: Front,
        emit: Callable[[Event, str], None],
        say: Callable[[str], None],
        *,
        in_flight: int = 1,
        affordable: int = CONNECTIONS_MAX,
        credentials: Credentials | None = None,
    ) -> None:
        """
        Args:
            affordable: connections for which there are descriptors.
            credentials: whom to serve; None serves everybody.
        """
        self._most = min(CONNECTIONS_MAX, affordable)
        self._front = front
        self._emit = emit
        self._say = say
        self._in_flight = in_flight
        self._credentials = credentials
        self._loop = asyncio.get_running_loop()
        self._connections: dict[int, ClientConnection] = {}
        self._count = 0
        self._server: asyncio.Server | None = None
        self._held_bytes = 0
        self._hungry: deque[tuple[ClientConnection, int]] = deque()
        self._ready: dict[ClientConnection, None] = {}
        self._refused: dict[str, tuple[float, int]] = {}
        self._sweeping: asyncio.TimerHandle | None = None
        self._random = Random()
        self.faults = ClientFaults()

    async def listen(self, bound: socket.socket) -> None:
        """Accept clients of a port that is bound on loopback."""
        self._server = await accept(bound, self._accept)

    def close(self) -> None:
        """Stop listening, and close all connections."""
        if self._server is not None:
            self._server.close()
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in list(self._connections.values()):
            connection.close("the broker stops")

    def apply(self, faults: ClientFaults) -> None:
        """Put these faults in force in place of those before."""
        before, self.faults = self.faults, faults
        for connection in self._connections.values():
            if faults.is_cut:
                connection.hold("cut")
            elif before.is_cut:
                connection.release("cut")
                self._ready[connection] = None
        self._front.drain()

    def finish(self, slot: Slot, parts: list[Buffer], *, must_close: str = "") -> None:
        """The response of a slot is there; it leaves with the next flush, or later when clients are slowed."""
        slot.parts, slot.must_close = parts, must_close
        if self.faults.slow_ms and parts:
            self._loop.call_later(self.faults.slow_ms / 1000, self._let_go, slot)
        else:
            slot.is_done = True
            self._ready[slot.connection] = None

    def loses_response(self) -> bool:
        """Whether a fault takes the response to this produce request."""
        return self.faults.drop_responses > 0 and self._random.random() < self.faults.drop_responses

    def error_for(self, api: str) -> int:
        """The code with which a fault has requests of this name refused; 0 for none."""
        return next((error for name, error in self.faults.errors if name == api), 0)

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to flush."""
        return bool(self._ready)

    def flush(self) -> None:
        """Send what is done, then look at the next requests of those who were answered."""
        ready, self._ready = list(self._ready), {}
        for connection in ready:
            self._send(connection)
        for connection in ready:
            self._take(connection)

    def on_made(self, connection: ClientConnection) -> None:
        """Keep it, unless there are too many. Who has not logged in makes room: strangers cannot take every place."""
        if len(self._connections) >= self._most:
            self._refuse("full", "", f"{self._most} clients are connected already")
            waiting = next((each for each in self._connections.values() if each.has_to_log_in), None)
            (waiting or connection).reset("too many connections")
            if waiting is None:
                return
            self.on_lost(waiting)
        self._connections[connection.number] = connection
        if self.faults.is_cut:
            connection.hold("cut")
        if self._sweeping is None:
            self._sweeping = self._loop.call_later(SWEEP_SECONDS, self._sweep)

    def on_frames(self, connection: ClientConnection) -> None:
        """Take what may be taken now."""
        self._take(connection)
        self._front.drain()

    def on_bad_frame(self, connection: ClientConnection, error: CodecError) -> None:
        """Close it; what it asked before is not answered."""
        kind = next((name for name, start in OTHER_PROTOCOLS.items() if error.what.startswith(start)), "frame")
        self._refuse(kind, connection.client_id, str(error))
        connection.close("it sent bytes that are not Kafka's protocol")

    def on_lost(self, connection: ClientConnection) -> None:
        """Forget it."""
        self._ready.pop(connection, None)
        self._free(connection, connection.held_bytes)
        if self._connections.pop(connection.number, None) is None:
            return
        self._front.drop(connection)
        connection.slots.clear()
        if connection.request_count:
            gone = ClientDisconnected(
                connection_id=connection.number,
                client_id=connection.client_id,
                count=connection.request_count,
                why=connection.why,
            )
            self._emit(gone, f"connection of client {connection.number}")

    def may_hold(self, connection: ClientConnection, size: int) -> bool:
        """Room for a long frame, until it has been answered."""
        if connection.has_to_log_in:  # a password is short
            self._refuse("login", connection.client_id, f"a frame of {size} bytes before a password")
            connection.close("a long frame before a password")
            return False
        if self._held_bytes and self._held_bytes + size > HELD_BYTES_MAX:
            self._hungry.append((connection, size))
            return False
        self._held_bytes += size
        connection.held_bytes += size
        return True

    def _accept(self) -> ClientConnection:
        self._count += 1
        gate = None if self._credentials is None else Gate(self._credentials)
        return ClientConnection(self, self._loop, self._count, gate)

    def _let_go(self, slot: Slot) -> None:
        slot.is_done = True
        self._ready[slot.connection] = None
        self._front.drain()

    def _send(self, connection: ClientConnection) -> None:
        slots = connection.slots
        while slots and slots[0].is_done and not self.faults.is_cut and not connection.is_closed:
            slot = slots.popleft()
            connection.write(slot.parts)
            if slot.held_bytes:
                self._free(connection, slot.held_bytes)
            if slot.must_close:
                connection.close(slot.must_close)

    def _free(self, connection: ClientConnection, size: int) -> None:
        self._held_bytes -= size
        connection.held_bytes -= size
        while self._hungry and (not self._held_bytes or self._held_bytes + self._hungry[0][1] <= HELD_BYTES_MAX):
            hungry, _ = self._hungry.popleft()
            if not hungry.is_closed:
                hungry.go_on()

    def _take(self, connection: ClientConnection) -> None:
        """The next requests, one at a time unless the run allows more."""
        while (
            connection.frames
            and connection.may_take
            and len(connection.slots) < self._in_flight
            and not connection.is_closed
        ):
            self._take_one(connection, connection.next_frame())

    def _take_one(self, connection: ClientConnection, frame: Buffer) -> None:
        slot = Slot(connection, len(frame) if isinstance(frame, bytearray) else 0)
        try:
            if connection.gate is not None and not connection.gate.is_open:
                answer = connection.gate.take(frame)
                if answer is not None:
                    self._answer_at_gate(slot, answer)
                    return
            request = decode_request(frame)
        except UnsupportedVersionError as error:
            self._on_unsupported(slot, error)
            return
        except CodecError as error:
            self.on_bad_frame(connection, error)
            return
        request.client_id = None if request.client_id is None else request.client_id[:TEXT_MAX]
        connection.client_id = request.client_id or ""
        connection.request_count += 1
        connection.slots.append(slot)
        self._front.take(slot, request, len(frame))

    def _answer_at_gate(self, slot: Slot, answer: Answer) -> None:
        """Who is refused waits a little, and nothing more of it is read: passwords are not to be tried fast."""
        connection = slot.connection
        connection.slots.append(slot)
        if not answer.refusal:
            self.finish(slot, answer.parts)
            return
        connection.hold("refused")
        connection.frames.clear()
        self._refuse("login", connection.client_id, answer.refusal)
        self._loop.call_later(FAILED_LOGIN_SECONDS, self._send_away, slot, answer)

    def _send_away(self, slot: Slot, answer: Answer) -> None:
        self.finish(slot, answer.parts, must_close=f"it did not log in: {answer.refusal}")
        self._front.drain()

    def _on_unsupported(self, slot: Slot, error: UnsupportedVersionError) -> None:
        """ApiVersions is answered in the version that all can read, everything else ends the connection."""
        connection = slot.connection
        if error.api_key == API_VERSIONS.key:
            connection.slots.append(slot)
            self.finish(slot, [encode_response(API_VERSIONS, 0, error.correlation_id, unsupported())])
            return
        self._refuse("version", (error.client_id or "")[:TEXT_MAX], str(error))
        connection.close("it asked for what is not advertised")

    def _refuse(self, kind: str, client_id: str, why: str) -> None:
        now_s = self._loop.time()
        last_s, count = self._refused.get(kind, (-TELL_SECONDS, 0))
        if now_s - last_s < TELL_SECONDS:
            self._refused[kind] = last_s, count + 1
            return
        self._refused[kind] = now_s, 0
        text = why[:TEXT_MAX]
        self._say(f"client {client_id!a}: {text}" + (f" ({count} more)" if count else ""))
        self._emit(ClientRefused(kind=kind, client_id=client_id, why=text, count=count + 1), "a client's bytes")

    def _sweep(self) -> None:
        """Close who has begun and does not go on."""
        now_s = self._loop.time()
        for connection in list(self._connections.values()):
            why = self._lateness(connection, now_s)
            if why:
                self._refuse("slow", connection.client_id, why)
                connection.close(why)
        self._sweeping = self._loop.call_later(SWEEP_SECONDS, self._sweep) if self._connections else None

    def _lateness(self, connection: ClientConnection, now_s: float) -> str:
        if connection.is_closed or connection.is_held or connection.slots:
            return ""
        if connection.has_to_log_in and now_s - connection.connected_s > LOGIN_SECONDS:
            return f"no password within {LOGIN_SECONDS:g} s"
        if connection.began_s is not None:
            late_s = now_s - connection.began_s
            if late_s > HEADER_SECONDS and not connection.has_header:
                return f"no header within {HEADER_SECONDS:g} s"
            return f"no whole frame within {FRAME_SECONDS:g} s" if late_s > FRAME_SECONDS else ""
        if not connection.request_count and now_s - connection.connected_s > HEADER_SECONDS:
            return f"no request within {HEADER_SECONDS:g} s"
        return f"idle for {IDLE_SECONDS:g} s" if now_s - connection.heard_s > IDLE_SECONDS else ""
