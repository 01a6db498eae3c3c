"""What drives the link machine of one simulated process: the virtual clock, and a network without bytes."""

from __future__ import annotations

from typing import Any, Protocol, assert_never

from cluster.faults.effects_on_links import Direction, LinkRules
from cluster.links import vocabulary as link
from cluster.links.frame import Frame
from cluster.links.machine import LinkMachine
from cluster.links.traffic import Observe
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.simulation.world.kernel import NS_PER_MS, Action
from cluster.simulation.world.network import End, Network, Stillness, connect


class Party(Stillness, Protocol):
    """The process behind an endpoint."""

    def on_frame(self, frame: Frame) -> None:
        """A frame came in."""

    def on_lost(self, peer: NodeId) -> None:
        """A connection to that peer is gone or could not be made."""

    def tell(self, event: Event, trigger: str) -> None:
        """Write an event that stands beside the steps of the protocol."""

    def defer_timer(self, action: Action, argument: Any) -> None:
        """Do this once it goes on, after what arrived meanwhile."""


class Endpoint:
    """Sends and receives frames for one process.

    Nearly every frame goes a way with no rule, over a connection that is up: it takes the short way past the machine.
    """

    def __init__(
        self, network: Network, party: Party, node_id: NodeId, patience_ms: int, observe: Observe | None = None
    ) -> None:
        """`observe` is told of messages; None for nobody."""
        self.network = network
        self.party = party
        self.node_id = node_id
        self.is_gone = False
        """The process has ended."""
        self._kernel, self._patience_ns = network.kernel, patience_ms * NS_PER_MS
        self._links: LinkMachine[End] = LinkMachine(node_id, network.members, patience_ms, network.draw, observe)
        self.traffic = self._links.traffic
        """What it tells of messages."""
        self._rules = LinkRules()
        self._carry = network.carry if network.unkind is None else self._write

    def listen(self) -> None:
        """Accept connections from now on."""
        self.network.listening[self.node_id] = self

    def request(self, target: NodeId, frame: Frame) -> None:
        """Send a request, connecting first when need be. To itself or to strangers nothing is sent."""
        free = self._links.free
        if target in free:
            self.traffic.asked(target, frame, self._kernel.now_ns)
            self._carry(free[target], frame)
        else:
            self._do(link.RequestOut(target, frame))

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Send an answer over the connection its request came in on; without one it is gone."""
        links = self._links
        end = links.channel_back(target, frame.correlation)
        if end is None:
            return
        if links.is_silent or end.peer in links.ruled:
            self._do(link.AnswerOut(end, frame))
        else:
            self.traffic.left(end.peer, frame, self._kernel.now_ns)
            self._carry(end, frame)

    def arrive(self, arrival: tuple[End, Frame]) -> None:
        """A frame comes in, as soon as the process goes on."""
        end, frame = arrival
        links, party = self._links, self.party
        if not end.is_open or self.is_gone:
            return
        if party.is_still:
            party.defer(self.arrive, arrival)
            return
        if links.is_silent or end.peer in links.ruled_back:
            self._do(link.FramesIn(end, [frame]))
            return
        if not end.is_call:
            links.note_asked(end, frame)
        self.traffic.heard(end.peer, frame, self._kernel.now_ns)
        party.on_frame(frame)

    def apply(self, rules: LinkRules) -> None:
        """Put rules in force in place of those before."""
        self._rules = rules
        self._do(link.RulesChanged(rules))

    def silence(self) -> None:
        """Say and hear nothing more: the moment before power is lost."""
        self._do(link.Silenced())

    def reset(self, other: NodeId, trigger: str) -> None:
        """Reset every connection with another node."""
        self._do(link.ResetAsked(other, trigger))

    def leave(self) -> None:
        """The process has ended: whoever was connected sees it soon."""
        self.is_gone = True
        if self.network.listening.get(self.node_id) is self:
            del self.network.listening[self.node_id]
        for end in self._links.channels():
            self.network.part(end)
        self.network.refuse_waiting(self.node_id)

    def attempt(self, target: NodeId) -> int:
        """Number of the connection to that node that is being made; 0 for none."""
        return self._links.attempt(target)

    def on_closed(self, end: End) -> None:
        """A connection is gone."""
        self._do(link.Closed(end))

    def abandon(self, attempt: tuple[NodeId, int]) -> None:
        """A connection that is still being made will not come up."""
        if self.party.is_still:
            self.party.defer_timer(self.abandon, attempt)
        else:
            self._do(link.Refused(*attempt))

    def _do(self, happened: link.Input[End]) -> None:
        if self.is_gone:
            return
        kernel, party = self._kernel, self.party
        for effect in self._links.handle(happened, kernel.now_ns):
            match effect:
                case link.Write(channel=end, frame=frame):
                    self._write(end, frame)
                case link.Deliver(frames=frames):
                    for frame in frames:
                        party.on_frame(frame)
                case link.Lost(peer=peer, is_soon=True):
                    kernel.after(0, self._tell_lost, peer)
                case link.Lost(peer=peer):
                    party.on_lost(peer)
                case link.SetTimer(delay_ns=delay_ns, timer=timer):
                    kernel.after(delay_ns, self._on_timer, timer)
                case link.Connect(target=target, attempt=number):
                    kernel.after(self.network.connect_ns(), self._reach, (target, number))
                    kernel.after(self._patience_ns, self.abandon, (target, number))
                case link.Reset(channel=end):
                    self.network.reset(end)
                case link.Tell(event=event, trigger=trigger):
                    party.tell(event, trigger)
                case _:
                    assert_never(effect)

    def _write(self, end: End, frame: Frame) -> None:
        """Hand it over, on a way that may be unkind to it."""
        unkind = self.network.unkind or self._rules.unkind.get(Direction(self.node_id, end.peer))
        if unkind is None:
            self.network.carry(end, frame)
        elif not self.network.carry_unkindly(end, frame, unkind):
            self.traffic.lost(self.node_id, end.peer, [frame], self._kernel.now_ns, "the network dropped it")

    def _reach(self, attempt: tuple[NodeId, int]) -> None:
        """The handshake ends, as soon as neither end stands still; nobody listening refuses it."""
        target, number = attempt
        if self.is_gone or self._links.attempt(target) != number:
            return
        other: Endpoint | None = self.network.listening.get(target)
        if self.party.is_still:
            self.party.defer(self._reach, attempt)
        elif other is None:
            self._do(link.Refused(target, number))
        elif other.party.is_still:
            other.party.defer(self._reach, attempt)
        else:
            here, there = connect(self, other)
            other._do(link.Accepted(there))
            self._do(link.Connected(here, number))

    def _tell_lost(self, peer: NodeId) -> None:
        if self.is_gone:
            return
        if self.party.is_still:
            self.party.defer(self._tell_lost, peer)
        else:
            self.party.on_lost(peer)

    def _on_timer(self, timer: link.Timer) -> None:
        if self.party.is_still:
            self.party.defer_timer(self._on_timer, timer)
        else:
            self._do(link.TimerFired(timer))
