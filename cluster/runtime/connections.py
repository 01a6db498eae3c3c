"""All connections of one node, and the faults of its links.

Each node calls a peer when it first has a request for it; answers go back over the connection the request came in on. A
cut direction holds frames in order, as TCP would while it retransmits: they arrive late when it heals in time, else the
connection is reset and they are gone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random

from cluster.faults.judge import Direction, LinkRules
from cluster.links.frame import Frame, encode_frame
from cluster.links.pace import Pace
from cluster.model.events import ClientRefused, Event, FramesHeld, FramesReleased, LinkConnected, LinkReset
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.runtime.transport import ACCEPT_TIMEOUT_MS, LOOPBACK, Connection, accept, bind

BACKOFF_MS = 50
"""After a refused connection, requests to that peer are dropped for this long."""
UNPROVED_MAX = 64
"""Connections that may be in their handshake at once."""
TELL_SECONDS = 1.0
QUEUED_MAX = 10_000
"""Frames that wait for one connection to come up."""

Emitter = Callable[[Event, str], None]
Deliver = Callable[[list[Frame]], None]
Lost = Callable[[NodeId], None]


class Peer:
    """The outgoing side to one node."""

    __slots__ = ("connection", "generation", "is_connecting", "not_before_s", "queue")

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.is_connecting = False
        self.generation = 0
        self.queue: list[bytes] = []
        self.not_before_s = 0.0


class Outgoing:
    """Frames to one node that do not leave at once."""

    __slots__ = ("held", "late", "pace", "timer")

    def __init__(self) -> None:
        self.held: list[tuple[bytes, Connection | None]] = []
        """Held by a cut; None means over the outgoing connection."""
        self.late: deque[tuple[float, bytes, Connection | None]] = deque()
        """Delayed or slowed, with the loop time at which each leaves."""
        self.pace = Pace()
        self.timer: asyncio.TimerHandle | None = None


class Connections:
    """Sends and receives frames for one node."""

    def __init__(
        self,
        node_id: NodeId,
        secret: bytes,
        ports: dict[NodeId, int],
        *,
        patience_ms: int,
        deliver: Deliver,
        emit: Emitter,
        lost: Lost = lambda _peer: None,
    ) -> None:
        self.node_id = node_id
        self.secret = secret
        self._loop = asyncio.get_running_loop()
        self._ports = ports
        self._patience_ms = patience_ms
        self._deliver = deliver
        self._emit = emit
        self._lost = lost
        self._draw = Random().random
        self._peers: dict[NodeId, Peer] = {}
        self._outgoing: dict[NodeId, Outgoing] = {}
        self._held_in: dict[NodeId, list[tuple[Connection, Frame]]] = {}
        self._hold_timers: dict[Direction, asyncio.TimerHandle] = {}
        self._incoming: dict[NodeId, list[Connection]] = {}
        self._unproved: set[Connection] = set()
        self._unflushed: list[Connection] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._rules = LinkRules()
        self._is_silent = False
        self._strangers, self._quiet_until_s = 0, 0.0
        self._server: asyncio.Server | None = None

    async def listen(self, port: int) -> int:
        """Accept on loopback; the port, which is the one given unless that is 0."""
        bound = bind(port)
        self._server = await accept(bound, self._accept)
        taken: int = bound.getsockname()[1]
        return taken

    def request(self, target: NodeId, frame: Frame) -> None:
        """Send a request, connecting first when need be. To itself or to strangers nothing is sent."""
        if target != self.node_id and target in self._ports:
            self._send(target, frame, None)

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Send an answer over the connection its request came in on; without one it is gone."""
        key = (target, frame.correlation)
        for connection in self._incoming.get(target, ()):
            if key in connection.asked:
                del connection.asked[key]
                self._send(connection.peer, frame, connection)
                return

    def flush(self) -> None:
        """Write out what this turn queued, one write for each connection."""
        for connection in self._unflushed:
            connection.flush()
        self._unflushed.clear()

    def apply(self, rules: LinkRules) -> None:
        """Put rules in force in place of those before; directions that heal deliver what they held."""
        before, self._rules = self._rules, rules
        for way in sorted(before.cuts - rules.cuts):
            self._heal(way)
        for way in sorted(before.shaped - rules.shaped):
            self._hurry(way)
        for target, peer in sorted(self._peers.items()):
            if peer.queue and not peer.is_connecting and peer.connection is None:
                self._connect(target, peer)
        self.flush()

    def silence(self) -> None:
        """Say and hear nothing more: the moment before power is lost."""
        self._is_silent = True

    def reset(self, other: NodeId, trigger: str) -> None:
        """Reset every connection with another node; frames that were held or on their way are gone."""
        outgoing = self._outgoing.pop(other, Outgoing())
        if outgoing.timer is not None:
            outgoing.timer.cancel()
        gone = len(outgoing.held) + len(outgoing.late) + len(self._held_in.pop(other, ()))
        peer = self._peers.pop(other, None)
        connections = list(self._incoming.get(other, ()))
        if peer is not None:
            peer.generation += 1
            gone += len(peer.queue)
            peer.queue.clear()
            if peer.connection is not None:
                connections.append(peer.connection)
        for way in (Direction(self.node_id, other), Direction(other, self.node_id)):
            timer = self._hold_timers.pop(way, None)
            if timer is not None:
                timer.cancel()
        if connections or gone:
            self._emit(LinkReset(source=self.node_id, target=other, held_count=gone), trigger)
        for connection in connections:
            connection.reset()
        if peer is not None:
            self._loop.call_soon(self._lost, other)

    def close(self) -> None:
        """Stop listening, send what is queued, close all."""
        if self._server is not None:
            self._server.close()
        self.flush()
        for connections in list(self._incoming.values()):
            for connection in list(connections):
                connection.close()
        for peer in self._peers.values():
            if peer.connection is not None:
                peer.connection.close()
        for task in self._tasks:
            task.cancel()

    def on_ready(self, connection: Connection) -> None:
        """A handshake is done."""
        self._unproved.discard(connection)
        if not connection.is_connector:
            self._incoming.setdefault(connection.peer, []).insert(0, connection)
            return
        peer = self._peers.get(connection.peer)
        if peer is None or peer.connection is not connection:
            connection.abort()
            return
        peer.is_connecting = False
        self._emit(LinkConnected(source=self.node_id, target=connection.peer), "connected")
        for data in peer.queue:
            connection.write(data)
        peer.queue.clear()
        connection.flush()

    def on_frames(self, connection: Connection, frames: list[Frame]) -> None:
        """Deliver, or hold when the way here is cut."""
        if self._is_silent:
            return
        if not connection.is_connector:
            for frame in frames:
                connection.note_asked(frame.sender, frame.correlation)
                if frame.sender != connection.peer:
                    self._adopt(frame.sender, connection)
        cuts = self._rules.cuts
        if not cuts or (way := Direction(connection.peer, self.node_id)) not in cuts:
            self._deliver(frames)
            return
        self._note_held(way, frames[0])
        self._held_in.setdefault(connection.peer, []).extend((connection, frame) for frame in frames)

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
        """A connection is gone; what waited for it is dropped."""
        self._unproved.discard(connection)
        if not connection.is_connector:
            for sender in [name for name, known in self._incoming.items() if connection in known]:
                self._incoming[sender].remove(connection)
                if not self._incoming[sender]:
                    del self._incoming[sender]
            return
        peer = self._peers.get(connection.peer)
        if peer is not None and peer.connection is connection:
            self._give_up(connection.peer, peer, backoff=peer.is_connecting)

    def _accept(self) -> Connection:
        connection = Connection(self, self._loop, NO_NODE, ACCEPT_TIMEOUT_MS)
        self._unproved.add(connection)
        if len(self._unproved) > UNPROVED_MAX:
            self._loop.call_soon(connection.abort)
        return connection

    def _adopt(self, sender: NodeId, connection: Connection) -> None:
        known = self._incoming.setdefault(sender, [])
        if connection not in known:
            known.insert(0, connection)

    def _send(self, target: NodeId, frame: Frame, via: Connection | None) -> None:
        if self._is_silent:
            return
        data = encode_frame(frame)
        if self._rules.is_clear and target not in self._outgoing:
            self._put(target, data, via)
            return
        way = Direction(self.node_id, target)
        if way in self._rules.cuts:
            self._note_held(way, frame)
            self._outgoing.setdefault(target, Outgoing()).held.append((data, via))
            return
        self._shape(way, data, via)

    def _shape(self, way: Direction, data: bytes, via: Connection | None) -> None:
        """Send now, or later when the way is delayed, slow, or still busy with what was."""
        outgoing = self._outgoing.get(way.target)
        if not self._rules.shapes(way) and (outgoing is None or not outgoing.late):
            self._put(way.target, data, via)
            return
        if outgoing is None:
            outgoing = self._outgoing[way.target] = Outgoing()
        rules, now_s = self._rules, self._loop.time()
        delay, rate = rules.delays.get(way), rules.rates.get(way)
        leave_s = outgoing.pace.leave_at(now_s, len(data), delay, rate, self._draw())
        outgoing.late.append((leave_s, data, via))
        if outgoing.timer is None:
            outgoing.timer = self._loop.call_at(leave_s, self._on_late, way.target)

    def _on_late(self, target: NodeId) -> None:
        outgoing = self._outgoing.get(target)
        if outgoing is None:
            return
        outgoing.timer = None
        while outgoing.late and outgoing.late[0][0] <= self._loop.time():
            _, data, via = outgoing.late.popleft()
            if Direction(self.node_id, target) in self._rules.cuts:
                outgoing.held.append((data, via))
                self._await_heal(Direction(self.node_id, target))
            else:
                self._put(target, data, via)
        if outgoing.late:
            outgoing.timer = self._loop.call_at(outgoing.late[0][0], self._on_late, target)
        self.flush()

    def _hurry(self, way: Direction) -> None:
        """A way that is quick again lets go at once, in order, of what still waited to leave."""
        outgoing = self._outgoing.get(way.target)
        if way.source != self.node_id or outgoing is None or not outgoing.late:
            return
        now_s = self._loop.time()
        outgoing.late = deque((now_s, data, via) for _, data, via in outgoing.late)
        outgoing.pace = Pace()
        if outgoing.timer is not None:
            outgoing.timer.cancel()
        self._on_late(way.target)

    def _put(self, target: NodeId, data: bytes, via: Connection | None) -> None:
        if self._is_silent:
            return
        if via is None:
            peer = self._peers.get(target)
            if peer is None:
                peer = self._peers[target] = Peer()
            via = peer.connection
            if via is None or not via.is_ready:
                self._enqueue(target, peer, data)
                return
        if not via.is_closed:
            via.write(data)
            self._unflushed.append(via)

    def _enqueue(self, target: NodeId, peer: Peer, data: bytes) -> None:
        if self._loop.time() < peer.not_before_s or len(peer.queue) >= QUEUED_MAX:
            self._loop.call_soon(self._lost, target)
            return
        peer.queue.append(data)
        if not peer.is_connecting and peer.connection is None:
            self._connect(target, peer)

    def _connect(self, target: NodeId, peer: Peer) -> None:
        """Connect, or hang while either way is cut."""
        if self._rules.is_cut(self.node_id, target):
            if len(peer.queue) == 1:
                self._loop.call_later(self._patience_ms / 1000, self._drop_hung, target, peer, peer.generation)
            return
        peer.is_connecting = True
        task = self._loop.create_task(self._call(target, peer, peer.generation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call(self, target: NodeId, peer: Peer, generation: int) -> None:
        connection = Connection(self, self._loop, target, self._patience_ms)
        peer.connection = connection
        try:
            await self._loop.create_connection(lambda: connection, LOOPBACK, self._ports[target])
        except OSError:
            if peer.generation == generation and peer.connection is connection:
                self._give_up(target, peer, backoff=True)

    def _drop_hung(self, target: NodeId, peer: Peer, generation: int) -> None:
        if peer.generation == generation and not peer.is_connecting and peer.connection is None:
            peer.queue.clear()
            self._lost(target)

    def _give_up(self, target: NodeId, peer: Peer, *, backoff: bool) -> None:
        peer.connection, peer.is_connecting = None, False
        peer.generation += 1
        peer.queue.clear()
        if backoff:
            peer.not_before_s = self._loop.time() + BACKOFF_MS / 1000
        self._lost(target)

    def _note_held(self, way: Direction, frame: Frame) -> None:
        if way not in self._hold_timers:
            kind = type(frame.message).__name__
            self._emit(FramesHeld(source=way.source, target=way.target, message=kind), f"cut {way.source}>{way.target}")
            self._await_heal(way)

    def _await_heal(self, way: Direction) -> None:
        if way not in self._hold_timers:
            self._hold_timers[way] = self._loop.call_later(self._patience_ms / 1000, self._on_held_too_long, way)

    def _on_held_too_long(self, way: Direction) -> None:
        other = way.target if way.source == self.node_id else way.source
        self.reset(other, "held too long")

    def _heal(self, way: Direction) -> None:
        timer = self._hold_timers.pop(way, None)
        if timer is not None:
            timer.cancel()
        if way.source == self.node_id:
            outgoing = self._outgoing.get(way.target, Outgoing())
            held, outgoing.held = outgoing.held, []
            self._note_released(way, len(held))
            for data, via in held:
                self._shape(way, data, via)
        elif way.target == self.node_id:
            arrived = self._held_in.pop(way.source, [])
            self._note_released(way, len(arrived))
            frames = [frame for connection, frame in arrived if not connection.is_closed]
            if frames:
                self._deliver(frames)

    def _note_released(self, way: Direction, count: int) -> None:
        if count:
            self._emit(FramesReleased(source=way.source, target=way.target, count=count), "healed")
