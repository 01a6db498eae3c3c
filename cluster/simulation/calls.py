"""What an endpoint keeps of each peer, and what it needs of the process behind it."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol, TypeAlias

from cluster.faults.pace import Pace
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.simulation.kernel import Action
from cluster.simulation.network import Connection
from cluster.wire.frame import Frame


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
