"""The connections of one simulated process, and the faults of its links.

It behaves as cluster/runtime/connections.py does, without bytes: a node calls a peer when it first has a request for
it, answers go back over the connection the request came in on, and a cut direction holds frames in order until it heals
or the connection is reset.
"""

from __future__ import annotations

from collections import deque

from cluster.faults.judge import Direction, LinkRules
from cluster.links.frame import Frame, encode_frame
from cluster.links.pace import Pace
from cluster.model.events import FramesHeld, FramesReleased, LinkConnected, LinkReset
from cluster.model.identifiers import NodeId
from cluster.simulation.world.connections import Attempt, Call, Connection, Outgoing, Party
from cluster.simulation.world.kernel import NS_PER_MS, NS_PER_S
from cluster.simulation.world.network import Network

BACKOFF_MS = 50
"""After a refused connection, requests to that peer are dropped for this long."""
QUEUED_MAX = 10_000
"""Frames that wait for one connection to come up."""
ASKED_MAX = 10_000
"""Requests remembered, so that answers go back the way they came."""


class Endpoint:
    """Sends and receives frames for one process."""

    def __init__(self, network: Network, party: Party, node_id: NodeId, patience_ms: int) -> None:
        self.network = network
        self.party = party
        self.node_id = node_id
        self.is_gone = False
        """The process has ended."""
        self.is_silent = False
        """Says and hears nothing more."""
        self.calls: dict[NodeId, Call] = {}
        """To the peers this process has asked something."""
        self._kernel = network.kernel
        self._patience_ns = patience_ms * NS_PER_MS
        self._taken: dict[Connection, None] = {}
        self._asked: dict[tuple[NodeId, int], Connection] = {}
        self._outgoing: dict[NodeId, Outgoing] = {}
        self._held_in: dict[NodeId, list[tuple[Connection, Frame]]] = {}
        self._holds: dict[Direction, tuple[Direction, int]] = {}
        self._hold_count = 0
        self._rules = LinkRules()
        self._is_clear = True
        self._is_free = network.unkind is None

    def listen(self) -> None:
        """Accept connections from now on."""
        self.network.listening[self.node_id] = self

    def request(self, target: NodeId, frame: Frame) -> None:
        """Send a request, connecting first when need be. To itself or to strangers nothing is sent."""
        call = self.calls.get(target)
        if call is not None and call.connection is not None and self._is_free:
            self.network.carry(call.connection, self, frame)
        elif target != self.node_id and target in self.network.members:
            self._send(target, frame, None)

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Send an answer over the connection its request came in on; without one it is gone."""
        via = self._asked.pop((target, frame.correlation), None)
        if via is None or not via.is_open:
            return
        if self._is_free:
            self.network.carry(via, self, frame)
        else:
            self._send(via.other(self).node_id, frame, via)

    def take(self, via: Connection) -> None:
        """Accept a connection."""
        self._taken[via] = None

    def arrive(self, via: Connection, frame: Frame) -> None:
        """Deliver, or hold when the way here is cut."""
        if self.is_silent:
            return
        if via.acceptor is self:
            asked = self._asked
            if len(asked) >= ASKED_MAX:
                del asked[next(iter(asked))]
            asked[frame.sender, frame.correlation] = via
        if not self._is_clear:
            way = Direction(via.other(self).node_id, self.node_id)
            if way in self._rules.cuts:
                self._note_held(way, frame)
                self._held_in.setdefault(way.source, []).append((via, frame))
                return
        self.party.on_frame(frame)

    def apply(self, rules: LinkRules) -> None:
        """Put rules in force in place of those before; directions that heal deliver what they held."""
        before, self._rules = self._rules, rules
        self._is_clear = rules.is_clear
        for way in sorted(before.cuts - rules.cuts):
            self._heal(way)
        for way in sorted(before.shaped - rules.shaped):
            self._hurry(way)
        for target, call in sorted(self.calls.items()):
            if call.queue and not call.is_connecting and call.connection is None:
                self._connect(target, call)
        self._review()

    def silence(self) -> None:
        """Say and hear nothing more: the moment before power is lost."""
        self.is_silent = True
        self._is_free = False

    def reset(self, other: NodeId, trigger: str) -> None:
        """Reset every connection with another node; frames that were held or on their way are gone."""
        outgoing = self._outgoing.pop(other, Outgoing())
        gone = len(outgoing.held) + len(outgoing.late) + len(self._held_in.pop(other, ()))
        connections = [via for via in self._taken if via.caller.node_id == other]
        call = self.calls.pop(other, None)
        if call is not None:
            call.generation += 1
            gone += len(call.queue)
            call.queue.clear()
            if call.connection is not None:
                connections.append(call.connection)
        for way in (Direction(self.node_id, other), Direction(other, self.node_id)):
            self._holds.pop(way, None)
        if connections or gone:
            self.party.tell(LinkReset(source=self.node_id, target=other, held_count=gone), trigger)
        for via in connections:
            self._taken.pop(via, None)
            if via.is_open:
                via.is_open = False
                self._kernel.after(self.network.latency_ns(), via.tell_reset, via.other(self))
        if call is not None:
            self._kernel.after(0, self._tell_lost, other)

    def leave(self) -> None:
        """The process has ended: whoever was connected sees it soon."""
        self.is_gone = True
        if self.network.listening.get(self.node_id) is self:
            del self.network.listening[self.node_id]
        called = [call.connection for _, call in sorted(self.calls.items()) if call.connection is not None]
        for via in (*called, *self._taken):
            if via.is_open:
                self.network.part(via, self)
        self.network.refuse_waiting(self)

    def on_closed(self, via: Connection) -> None:
        """A connection is gone; what waited for it is dropped."""
        if via.caller is not self:
            self._taken.pop(via, None)
            return
        target = via.acceptor.node_id
        call = self.calls.get(target)
        if call is not None and call.connection is via:
            self._give_up(target, call, backoff=False)

    def abandon(self, attempt: Attempt) -> None:
        """A connection that is still being made will not come up."""
        target, call, generation = attempt
        if self.is_gone or call.generation != generation or not call.is_connecting:
            return
        if self.party.is_still:
            self.party.defer_timer(self.abandon, attempt)
        else:
            self._give_up(target, call, backoff=True)

    def _send(self, target: NodeId, frame: Frame, via: Connection | None) -> None:
        if self.is_silent:
            return
        if self._is_free:
            self._put(target, frame, via)
            return
        way = Direction(self.node_id, target)
        if way in self._rules.cuts:
            self._note_held(way, frame)
            self._outgoing_to(target).held.append((frame, via))
        else:
            self._shape(way, frame, via)

    def _shape(self, way: Direction, frame: Frame, via: Connection | None) -> None:
        """Send now, or later when the way is delayed, slow, or still busy with what was."""
        outgoing = self._outgoing.get(way.target)
        if not self._rules.shapes(way) and (outgoing is None or not outgoing.late):
            self._put(way.target, frame, via)
            return
        outgoing = self._outgoing_to(way.target)
        now_ns = self._kernel.now_ns
        delay, rate = self._rules.delays.get(way), self._rules.rates.get(way)
        size = len(encode_frame(frame)) if rate else 0
        leave_s = outgoing.pace.leave_at(now_ns / NS_PER_S, size, delay, rate, self.network.draw())
        outgoing.late.append((max(now_ns, round(leave_s * NS_PER_S)), frame, via))
        self._await_late(way.target, outgoing)

    def _await_late(self, target: NodeId, outgoing: Outgoing) -> None:
        if outgoing.late and not outgoing.is_waiting:
            outgoing.is_waiting = True
            self._kernel.at(outgoing.late[0][0], self._on_late, (target, outgoing))

    def _on_late(self, awaited: tuple[NodeId, Outgoing]) -> None:
        target, outgoing = awaited
        if self.is_gone or self._outgoing.get(target) is not outgoing:
            return
        if self.party.is_still:
            self.party.defer_timer(self._on_late, awaited)
            return
        outgoing.is_waiting = False
        way = Direction(self.node_id, target)
        while outgoing.late and outgoing.late[0][0] <= self._kernel.now_ns:
            _, frame, via = outgoing.late.popleft()
            if way in self._rules.cuts:
                outgoing.held.append((frame, via))
                self._await_heal(way)
            else:
                self._put(target, frame, via)
        self._await_late(target, outgoing)
        self._review()

    def _hurry(self, way: Direction) -> None:
        """A way that is quick again lets go at once, in order, of what still waited to leave."""
        outgoing = self._outgoing.get(way.target)
        if way.source == self.node_id and outgoing is not None:
            outgoing.late = deque((0, frame, via) for _, frame, via in outgoing.late)
            outgoing.pace = Pace()
            self._on_late((way.target, outgoing))

    def _outgoing_to(self, target: NodeId) -> Outgoing:
        outgoing = self._outgoing.get(target)
        if outgoing is None:
            outgoing = self._outgoing[target] = Outgoing()
            self._is_free = False
        return outgoing

    def _review(self) -> None:
        """Whether every frame may leave at once: no rule is in force, and nothing of earlier ones is left."""
        if self._is_clear:
            self._outgoing = {target: kept for target, kept in self._outgoing.items() if kept.late or kept.held}
        is_kind = self.network.unkind is None
        self._is_free = is_kind and self._is_clear and not self._outgoing and not self.is_silent

    def _put(self, target: NodeId, frame: Frame, via: Connection | None) -> None:
        if self.is_silent:
            return
        if via is None:
            call = self.calls.get(target)
            if call is None:
                call = self.calls[target] = Call()
            via = call.connection
            if via is None:
                self._enqueue(target, call, frame)
                return
        if via.is_open:
            self._carry(target, frame, via)

    def _carry(self, target: NodeId, frame: Frame, via: Connection) -> None:
        """Hand it over, on a way that may be unkind to it."""
        unkind = self.network.unkind
        if unkind is None and not self._is_clear:
            unkind = self._rules.unkind.get(Direction(self.node_id, target))
        if unkind is None:
            self.network.carry(via, self, frame)
        else:
            self.network.carry_unkindly(via, self, frame, unkind)

    def _enqueue(self, target: NodeId, call: Call, frame: Frame) -> None:
        if self._kernel.now_ns < call.not_before_ns or len(call.queue) >= QUEUED_MAX:
            self._kernel.after(0, self._tell_lost, target)
            return
        call.queue.append(frame)
        if not call.is_connecting:
            self._connect(target, call)

    def _connect(self, target: NodeId, call: Call) -> None:
        """Connect, or hang while either way is cut."""
        if self._rules.is_cut(self.node_id, target):
            if len(call.queue) == 1:
                self._kernel.after(self._patience_ns, self._drop_hung, (target, call, call.generation))
            return
        call.is_connecting = True
        attempt = (target, call, call.generation)
        self._kernel.after(self.network.connect_ns(), self._reach, attempt)
        self._kernel.after(self._patience_ns, self.abandon, attempt)

    def _reach(self, attempt: Attempt) -> None:
        """The handshake ends, as soon as neither end stands still; nobody listening refuses it."""
        target, call, generation = attempt
        if self.is_gone or call.generation != generation:
            return
        other = self.network.listening.get(target)
        if self.party.is_still:
            self.party.defer(self._reach, attempt)
        elif other is None:
            self._give_up(target, call, backoff=True)
        elif other.party.is_still:
            other.party.defer(self._reach, attempt)
        else:
            call.is_connecting = False
            via = call.connection = Connection(self, other)
            other.take(via)
            self.party.tell(LinkConnected(source=self.node_id, target=target), "connected")
            queue, call.queue = call.queue, []
            for frame in queue:
                self._carry(target, frame, via)

    def _drop_hung(self, attempt: Attempt) -> None:
        target, call, generation = attempt
        if self.is_gone or call.generation != generation or call.is_connecting or call.connection is not None:
            return
        if self.party.is_still:
            self.party.defer_timer(self._drop_hung, attempt)
        else:
            call.queue.clear()
            self.party.on_lost(target)

    def _give_up(self, target: NodeId, call: Call, *, backoff: bool) -> None:
        call.connection, call.is_connecting = None, False
        call.generation += 1
        call.queue.clear()
        if backoff:
            call.not_before_ns = self._kernel.now_ns + BACKOFF_MS * NS_PER_MS
        self.party.on_lost(target)

    def _tell_lost(self, peer: NodeId) -> None:
        if self.is_gone:
            return
        if self.party.is_still:
            self.party.defer(self._tell_lost, peer)
        else:
            self.party.on_lost(peer)

    def _note_held(self, way: Direction, frame: Frame) -> None:
        if way not in self._holds:
            kind = type(frame.message).__name__
            held = FramesHeld(source=way.source, target=way.target, message=kind)
            self.party.tell(held, f"cut {way.source}>{way.target}")
            self._await_heal(way)

    def _await_heal(self, way: Direction) -> None:
        if way not in self._holds:
            self._hold_count += 1
            hold = self._holds[way] = (way, self._hold_count)
            self._kernel.after(self._patience_ns, self._on_held_too_long, hold)

    def _on_held_too_long(self, hold: tuple[Direction, int]) -> None:
        way = hold[0]
        if self.is_gone or self._holds.get(way) is not hold:
            return
        if self.party.is_still:
            self.party.defer_timer(self._on_held_too_long, hold)
        else:
            self.reset(way.target if way.source == self.node_id else way.source, "held too long")

    def _heal(self, way: Direction) -> None:
        self._holds.pop(way, None)
        if way.source == self.node_id:
            outgoing = self._outgoing.get(way.target, Outgoing())
            held, outgoing.held = outgoing.held, []
            self._note_released(way, len(held))
            for frame, via in held:
                self._shape(way, frame, via)
        elif way.target == self.node_id:
            arrived = self._held_in.pop(way.source, [])
            self._note_released(way, len(arrived))
            for via, frame in arrived:
                if via.is_open:
                    self.party.on_frame(frame)

    def _note_released(self, way: Direction, count: int) -> None:
        if count:
            self.party.tell(FramesReleased(source=way.source, target=way.target, count=count), "healed")
