"""What link faults do to one frame. Both ends of a link ask, so a paused end cannot let one through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from cluster.model.identifiers import NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class CutLink:
    """Frames of one direction are held in order."""

    source: NodeId
    """Sender."""
    target: NodeId
    """Receiver."""
    fault_id: int = 0
    """The fault it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedLink:
    """Frames of one direction leave later."""

    source: NodeId
    """Sender."""
    target: NodeId
    """Receiver."""
    delay_ms: int
    """Least extra time."""
    jitter_ms: int = 0
    """Largest further extra time (exclusive); the world draws."""
    fault_id: int = 0
    """The fault it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedLink:
    """Frames of one direction share a rate."""

    source: NodeId
    """Sender."""
    target: NodeId
    """Receiver."""
    bytes_per_second: int
    """The rate."""
    fault_id: int = 0
    """The fault it belongs to."""


LinkFault: TypeAlias = CutLink | DelayedLink | LimitedLink


@dataclass(frozen=True, slots=True)
class Deliver:
    """Let it through, not earlier than the delay and not faster than the rate."""

    delay_ms: int = 0
    """Sum over all delays."""
    jitter_ms: int = 0
    """Sum over all jitters (exclusive)."""
    bytes_per_second: int = 0
    """The lowest rate; 0 is no limit."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Keep it, in order, until the fault is healed or the connection is given up."""

    because: CutLink
    """The first fault that holds it."""


def judge(faults: Iterable[LinkFault], source: NodeId, target: NodeId) -> Deliver | Hold:
    """The fate of one frame from source to target: a cut wins; delays add up; the lowest rate counts."""
    delay_ms = jitter_ms = rate = 0
    for fault in faults:
        if (fault.source, fault.target) != (source, target):
            continue
        match fault:
            case CutLink():
                return Hold(fault)
            case DelayedLink():
                delay_ms += fault.delay_ms
                jitter_ms += fault.jitter_ms
            case LimitedLink():
                rate = min(rate, fault.bytes_per_second) if rate else fault.bytes_per_second
            case _:
                assert_never(fault)
    return Deliver(delay_ms, jitter_ms, rate)
