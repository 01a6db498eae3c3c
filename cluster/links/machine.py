"""All links of one process: when it connects, what a faulty link does to frames, and what is lost.

A process connects to a peer when it first has a request for it; answers go back over the connection the request came in
on. A cut direction holds frames in order, as TCP would while it retransmits: they arrive late when it heals in time,
else the connection is reset and they are gone. A delayed or slow direction keeps the order, too. A kind of message that
is withheld waits until that is healed, or its connection ends: Kafka has a connection of its own for each purpose, and
this is one of them that stands still.

The machine is told what happened and answers with what to do. It has no clock, no socket and no chance of its own; a
world of sockets and a simulated world drive the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Generic, assert_never

from cluster.faults.effects_on_links import Direction, LinkRules
from cluster.links import vocabulary as link
from cluster.links.frame import Frame, paced_size
from cluster.links.peer import Pace, Peer
from cluster.links.plucking import Plucks
from cluster.links.traffic import Observe, Traffic
from cluster.links.vocabulary import AnyChannel, Effect, Input, Timer, Wait
from cluster.model.events import Event, FramesHeld, FramesReleased, LinkConnected, LinkReset
from cluster.model.identifiers import NodeId

BACKOFF_MS = 50
"""After a refused connection, requests to that peer are dropped for this long."""
QUEUED_MAX = 10_000
"""Frames that wait for one connection to come up; more are lost."""
ASKED_MAX = 10_000
"""Requests remembered, so that answers go back the way they came; the oldest is forgotten."""
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class LinkMachine(Generic[AnyChannel]):
    """The links of one process."""

    def __init__(
        self,
        node_id: NodeId,
        members: Container[NodeId],
        patience_ms: int,
        draw: Callable[[], float],
        observe: Observe | None = None,
    ) -> None:
        """Args:
        members: nodes that can be called at all.
        patience_ms: how long a cut holds frames, and how long a call waits for a cut to heal.
        draw: chance, in [0, 1).
        observe: is told of messages and changes nothing; None for nobody.
        """
        self.node_id = node_id
        self.traffic = Traffic(node_id, patience_ms, observe, self._waiting)
        """Told of each message that leaves and each that comes in; by the world, of those that pass the machine by."""
        self.free: dict[NodeId, AnyChannel] = {}
        """Connections to peers to whom every frame leaves at once: no rule is in force on the way there. What nearly
        every request needs to know, so it is kept."""
        self.ruled: set[NodeId] = set()
        """Peers to whom a rule is in force."""
        self.ruled_back: set[NodeId] = set()
        """Peers of whom not all that arrives may be delivered."""
        self.is_silent = False
        """Says and hears nothing more."""
        self._members, self._patience_ns, self._draw = members, patience_ms * NS_PER_MS, draw
        self._peers: dict[NodeId, Peer[AnyChannel]] = {}
        self._accepted: dict[AnyChannel, None] = {}
        self._asked: dict[tuple[NodeId, int], AnyChannel] = {}
        self._rules = LinkRules()
        self._plucks: Plucks[AnyChannel] = Plucks(self)
        self._now_ns = 0
        self._effects: list[Effect[AnyChannel]] = []
        self._count = 0

    def handle(self, happened: Input[AnyChannel], now_ns: int) -> list[Effect[AnyChannel]]:
        """Apply one input; return the effects, in the order to do them. now_ns is of the run's clock."""
        self._now_ns = now_ns
        effects: list[Effect[AnyChannel]] = []
        self._effects = effects
        match happened:
            case link.RequestOut(target=target, frame=frame):
                if target != self.node_id and target in self._members:
                    self._send(target, frame, None)
            case link.AnswerOut(channel=channel, frame=frame):
                self._send(channel.peer, frame, channel)
            case link.FramesIn(channel=channel, frames=frames):
                self._on_frames(channel, frames)
            case link.Accepted(channel=channel):
                self._accepted[channel] = None
            case link.Connected(channel=channel, attempt=attempt):
                self._on_connected(channel, attempt)
            case link.Refused(target=target, attempt=attempt):
                if attempt == self.attempt(target):
                    self._give_up(self._peers[target], "the connection was refused", backoff=True)
            case link.Closed(channel=channel):
                self._on_closed(channel)
            case link.RulesChanged(rules=rules):
                self._on_rules(rules)
            case link.ResetAsked(peer=peer, trigger=trigger):
                self._reset(peer, trigger)
            case link.Silenced():
                self.is_silent = True
                self.free.clear()
            case link.TimerFired(timer=timer):
                self._on_timer(timer)
            case _:
                assert_never(happened)
        return effects

    def attempt(self, target: NodeId) -> int:
        """Number of the connection to it that is being made; 0 for none."""
        peer = self._peers.get(target)
        return 0 if peer is None else peer.attempt

    def channels(self) -> list[AnyChannel]:
        """All connections: those that this end made in the order of their peers, then the others, oldest first."""
        made = [peer.channel for _, peer in sorted(self._peers.items()) if peer.channel is not None]
        return [*made, *self._accepted]

    def note_asked(self, channel: AnyChannel, frame: Frame) -> None:
        """Remember the way back for the answer to a request that came in."""
        asked = self._asked
        if len(asked) >= ASKED_MAX:
            del asked[next(iter(asked))]
        asked[frame.sender, frame.correlation] = channel

    def channel_back(self, target: NodeId, correlation: int) -> AnyChannel | None:
        """Where the answer to a request goes, once; None when that connection is gone."""
        channel = self._asked.pop((target, correlation), None)
        return channel if channel is not None and channel.is_open else None

    def _peer(self, node_id: NodeId) -> Peer[AnyChannel]:
        peer = self._peers.get(node_id)
        if peer is None:
            peer = self._peers[node_id] = Peer(node_id)
        return peer

    def _send(self, target: NodeId, frame: Frame, channel: AnyChannel | None) -> None:
        """Send now, or later when the way is cut, delayed, slow, or still busy with what was."""
        if self.is_silent:
            return
        (self.traffic.asked if channel is None else self.traffic.left)(target, frame, self._now_ns)
        way = Direction(self.node_id, target)
        if not self._plucks.take(way, frame, channel, self._now_ns):
            self.leave(way, frame, channel)

    def leave(self, way: Direction, frame: Frame, channel: AnyChannel | None, *, heeds: bool = True) -> None:
        """Let a frame leave as the rules want it; unless it heeds, whatever they want."""
        peer = self._peer(way.target)
        if not heeds:
            self._put(peer, frame, channel)
        elif self._rules.holds(way, frame.message):
            self._note_held(peer, way, [frame], Wait.HEAL_THERE)
            peer.held_there.append((frame, channel))
        else:
            self._shape(peer, way, frame, channel)

    def _shape(self, peer: Peer[AnyChannel], way: Direction, frame: Frame, channel: AnyChannel | None) -> None:
        rules = self._rules
        if not peer.late and not rules.shapes(way):
            self._put(peer, frame, channel)
            return
        delay, rate = rules.delays.get(way), rules.rates.get(way)
        size = paced_size(frame) if rate else 0
        leave_s = peer.pace.leave_at(self._now_ns / NS_PER_S, size, delay, rate, self._draw())
        peer.late.append((max(self._now_ns, round(leave_s * NS_PER_S)), frame, channel))
        self._set_timer(peer, Wait.LEAVE, peer.late[0][0] - self._now_ns)

    def _put(self, peer: Peer[AnyChannel], frame: Frame, channel: AnyChannel | None) -> None:
        """Send now, connecting first when need be."""
        if channel is None:
            peer.is_called = True
            channel = peer.channel
        if channel is None:
            self._enqueue(peer, frame)
        elif channel.is_open and not self.is_silent:
            self._effects.append(link.Write(channel, frame))
        elif not self.is_silent:
            self.lose(Direction(self.node_id, peer.node_id), [frame], "its connection is gone")

    def _enqueue(self, peer: Peer[AnyChannel], frame: Frame) -> None:
        if self._now_ns < peer.not_before_ns or len(peer.queue) >= QUEUED_MAX:
            self._effects.append(link.Lost(peer.node_id, is_soon=True))
            self.lose(Direction(self.node_id, peer.node_id), [frame], "a connection was refused just before")
            return
        peer.queue.append(frame)
        if not peer.attempt:
            self._connect(peer)

    def _connect(self, peer: Peer[AnyChannel]) -> None:
        """Connect, or hang while either way is cut."""
        if self._rules.is_cut(self.node_id, peer.node_id):
            self._set_timer(peer, Wait.CALL, self._patience_ns)
            return
        peer.waits.pop(Wait.CALL, None)
        self._count += 1
        peer.attempt = self._count
        self._effects.append(link.Connect(peer.node_id, peer.attempt))

    def _on_connected(self, channel: AnyChannel, attempt: int) -> None:
        if attempt != self.attempt(channel.peer):
            self._effects.append(link.Reset(channel))
            return
        peer = self._peers[channel.peer]
        peer.channel, peer.attempt = channel, 0
        if peer.node_id not in self.ruled and not self.is_silent:
            self.free[peer.node_id] = channel
        self.tell(LinkConnected(source=self.node_id, target=peer.node_id), "connected")
        queue, peer.queue = peer.queue, []
        for frame in queue:
            self._effects.append(link.Write(channel, frame))

    def _on_closed(self, channel: AnyChannel) -> None:
        """What waited for it is lost. Who only accepted it has nothing to lose."""
        peer = self._peers.get(channel.peer)
        if peer is not None and peer.channel is channel:
            self._give_up(peer, "the connection was closed", backoff=False)
        else:
            self._accepted.pop(channel, None)

    def _give_up(self, peer: Peer[AnyChannel], why: str, *, backoff: bool) -> None:
        peer.channel, peer.attempt = None, 0
        self._lose_queue(peer, why)
        self.traffic.parted(peer.node_id, {frame.correlation for frame in peer.held}, self._now_ns, why)
        self.free.pop(peer.node_id, None)
        if backoff:
            peer.not_before_ns = self._now_ns + BACKOFF_MS * NS_PER_MS
        self._effects.append(link.Lost(peer.node_id))

    def _on_frames(self, channel: AnyChannel, frames: list[Frame]) -> None:
        """Deliver, or hold when the way here is cut."""
        if self.is_silent:
            return
        if not channel.is_call:
            for frame in frames:
                self.note_asked(channel, frame)
        # The sender holds them, too. But rules reach two processes at two moments, and one that is stopped obeys none:
        # what it has in its socket would come through the cut.
        way = Direction(channel.peer, self.node_id)
        frames = [frame for frame in frames if not self._plucks.take(way, frame, channel, self._now_ns)]
        if frames and way in self._rules.cuts:
            peer = self._peer(channel.peer)
            self._note_held(peer, way, frames, Wait.HEAL_BACK)
            peer.held_back.extend((frame, channel) for frame in frames)
        elif frames:
            self.deliver(channel.peer, frames)

    def deliver(self, peer: NodeId, frames: list[Frame]) -> None:
        for frame in frames:
            self.traffic.heard(peer, frame, self._now_ns)
        self._effects.append(link.Deliver(frames))

    def _on_rules(self, rules: LinkRules) -> None:
        """Directions that heal let go of what they held; those that are quick again of what still waited to leave."""
        before, self._rules = self._rules, rules
        ways = (*rules.holding, *rules.shaped, *rules.unkind, *rules.plucks)
        self.ruled = {way.target for way in ways if way.source == self.node_id}
        self.ruled_back = {way.source for way in (*rules.cuts, *rules.plucks) if way.target == self.node_id}
        self.traffic.touch(self.ruled | {way.source for way in ways if way.target == self.node_id})
        self._plucks.change(rules, self._peers.values(), self._now_ns)
        for way in sorted(before.holding - rules.cuts):
            self._heal(way)
        for way in sorted(before.shaped - rules.shaped):
            if way.source == self.node_id and way.target in self._peers:
                peer = self._peers[way.target]
                peer.waits.pop(Wait.LEAVE, None)
                peer.pace = Pace()
                self._let_leave(peer, len(peer.late))
        for _, peer in sorted(self._peers.items()):
            if peer.queue and not peer.attempt and peer.channel is None:
                self._connect(peer)
        self.free.clear()
        if not self.is_silent:
            self.free.update(
                (target, peer.channel)
                for target, peer in self._peers.items()
                if peer.channel is not None and target not in self.ruled
            )

    def _heal(self, way: Direction) -> None:
        if way.source == self.node_id and way.target in self._peers:
            peer = self._peers[way.target]
            peer.waits.pop(Wait.HEAL_THERE, None)
            free = [each for each in peer.held_there if not self._rules.holds(way, each[0].message)]
            peer.held_there = [each for each in peer.held_there if self._rules.holds(way, each[0].message)]
            self._tell_released(way, len(free))
            for frame, channel in free:
                self._shape(peer, way, frame, channel)
        elif way.target == self.node_id and way.source in self._peers:
            peer = self._peers[way.source]
            peer.waits.pop(Wait.HEAL_BACK, None)
            arrived, peer.held_back = peer.held_back, []
            self._tell_released(way, len(arrived))
            self.lose(way, [frame for frame, via in arrived if not via.is_open], "its connection is gone")
            frames = [frame for frame, via in arrived if via.is_open]
            if frames:
                self.deliver(way.source, frames)

    def _let_leave(self, peer: Peer[AnyChannel], count: int) -> None:
        way = Direction(self.node_id, peer.node_id)
        for _ in range(count):
            _, frame, channel = peer.late.popleft()
            if self._rules.holds(way, frame.message):
                peer.held_there.append((frame, channel))
                self._set_timer(peer, Wait.HEAL_THERE, self._patience_ns)
            else:
                self._put(peer, frame, channel)

    def _on_timer(self, timer: Timer) -> None:
        peer = self._peers.get(timer.peer)
        if peer is None or peer.waits.get(timer.wait) != timer.number:
            return
        del peer.waits[timer.wait]
        match timer.wait:
            case Wait.HEAL_THERE | Wait.HEAL_BACK:
                self._reset(timer.peer, "held too long")
            case Wait.LEAVE:
                self._let_leave(peer, sum(leave_ns <= self._now_ns for leave_ns, _, _ in peer.late))
                if peer.late:
                    self._set_timer(peer, Wait.LEAVE, peer.late[0][0] - self._now_ns)
            case Wait.PLUCKED:
                self._plucks.go_on(timer.peer, self._now_ns)
            case Wait.CALL:
                self._lose_queue(peer, "the link is cut")
                self._effects.append(link.Lost(timer.peer))
            case _:
                assert_never(timer.wait)

    def _reset(self, other: NodeId, trigger: str) -> None:
        """Forget the peer; frames that were held or on their way are gone."""
        channels = [channel for channel in self._accepted if channel.peer == other]
        peer = self._peers.pop(other, None)
        gone = 0
        if peer is not None:
            gone = len(peer.held) + len(peer.held_back)
            self.lose(Direction(self.node_id, other), peer.held, trigger)
            self.lose(Direction(other, self.node_id), [frame for frame, _ in peer.held_back], trigger)
            self.traffic.parted(other, set(), self._now_ns, trigger)
            if peer.channel is not None:
                channels.append(peer.channel)
        self._plucks.lose(other, trigger)
        self.free.pop(other, None)
        if channels or gone:
            self.tell(LinkReset(source=self.node_id, target=other, held_count=gone), trigger)
        for channel in channels:
            self._accepted.pop(channel, None)
            self._effects.append(link.Reset(channel))
        if peer is not None and peer.is_called:
            self._effects.append(link.Lost(other, is_soon=True))

    def _lose_queue(self, peer: Peer[AnyChannel], why: str) -> None:
        self.lose(Direction(self.node_id, peer.node_id), peer.queue, why)
        peer.queue.clear()

    def lose(self, way: Direction, frames: list[Frame], why: str) -> None:
        if not self.is_silent:
            self.traffic.lost(way.source, way.target, frames, self._now_ns, why)

    def _waiting(self) -> Iterator[tuple[NodeId, NodeId, list[Frame]]]:
        """Frames of each direction that wait here."""
        for node_id, peer in sorted(self._peers.items()):
            yield self.node_id, node_id, peer.held
            yield node_id, self.node_id, [frame for frame, _ in peer.held_back]
        yield from self._plucks.waiting()

    def wake(self, peer: NodeId, at_ns: int) -> None:
        """See at that time which plucked frames go on; 0 for never."""
        self._peer(peer).waits.pop(Wait.PLUCKED, None)
        if at_ns:
            self._set_timer(self._peer(peer), Wait.PLUCKED, at_ns - self._now_ns)

    def _note_held(self, peer: Peer[AnyChannel], way: Direction, frames: list[Frame], wait: Wait) -> None:
        is_cut = way in self._rules.cuts
        for frame in frames:
            self.traffic.held(way.source, way.target, frame, "the link is cut" if is_cut else "its kind is withheld")
        if wait not in peer.waits if is_cut else not peer.held_there:
            kind = type(frames[0].message).__name__
            held = FramesHeld(source=way.source, target=way.target, message=kind)
            self.tell(held, f"{'cut' if is_cut else 'withhold'} {way.source}>{way.target}")
        if is_cut:
            self._set_timer(peer, wait, self._patience_ns)

    def _tell_released(self, way: Direction, count: int) -> None:
        if count:
            self.tell(FramesReleased(source=way.source, target=way.target, count=count), "healed")

    def tell(self, event: Event, trigger: str) -> None:
        """Write an event of this process."""
        self._effects.append(link.Tell(event, trigger))

    def _set_timer(self, peer: Peer[AnyChannel], wait: Wait, delay_ns: int) -> None:
        """Unless it is set already."""
        if wait not in peer.waits:
            self._count += 1
            peer.waits[wait] = self._count
            self._effects.append(link.SetTimer(delay_ns, Timer(peer.node_id, wait, self._count)))
