"""Faults of the network as rules on directions of links. Both ends apply cuts; the sender delays and slows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from cluster.model.identifiers import NodeId

BURST_BYTES = 64 << 10
"""What a slow link takes at once before its rate counts."""


class Direction(NamedTuple):
    """One way of one link."""

    source: NodeId
    """Sender."""
    target: NodeId
    """Receiver."""


class Delay(NamedTuple):
    """How late frames leave; their order is kept."""

    delay_ms: int
    """Least."""
    jitter_ms: int
    """Largest extra, drawn for each frame."""


class LinkRules:
    """Everything in force at one moment."""

    __slots__ = ("cuts", "delays", "rates")

    def __init__(self, faults: Iterable[Mapping[str, Any]] = ()) -> None:
        self.cuts: set[Direction] = set()
        """Directions that hold frames."""
        self.delays: dict[Direction, Delay] = {}
        """Delays of several faults add up."""
        self.rates: dict[Direction, int] = {}
        """Bytes per second; the slowest of several faults."""
        for fault in faults:
            self._add(fault)

    def _add(self, fault: Mapping[str, Any]) -> None:
        way = Direction(int(fault["source"]), int(fault["target"]))
        match fault["kind"]:
            case "cut":
                self.cuts.add(way)
            case "delay":
                before = self.delays.get(way, Delay(0, 0))
                jitter_ms = before.jitter_ms + int(fault.get("jitter_ms", 0))
                self.delays[way] = Delay(before.delay_ms + int(fault["delay_ms"]), jitter_ms)
            case "slow":
                rate = max(1, int(fault["bytes_per_second"]))
                self.rates[way] = min(rate, self.rates.get(way, rate))
            case kind:
                raise ValueError(f"unknown link fault {kind}")

    def is_cut(self, one: NodeId, other: NodeId) -> bool:
        """Whether either way is cut: a connection cannot be made."""
        return Direction(one, other) in self.cuts or Direction(other, one) in self.cuts

    def shapes(self, way: Direction) -> bool:
        """Whether frames of this way leave late."""
        return way in self.delays or way in self.rates


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
        self._last_s = max(self._last_s, leave_s)
        return self._last_s
