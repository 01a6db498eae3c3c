"""Faults that only a simulated world can do: to single messages, to clocks, and between two instructions."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from cluster.faults.names import NodeName

REORDER_MS = 200
"""Latest that an overtaken message comes, unless the command says otherwise."""
CRASH_PLACES = ("vote", "append", "flush", "rename", "send")
"""quorum-state is written, a batch is written, an fsync is done, a file takes another's place, frames leave."""
CRASH_POINTS = tuple(f"{side} {place}" for place in CRASH_PLACES for side in ("before", "after"))


class LoseMessages(Struct, frozen=True):
    """Single messages vanish. No TCP connection does that."""

    link: tuple[NodeName, ...]
    """Sender and receiver; empty for everybody, the clients too."""
    both_ways: bool
    """Whether the other direction is meant as well."""
    percent: int
    """Share of the messages, 1 to 100."""


class DuplicateMessages(Struct, frozen=True):
    """Single messages arrive twice. No TCP connection does that."""

    link: tuple[NodeName, ...]
    """Sender and receiver; empty for everybody, the clients too."""
    both_ways: bool
    """Whether the other direction is meant as well."""
    percent: int
    """Share of the messages, 1 to 100."""


class ReorderMessages(Struct, frozen=True):
    """Single messages come late and are overtaken by those behind them. No TCP connection does that."""

    link: tuple[NodeName, ...]
    """Sender and receiver; empty for everybody, the clients too."""
    both_ways: bool
    """Whether the other direction is meant as well."""
    percent: int
    """Share of the messages, 1 to 100."""
    late_ms: int = REORDER_MS
    """Latest that such a message comes."""


class SkewClock(Struct, frozen=True):
    """A node's wall clock is off. Its timers go by the monotonic clock and do not notice."""

    node: NodeName
    """Whose clock."""
    offset_ms: int
    """Fast when positive."""


class DriftClock(Struct, frozen=True):
    """A node's clocks run too fast or too slow, the monotonic one too: every timer comes early or late."""

    node: NodeName
    """Whose clocks."""
    percent: int
    """Fast when positive; -50 to 100."""


class ClockOk(Struct, frozen=True):
    """A node's clocks are right again; its monotonic clock goes on from where it is."""

    node: NodeName
    """Whose clocks."""


class CrashPoint(Struct, frozen=True):
    """A process dies at a named place of its own code, the next time it comes there."""

    node: NodeName
    """Which node."""
    point: str
    """One of CRASH_POINTS."""


UnkindCommand: TypeAlias = LoseMessages | DuplicateMessages | ReorderMessages
ClockCommand: TypeAlias = SkewClock | DriftClock
SimulatedCommand: TypeAlias = UnkindCommand | ClockCommand | ClockOk | CrashPoint
ONLY_SIMULATED: dict[type, str] = {
    LoseMessages: "TCP delivers late or resets, but never loses one message of a connection that lives on",
    DuplicateMessages: "TCP never delivers a message twice",
    ReorderMessages: "TCP never lets a message overtake another of its connection",
    SkewClock: "processes of one machine share its clock",
    DriftClock: "processes of one machine share its clock",
    ClockOk: "processes of one machine share its clock",
    CrashPoint: "real processes can only be killed from outside; when EVENT then kill N comes close",
}
"""Why real processes cannot do it."""
