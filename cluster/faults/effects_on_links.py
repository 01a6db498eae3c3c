"""What link faults do to frames, in either world. Both ends of a link ask, so a paused end cannot let one through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, assert_never

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

from cluster.model.identifiers import NodeId

NEXT = -1
"""In place of the number of a message: the next one of its kind."""


class CutLink(Struct, frozen=True, kw_only=True):
    """Frames of one direction are held in order."""

    source: NodeId
    target: NodeId
    fault_id: int = 0
    """The fault it belongs to."""


class WithheldMessages(Struct, frozen=True, kw_only=True):
    """Frames of some kinds are held in one direction, in order; all others pass."""

    source: NodeId
    target: NodeId
    messages: tuple[str, ...]
    """Their names: VoteResponse."""
    fault_id: int = 0
    """The fault it belongs to."""


class PluckedMessage(Struct, frozen=True, kw_only=True):
    """One message of a direction has a fate of its own."""

    source: NodeId
    target: NodeId
    message: str
    """Its name: VoteResponse."""
    fate: str
    """drop, hold, pass or delay."""
    delay_ms: int = 0
    """How much later it goes on; 0 unless it is to be late."""
    number: int = NEXT
    """Its correlation; NEXT for the next one that is sent."""
    fault_id: int = 0
    """The fault it belongs to."""


class DelayedLink(Struct, frozen=True, kw_only=True):
    """Frames of one direction leave later."""

    source: NodeId
    target: NodeId
    delay_ms: int
    jitter_ms: int = 0
    """Largest further extra time (exclusive); the world draws."""
    fault_id: int = 0
    """The fault it belongs to."""


class LimitedLink(Struct, frozen=True, kw_only=True):
    """Frames of one direction share a rate."""

    source: NodeId
    target: NodeId
    bytes_per_second: int
    fault_id: int = 0
    """The fault it belongs to."""


class UnkindLink(Struct, frozen=True, kw_only=True):
    """Single messages of one direction vanish, come twice or come late; in a simulation alone."""

    source: NodeId
    target: NodeId
    lost: int = 0
    """Percent that vanish."""
    doubled: int = 0
    """Percent that arrive twice."""
    overtaken: int = 0
    """Percent that come late."""
    late_ms: int = 0
    """Latest that those come."""
    fault_id: int = 0
    """The fault it belongs to."""


LinkFault: TypeAlias = CutLink | WithheldMessages | PluckedMessage | DelayedLink | LimitedLink | UnkindLink


class Direction(NamedTuple):
    """One way of one link."""

    source: NodeId
    target: NodeId


class Delay(NamedTuple):
    """How late frames leave; their order is kept."""

    delay_ms: int
    jitter_ms: int
    """Largest extra (exclusive), drawn for each frame by the world."""


class Unkindness(NamedTuple):
    """What befalls single messages, as shares from 0 to 1."""

    loss: float
    duplicate: float
    reorder: float
    late_ms: tuple[int, int]
    """How late those are: least (inclusive) and largest (exclusive)."""


class LinkRules:
    """Everything in force at one moment: a cut wins, delays and shares add up, the lowest rate counts."""

    __slots__ = ("cuts", "delays", "plucks", "rates", "unkind", "withheld")

    def __init__(self, faults: Iterable[LinkFault] = ()) -> None:
        self.cuts: set[Direction] = set()
        """Directions that hold frames."""
        self.withheld: dict[Direction, frozenset[str]] = {}
        """Kinds of messages that are held though others pass."""
        self.plucks: dict[Direction, tuple[PluckedMessage, ...]] = {}
        """Single messages with a fate of their own, the oldest rule first."""
        self.delays: dict[Direction, Delay] = {}
        """Sums over all delays."""
        self.rates: dict[Direction, int] = {}
        """Bytes per second."""
        self.unkind: dict[Direction, Unkindness] = {}
        """What befalls single messages."""
        for fault in faults:
            self._add(Direction(fault.source, fault.target), fault)

    def _add(self, way: Direction, fault: LinkFault) -> None:
        match fault:
            case CutLink():
                self.cuts.add(way)
            case WithheldMessages():
                self.withheld[way] = self.withheld.get(way, frozenset()) | frozenset(fault.messages)
            case PluckedMessage():
                self.plucks[way] = (*self.plucks.get(way, ()), fault)
            case DelayedLink():
                before = self.delays.get(way, Delay(0, 0))
                self.delays[way] = Delay(before.delay_ms + fault.delay_ms, before.jitter_ms + fault.jitter_ms)
            case LimitedLink():
                self.rates[way] = min(fault.bytes_per_second, self.rates.get(way, fault.bytes_per_second))
            case UnkindLink():
                self._add_unkind(way, fault)
            case _:
                assert_never(fault)

    def _add_unkind(self, way: Direction, fault: UnkindLink) -> None:
        before = self.unkind.get(way, Unkindness(0.0, 0.0, 0.0, (1, 1)))
        self.unkind[way] = Unkindness(
            min(1.0, before.loss + fault.lost / 100),
            min(1.0, before.duplicate + fault.doubled / 100),
            min(1.0, before.reorder + fault.overtaken / 100),
            (1, max(before.late_ms[1], fault.late_ms)),
        )

    @property
    def shaped(self) -> set[Direction]:
        """Directions whose frames leave late."""
        return {*self.delays, *self.rates}

    @property
    def holding(self) -> set[Direction]:
        """Directions in which frames may be held."""
        return {*self.cuts, *self.withheld}

    def holds(self, way: Direction, message: object) -> bool:
        """Whether a frame with this message is held."""
        return way in self.cuts or type(message).__name__ in self.withheld.get(way, ())

    def is_cut(self, one: NodeId, other: NodeId) -> bool:
        """Whether either way is cut: a connection cannot be made."""
        return Direction(one, other) in self.cuts or Direction(other, one) in self.cuts

    def shapes(self, way: Direction) -> bool:
        """Whether frames of this way leave late."""
        return way in self.delays or way in self.rates


BY_NAME: dict[str, type[LinkFault]] = {
    "cut": CutLink, "withhold": WithheldMessages, "pluck": PluckedMessage, "delay": DelayedLink, "slow": LimitedLink,
    "unkind": UnkindLink,
}  # fmt: skip


def to_plain(fault: LinkFault) -> dict[str, Any]:
    """One link fault as JSON, for an order to a node."""
    kind = next(name for name, class_of_fault in BY_NAME.items() if isinstance(fault, class_of_fault))
    return {"kind": kind, **asdict(fault)}


def from_plain(plain: Mapping[str, Any]) -> LinkFault:
    """The link fault again. ValueError when it is none."""
    fields = dict(plain)
    kind = BY_NAME.get(fields.pop("kind", ""))
    if kind is None:
        raise ValueError(f"unknown link fault {plain.get('kind')}")
    try:
        return convert(fields, kind)
    except ValidationError as error:
        raise ValueError(f"not a link fault: {error}") from error
