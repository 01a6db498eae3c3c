"""What the link machine of a process knows of one peer: the connection to it, and the frames that wait."""

from __future__ import annotations

from collections import deque
from typing import Generic

from cluster.faults.effects_on_links import Delay, Direction
from cluster.links.frame import Frame
from cluster.links.vocabulary import AnyChannel, Wait
from cluster.model.identifiers import NodeId

BURST_BYTES = 64 << 10
"""What a slow link takes at once before its rate counts."""


class Pace:
    """When the next frame of one direction may leave: a token bucket, a delay, and never before the frame ahead."""

    __slots__ = ("_filled_s", "_last_s", "_tokens")

    def __init__(self) -> None:
        self._last_s = 0.0
        self._filled_s = 0.0
        self._tokens = float(BURST_BYTES)

    def leave_at(self, now_s: float, size: int, delay: Delay | None, rate: int | None, draw: float) -> float:
        """Loop time in seconds; draw is in [0, 1)."""
        leave_s = max(now_s, self._last_s) if rate else now_s
        if rate:
            self._tokens = min(float(BURST_BYTES), self._tokens + (leave_s - self._filled_s) * rate)
            self._filled_s = leave_s
            self._tokens -= size
            if self._tokens < 0:
                leave_s += -self._tokens / rate
                self._tokens, self._filled_s = 0.0, leave_s
        if delay is not None:
            leave_s += (delay.delay_ms + draw * delay.jitter_ms) / 1000
        # A jitter may be drawn smaller than that of the frame ahead. But a slow way does not reorder: between our
        # processes runs TCP, so the frame waits its turn. Else what a delay breaks might be broken by an order that no
        # process ever sees. Messages that overtake each other are a fault of their own (`Unkindness`).
        self._last_s = max(self._last_s, leave_s)
        return self._last_s


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

    def held_for(self, way: Direction) -> list[tuple[Frame, AnyChannel | None]]:
        """Frames of one way that a rule holds or has late, and where they go or came in."""
        if way.target == self.node_id:
            return [*self.held_there, *((frame, channel) for _, frame, channel in self.late)]
        return [*self.held_back] if way.source == self.node_id else []

    def drop(self, frame: Frame) -> None:
        """It waits here no more."""
        self.held_there = [item for item in self.held_there if item[0] is not frame]
        self.held_back = [item for item in self.held_back if item[0] is not frame]
        self.late = deque(item for item in self.late if item[1] is not frame)
