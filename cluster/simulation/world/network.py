"""The network between simulated processes: frames arrive in order, late by a latency, or not at all once one is broken.

Messages are handed over as they are, never encoded: nobody changes a message once it is made.
"""

from __future__ import annotations

from typing import Any, Protocol

from cluster.cluster_spec import Options, Range
from cluster.faults.effects_on_links import Direction, Unkindness
from cluster.links.frame import Frame
from cluster.model.identifiers import NodeId
from cluster.simulation.world.kernel import NS_PER_MS, Action, Kernel

NS_PER_US = 1_000


class Stillness(Protocol):
    """Who may stand still while time goes on."""

    is_still: bool
    """Whether no instruction of it runs now."""

    def defer(self, action: Action, argument: Any) -> None:
        """Something arrived while it stands still: do this first once it goes on."""


class Owner(Protocol):
    """Whose ends they are: one process, as the network sees it."""

    node_id: NodeId
    is_gone: bool
    """The process has ended."""

    @property
    def party(self) -> Stillness:
        """The process itself."""

    def attempt(self, target: NodeId) -> int:
        """Number of the connection to that node that is being made; 0 for none."""

    def arrive(self, arrival: tuple[End, Frame]) -> None:
        """A frame comes in at one of them, as soon as the process goes on."""

    def on_closed(self, end: End) -> None:
        """A connection is gone."""

    def abandon(self, attempt: tuple[NodeId, int]) -> None:
        """The connection to that node that has this number will not come up."""


class End:
    """One end of a connection. Implements Channel of the link machine."""

    __slots__ = ("is_call", "is_open", "last_ns", "other", "owner", "peer")

    def __init__(self, owner: Owner, peer: NodeId, *, is_call: bool) -> None:
        self.owner, self.peer, self.is_call = owner, peer, is_call
        self.is_open = True
        """Whether what is on its way will arrive; the same at both ends."""
        self.last_ns = 0
        """When the last frame to this end arrives."""
        self.other: End

    def close(self) -> None:
        """What is on its way is gone."""
        self.is_open = self.other.is_open = False

    def hang_up(self, _nothing: None) -> None:
        """The process at the other end has ended."""
        if not self.is_open or self.owner.is_gone:
            return
        if self.owner.party.is_still:
            self.owner.party.defer(self.hang_up, None)
        else:
            self.close()
            self.owner.on_closed(self)

    def tell_reset(self, _nothing: None) -> None:
        """The other end has reset it: what was on its way is gone already."""
        if self.owner.is_gone:
            return
        if self.owner.party.is_still:
            self.owner.party.defer(self.tell_reset, None)
        else:
            self.owner.on_closed(self)


def connect(caller: Owner, acceptor: Owner) -> tuple[End, End]:
    """Both ends of a new connection, the caller's first."""
    here = End(caller, acceptor.node_id, is_call=True)
    there = End(acceptor, caller.node_id, is_call=False)
    here.other, there.other = there, here
    return here, there


class Network:
    """Knows who listens, and how long things take."""

    __slots__ = ("_connect", "_hang_up", "_latency", "draw", "kernel", "listening", "members", "options", "unkind")

    def __init__(self, kernel: Kernel, options: Options, members: tuple[NodeId, ...]) -> None:
        self.kernel = kernel
        """The clock."""
        self.options = options
        """How long, how unkind."""
        self.members = frozenset(members)
        """Who can be called at all."""
        self.listening: dict[NodeId, Any] = {}
        """Endpoints of nodes that accept connections, and of the clients, which only make them."""
        self.draw = kernel.stream("network").random
        """Chance, in [0, 1)."""
        self._latency = _nanoseconds(options.latency_us)
        self._connect = _nanoseconds(options.connect_us)
        self._hang_up = _nanoseconds(options.hang_up_us)
        self.unkind: Unkindness | None = None
        """What befalls every message of the run, whatever rules say; None for nothing."""
        if options.is_unkind:
            self.unkind = Unkindness(options.loss, options.duplicate, options.reorder, options.reorder_ms)

    def carry(self, end: End, frame: Frame) -> None:
        """Let a frame that is written to this end arrive at the other, after those before it."""
        least, spread = self._latency
        kernel, other = self.kernel, end.other
        arrive_ns = kernel.now_ns + least + int(self.draw() * spread)
        # Each latency is drawn by itself; frames of one connection stay in order, as in `Pace.leave_at`.
        if arrive_ns <= other.last_ns:
            arrive_ns = other.last_ns + 1
        other.last_ns = arrive_ns
        kernel.at(arrive_ns, other.owner.arrive, (other, frame))

    def carry_unkindly(self, end: End, frame: Frame, unkind: Unkindness) -> bool:
        """Lose a frame, repeat it, or let those behind it overtake it; False when it is lost."""
        draw = self.draw
        if draw() < unkind.loss:
            return False
        for _ in range(2 if draw() < unkind.duplicate else 1):
            if draw() < unkind.reorder:
                low, high = unkind.late_ms
                late_ns, other = int((low + draw() * (high - low)) * NS_PER_MS), end.other
                self.kernel.after(late_ns, other.owner.arrive, (other, frame))
            else:
                self.carry(end, frame)
        return True

    def carries(self, way: Direction, message: str, number: int) -> bool:
        """Whether a frame of this kind and number is on its way."""
        for arrival in self.kernel.pending():
            match arrival:
                case (End() as end, Frame() as frame) if (end.peer, end.owner.node_id) == way and end.is_open:
                    if frame.correlation == number and type(frame.message).__name__ == message:
                        return True
        return False

    def connect_ns(self) -> int:
        """How long a handshake takes."""
        least, spread = self._connect
        return least + int(self.draw() * spread)

    def reset(self, end: End) -> None:
        """Break a connection; the other end is told one way later."""
        if end.is_open:
            end.close()
            least, spread = self._latency
            self.kernel.after(least + int(self.draw() * spread), end.other.tell_reset, None)

    def part(self, end: End) -> None:
        """The process of this end has ended: the other sees it a little later, after what was on its way to it."""
        if end.is_open:
            least, spread = self._hang_up
            # After its last words: what a process has written before it ends is in the system's buffers, and arrives.
            # Were the connection closed first, nobody would ever hear a leader resign that stops in order.
            seen_ns = self.kernel.now_ns + least + int(self.draw() * spread)
            self.kernel.at(max(seen_ns, end.other.last_ns + 1), end.other.hang_up, None)

    def refuse_waiting(self, gone: NodeId) -> None:
        """Calls that were on their way to a process that has ended fail."""
        least, spread = self._hang_up
        for _, caller in sorted(self.listening.items()):
            attempt = caller.attempt(gone)
            if attempt:
                self.kernel.after(least + int(self.draw() * spread), caller.abandon, (gone, attempt))


def _nanoseconds(wanted: Range) -> tuple[int, int]:
    least, most = wanted
    return least * NS_PER_US, max(0, most - least) * NS_PER_US
