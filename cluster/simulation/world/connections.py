"""Connections between simulated processes, what an end of one keeps of each peer, and what is behind it."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol, TypeAlias

from cluster.links.frame import Frame
from cluster.links.pace import Pace
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.simulation.world.kernel import Action


class Party(Protocol):
    """The process behind an endpoint."""

    is_still: bool
    """Whether no instruction of it runs now."""

    def on_frame(self, frame: Frame) -> None:
        """A frame came in."""

    def on_lost(self, peer: NodeId) -> None:
        """A connection to that peer is gone or could not be made."""

    def tell(self, event: Event, trigger: str) -> None:
        """Write an event that stands beside the steps of the protocol."""

    def defer(self, action: Action, argument: Any) -> None:
        """Something arrived while it stands still: do this first once it goes on."""

    def defer_timer(self, action: Action, argument: Any) -> None:
        """Do this once it goes on, after what arrived meanwhile."""


class Connection:
    """One connection: requests go from the caller to the acceptor, their answers back."""

    __slots__ = ("acceptor", "caller", "is_open", "last_back_ns", "last_there_ns")

    def __init__(self, caller: End, acceptor: End) -> None:
        self.caller = caller
        """Who made it."""
        self.acceptor = acceptor
        """Who was called."""
        self.is_open = True
        """Whether what is on its way will arrive."""
        self.last_there_ns = 0
        """When the last frame to the acceptor arrives."""
        self.last_back_ns = 0
        """When the last frame to the caller arrives."""

    def other(self, end: End) -> End:
        """The other end."""
        return self.acceptor if end is self.caller else self.caller

    def reach_acceptor(self, frame: Frame) -> None:
        """A frame arrives where the call went."""
        acceptor = self.acceptor
        if not self.is_open or acceptor.is_gone:
            return
        if acceptor.party.is_still:
            acceptor.party.defer(self.reach_acceptor, frame)
        else:
            acceptor.arrive(self, frame)

    def reach_caller(self, frame: Frame) -> None:
        """A frame arrives where the call came from."""
        caller = self.caller
        if not self.is_open or caller.is_gone:
            return
        if caller.party.is_still:
            caller.party.defer(self.reach_caller, frame)
        else:
            caller.arrive(self, frame)

    def hang_up(self, survivor: End) -> None:
        """The survivor sees that the other end is gone."""
        if not self.is_open or survivor.is_gone:
            return
        if survivor.party.is_still:
            survivor.party.defer(self.hang_up, survivor)
        else:
            self.is_open = False
            survivor.on_closed(self)

    def tell_reset(self, end: End) -> None:
        """The other end has reset it: what was on its way is gone already."""
        if end.is_gone:
            return
        if end.party.is_still:
            end.party.defer(self.tell_reset, end)
        else:
            end.on_closed(self)


class Call:
    """The outgoing side to one node."""

    __slots__ = ("connection", "generation", "is_connecting", "not_before_ns", "queue")

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.is_connecting = False
        self.generation = 0
        self.queue: list[Frame] = []
        self.not_before_ns = 0


Attempt: TypeAlias = tuple[NodeId, Call, int]
"""A target, the call to it, and the generation the attempt belongs to."""


class End(Protocol):
    """One end of connections, as the network sees it."""

    node_id: NodeId
    """Whose it is."""
    party: Party
    """The process behind it."""
    calls: dict[NodeId, Call]
    """To the peers it has asked something."""
    is_gone: bool
    """The process has ended."""

    def take(self, via: Connection) -> None:
        """Accept a connection."""

    def arrive(self, via: Connection, frame: Frame) -> None:
        """A frame came in."""

    def on_closed(self, via: Connection) -> None:
        """A connection is gone."""

    def abandon(self, attempt: Attempt) -> None:
        """A connection that is still being made will not come up."""


class Outgoing:
    """Frames to one node that do not leave at once."""

    __slots__ = ("held", "is_waiting", "late", "pace")

    def __init__(self) -> None:
        self.held: list[tuple[Frame, Connection | None]] = []
        """Held by a cut; None means over the outgoing connection."""
        self.late: deque[tuple[int, Frame, Connection | None]] = deque()
        """Delayed or slowed, with the time at which each leaves."""
        self.pace = Pace()
        self.is_waiting = False
