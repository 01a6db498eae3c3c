"""What the link machine of a process knows of one peer: the connection to it, and the frames that wait."""

from __future__ import annotations

from collections import deque
from typing import Generic

from cluster.links.frame import Frame
from cluster.links.pace import Pace
from cluster.links.vocabulary import AnyChannel, Wait
from cluster.model.identifiers import NodeId


class Peer(Generic[AnyChannel]):
    """What is known of one peer."""

    __slots__ = (
        "attempt",
        "channel",
        "held_back",
        "held_there",
        "is_called",
        "late",
        "node_id",
        "not_before_ns",
        "pace",
        "queue",
        "waits",
    )

    def __init__(self, node_id: NodeId) -> None:
        self.node_id = node_id
        self.channel: AnyChannel | None = None
        """The connection to it, once it is up."""
        self.attempt = 0
        """Number of the connection that is being made; 0 for none."""
        self.is_called = False
        """Whether a request was ever to leave at once or over a new connection."""
        self.queue: list[Frame] = []
        """Requests that wait for the connection."""
        self.not_before_ns = 0
        """Until then requests are lost, because it has just refused."""
        self.held_there: list[tuple[Frame, AnyChannel | None]] = []
        """Frames to it, held by a cut; None means over the connection to it."""
        self.held_back: list[tuple[Frame, AnyChannel]] = []
        """Frames from it, held by a cut."""
        self.late: deque[tuple[int, Frame, AnyChannel | None]] = deque()
        """Frames to it that are delayed or slowed, with the time at which each leaves."""
        self.pace = Pace()
        self.waits: dict[Wait, int] = {}
        """Number of each timer that is set."""

    @property
    def held(self) -> list[Frame]:
        """Frames to it that wait for a cut to heal, for their time on a slow way, or for a connection."""
        return [frame for frame, _ in self.held_there] + [frame for _, frame, _ in self.late] + self.queue
