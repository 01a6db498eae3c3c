"""What drives the link machine of one process: the event loop's clock and sockets on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from time import monotonic_ns
from typing import assert_never

from cluster.faults.effects_on_links import LinkRules
from cluster.links import vocabulary as link
from cluster.links.frame import Frame
from cluster.links.machine import NS_PER_S, LinkMachine
from cluster.links.traffic import Observe
from cluster.model.events import ClientRefused, Event
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.runtime.transport import ACCEPT_TIMEOUT_MS, LOOPBACK, Connection, accept, bind

UNPROVED_MAX = 64
"""Connections that may be in their handshake at once."""
TELL_SECONDS = 1.0

Emitter = Callable[[Event, str], None]
Deliverer = Callable[[list[Frame]], None]
Loser = Callable[[NodeId], None]


class Connections:
    """Sends and receives frames for one process.

    Nearly every frame goes a way with no rule, over a connection that is up: it takes the short way past the machine.
    """

    def __init__(
        self,
        node_id: NodeId,
        secret: bytes,
        ports: dict[NodeId, int],
        *,
        patience_ms: int,
        deliver: Deliverer,
        emit: Emitter,
        lost: Loser = lambda _peer: None,
        observe: Observe | None = None,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        """`observe` is told of messages, None for nobody; `clock` is the run's, in nanoseconds."""
        self.node_id = node_id
        self.secret = secret
        self._loop = asyncio.get_running_loop()
        self._ports, self._patience_ms = ports, patience_ms
        self._deliver, self._emit, self._lost = deliver, emit, lost
        self._clock = clock
        self._links: LinkMachine[Connection] = LinkMachine(node_id, ports, patience_ms, Random().random, observe)
        self._traffic = self._links.traffic
        self._open: dict[Connection, int] = {}
        """Each connection that is not closed, with the number of the attempt to make it; 0 for accepted ones."""
        self._unproved: set[Connection] = set()
        self._unflushed: list[Connection] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._strangers, self._quiet_until_s = 0, 0.0
        self._server: asyncio.Server | None = None
        self._is_closed = False

    async def listen(self, port: int) -> int:
        """Accept on loopback; the port, which is the one given unless that is 0."""
        bound = bind(port)
        self._server = await accept(bound, self._accept)
        self._is_closed = False
        taken: int = bound.getsockname()[1]
        return taken

    def request(self, target: NodeId, frame: Frame) -> None:
        """Send a request, connecting first when need be. To itself or to strangers nothing is sent."""
        connection = self._links.free.get(target)
        if connection is not None:
            self._traffic.asked(target, frame, self._clock())
            self._write(connection, frame)
        else:
            self._do(link.RequestOut(target, frame))

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Send an answer over the connection its request came in on; without one it is gone."""
        links = self._links
        connection = links.channel_back(target, frame.correlation)
        if connection is None:
            return
        if links.is_silent or connection.peer in links.ruled:
            self._do(link.AnswerOut(connection, frame))
        else:
            self._traffic.left(connection.peer, frame, self._clock())
            self._write(connection, frame)

    def flush(self) -> None:
        """Write out what this turn queued, one write for each connection."""
        for connection in self._unflushed:
            connection.flush()
        self._unflushed.clear()

    def apply(self, rules: LinkRules) -> None:
        """Put rules in force in place of those before."""
        self._do(link.RulesChanged(rules))
        self.flush()

    def watch(self, leaderless: frozenset[TopicPartition]) -> None:
        """These partitions have no leader, as far as the process knows."""
        self._traffic.watch(leaderless)

    def silence(self) -> None:
        """Say and hear nothing more: the moment before power is lost."""
        self._do(link.Silenced())

    def reset(self, other: NodeId, trigger: str) -> None:
        """Reset every connection with another node."""
        self._do(link.ResetAsked(other, trigger))

    def close(self) -> None:
        """Stop listening, send what is queued, close all."""
        self._is_closed = True
        if self._server is not None:
            self._server.close()
        self.flush()
        for connection in list(self._open):
            connection.close()
        for task in self._tasks:
            task.cancel()

    def on_ready(self, connection: Connection) -> None:
        """A handshake is done."""
        self._unproved.discard(connection)
        attempt = self._open[connection]
        self._do(link.Connected(connection, attempt) if attempt else link.Accepted(connection))
        self.flush()

    def on_frames(self, connection: Connection, frames: list[Frame]) -> None:
        """Frames came in."""
        links = self._links
        if links.is_silent or connection.peer in links.ruled_back:
            self._do(link.FramesIn(connection, frames))
            return
        if not connection.is_call:
            for frame in frames:
                links.note_asked(connection, frame)
        now_ns, peer, heard = self._clock(), connection.peer, self._traffic.heard
        for frame in frames:
            heard(peer, frame, now_ns)
        self._deliver(frames)

    def on_stranger(self, why: str) -> None:
        """Count them, and tell of them once a second at most."""
        self._strangers += 1
        if self._loop.time() >= self._quiet_until_s:
            refused = ClientRefused(
                kind="link", client_id="", why=f"at the port between nodes: {why}", count=self._strangers
            )
            self._emit(refused, "a stranger's bytes")
            self._strangers, self._quiet_until_s = 0, self._loop.time() + TELL_SECONDS

    def on_closed(self, connection: Connection) -> None:
        """A connection is gone, or its handshake has failed."""
        self._unproved.discard(connection)
        attempt = self._open.pop(connection, 0)
        if attempt:
            self._do(link.Refused(connection.peer, attempt))
        self._do(link.Closed(connection))

    def _do(self, happened: link.Input[Connection]) -> None:
        loop = self._loop
        for effect in self._links.handle(happened, self._clock()):
            match effect:
                case link.Write(channel=connection, frame=frame):
                    self._write(connection, frame)
                case link.Deliver(frames=frames):
                    self._deliver(frames)
                case link.Lost(peer=peer, is_soon=True):
                    loop.call_soon(self._lost, peer)
                case link.Lost(peer=peer):
                    self._lost(peer)
                case link.SetTimer(delay_ns=delay_ns, timer=timer):
                    loop.call_later(delay_ns / NS_PER_S, self._on_timer, timer)
                case link.Connect(target=target, attempt=attempt):
                    self._connect(target, attempt)
                case link.Reset(channel=connection):
                    connection.reset()
                case link.Tell(event=event, trigger=trigger):
                    self._emit(event, trigger)
                case _:
                    assert_never(effect)

    def _write(self, connection: Connection, frame: Frame) -> None:
        connection.write(frame)
        self._unflushed.append(connection)

    def _connect(self, target: NodeId, attempt: int) -> None:
        connection = Connection(self, self._loop, target, self._patience_ms)
        self._open[connection] = attempt
        task = self._loop.create_task(self._call(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call(self, connection: Connection) -> None:
        try:
            await self._loop.create_connection(lambda: connection, LOOPBACK, self._ports[connection.peer])
        except OSError:
            self.on_closed(connection)

    def _accept(self) -> Connection:
        connection = Connection(self, self._loop, NO_NODE, ACCEPT_TIMEOUT_MS)
        self._open[connection] = 0
        self._unproved.add(connection)
        if len(self._unproved) > UNPROVED_MAX:
            self._loop.call_soon(connection.abort)
        return connection

    def _on_timer(self, timer: link.Timer) -> None:
        if not self._is_closed:
            self._do(link.TimerFired(timer))
            self.flush()
