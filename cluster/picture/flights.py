"""Messages between nodes: those on their way and those that ended lately. Folded from net.message and net.traffic.

    state.flights.on_link(1, 2)         flights from 1 to 2, oldest first; also those that ended lately
    state.flights.rate(1, 2)            messages a second from 1 to 2
    state.flights.rates(1, 2)           the same by kind
    state.flights.shown(now_ns)         flights of all links that are to be drawn at that time
    state.flights.held(1, 2)            messages that the link keeps back: .messages, .oldest_ms
    state.flights.unanswered(1, 2)      requests of 1 to 2 without an answer: .messages, .oldest_ms
    flight.position(now_ns)             0.0 at the sender to 1.0 at the receiver; where it stays when lost or held
    flight.is_shown(now_ns)             whether it is to be drawn now

All times are on the run's clock, as `state.t_ns`. What came in is told once in a quarter of a second: who draws a
living cluster draws the time a little before now (`SCREEN_LAG_NS`), so that each flight is known when it begins. Every
flight has an event behind it, `flight.told_by`; of frequent messages only some are told (`flight.is_sample`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from cluster.model.entry import Entry, EventId
from cluster.model.events import MessageSeen, TrafficSeen
from cluster.model.events.network import DELIVERED, HELD, LEFT
from cluster.model.identifiers import NodeId
from cluster.picture.part import Part

FLIGHTS_MAX = 40
"""Kept for each direction of a link, the newest."""
WINDOWS_MAX = 8
"""Counts kept for each direction of a link, the newest."""
RATE_NS = 1_000_000_000
"""A rate is that of the last second."""
STALE_NS = 3_000_000_000
"""A count that is so much older than the newest one of any node says nothing of now."""
SCREEN_LAG_NS = 300_000_000
SHOWN_NS = 250_000_000
"""A message is on the screen for so long at least, however fast it is."""
TRAIL_NS = 150_000_000
"""How long the trail of one that arrived stays."""
LOST_AT, HELD_AT, UNKNOWN_AT = 0.6, 0.5, 0.9
"""How far a message gets that is lost, that is held, or whose end is not known."""


class Flight(NamedTuple):
    """One message on its way, or at the end of it."""

    source: NodeId
    target: NodeId
    message: str
    """Kind: VoteRequest, FetchResponse, ..."""
    is_answer: bool
    fate: str
    """left, held, delivered, lost or unanswered."""
    left_ns: int
    ended_ns: int
    """0 while it is on its way or held."""
    told_by: EventId
    """The newest event about it."""
    correlation: int = 0
    """0 for a sample."""
    why: str = ""
    """Why it is held or lost."""
    topic: str = ""
    """Of the partition it is about; empty for none."""
    partition: int = -1
    numbers: tuple[tuple[str, int], ...] = ()
    """epoch, offset, granted, ..."""
    is_sample: bool = False
    """One of several of its kind; the others are only counted."""

    def number(self, name: str, default: int = -1) -> int:
        """One of the numbers that label it."""
        return dict(self.numbers).get(name, default)

    def same(self, other: Flight) -> bool:
        """Whether both are about one message; a request that is sent again has the number of the first one."""
        mine = self.message, self.correlation, self.left_ns
        return mine == (other.message, other.correlation, other.left_ns)

    @property
    def is_lost(self) -> bool:
        """Whether it, or the answer to it, will not arrive."""
        return self.fate not in (LEFT, HELD, DELIVERED)

    def position(self, now_ns: int) -> float:
        """How far it is at that time, from 0.0 to 1.0; a message that takes less than SHOWN_NS is drawn slower."""
        took_ns = max(SHOWN_NS, self.ended_ns - self.left_ns)
        far = min(1.0, max(0.0, (now_ns - self.left_ns) / took_ns))
        if self.is_lost:
            return min(far, LOST_AT)
        return far if self.fate == DELIVERED else min(far, HELD_AT if self.fate == HELD else UNKNOWN_AT)

    def is_shown(self, now_ns: int, shown_ns: int = SHOWN_NS) -> bool:
        """Whether it is on its way at that time, or its trail still stands."""
        if now_ns < self.left_ns:
            return False
        return not self.ended_ns or now_ns <= max(self.ended_ns, self.left_ns + shown_ns) + TRAIL_NS


class Waiting(NamedTuple):
    """How many messages wait, and for how long, when that was told."""

    messages: int
    oldest_ms: int


class Window(NamedTuple):
    """What came over one direction in a while."""

    since_ns: int
    until_ns: int
    """Exclusive."""
    counts: tuple[tuple[str, int, int], ...]
    """(kind, messages, bytes of records)."""


Way: TypeAlias = tuple[NodeId, NodeId]


@dataclass(slots=True)
class Flights(Part):
    """Messages of all links. Bounded: for each direction the newest flights and the newest counts."""

    flights: dict[Way, tuple[Flight, ...]] = field(default_factory=dict)
    windows: dict[Way, tuple[Window, ...]] = field(default_factory=dict)
    held_by: dict[NodeId, dict[Way, Waiting]] = field(default_factory=dict)
    """What each node said that it holds."""
    unanswered_by: dict[NodeId, dict[NodeId, Waiting]] = field(default_factory=dict)
    """What each node said that it waits for."""
    newest_ns: int = 0
    """Where the newest count of any node ended."""

    def on_link(self, source: NodeId, target: NodeId) -> tuple[Flight, ...]:
        """Flights of one direction, in the order in which they were told."""
        return self.flights.get((source, target), ())

    def shown(self, now_ns: int, shown_ns: int = SHOWN_NS) -> list[Flight]:
        """All that are to be drawn at that time, in the order in which they left."""
        begun_ns = now_ns - TRAIL_NS
        near = [
            flight
            for way in self.flights.values()
            for flight in way  # of all that are kept, long ago or not: what certainly is over is not asked
            if not 0 < flight.ended_ns < begun_ns or flight.left_ns >= begun_ns - shown_ns
        ]
        flights = [flight for flight in near if flight.is_shown(now_ns, shown_ns)]
        return sorted(flights, key=lambda flight: (flight.left_ns, flight.told_by))

    def rate(self, source: NodeId, target: NodeId) -> float:
        """Messages a second of one direction, lately."""
        return sum(self.rates(source, target).values())

    def rates(self, source: NodeId, target: NodeId) -> dict[str, float]:
        """Messages a second of one direction, lately, by kind."""
        windows = self.windows.get((source, target), ())
        if not windows or windows[-1].until_ns < self.newest_ns - STALE_NS:
            return {}
        recent = [window for window in windows if window.until_ns > windows[-1].until_ns - RATE_NS]
        seconds = max(1, windows[-1].until_ns - recent[0].since_ns) / RATE_NS
        rates: dict[str, float] = {}
        for window in recent:
            for kind, count, _ in window.counts:
                rates[kind] = rates.get(kind, 0.0) + count / seconds
        return rates

    def held(self, source: NodeId, target: NodeId) -> Waiting:
        """Messages that one direction keeps back, at either end."""
        links = [ways[source, target] for ways in self.held_by.values() if (source, target) in ways]
        return Waiting(sum(item.messages for item in links), max((item.oldest_ms for item in links), default=0))

    def unanswered(self, source: NodeId, target: NodeId) -> Waiting:
        """Requests of source that target has not answered."""
        return self.unanswered_by.get(source, {}).get(target, Waiting(0, 0))

    def message_seen(self, entry: Entry, event: MessageSeen) -> None:
        """Add a flight, or tell what became of one."""
        flight = Flight(
            event.source, event.target, event.message, event.is_answer, event.fate, event.left_ns, event.ended_ns,
            entry.id, event.correlation, event.why, event.topic, event.partition, event.numbers,
        )  # fmt: skip
        flights = self.flights.get((event.source, event.target), ())
        for place in reversed(range(len(flights))):
            if flights[place].same(flight):
                if flights[place].fate != DELIVERED:
                    self.flights[event.source, event.target] = (*flights[:place], flight, *flights[place + 1 :])
                return
        self._add(flight)

    def _add(self, flight: Flight) -> None:
        way = flight.source, flight.target
        self.flights[way] = (*self.flights.get(way, ()), flight)[-FLIGHTS_MAX:]

    def traffic_seen(self, entry: Entry, event: TrafficSeen) -> None:
        """Add the samples as flights, and the counts."""
        target, counts = entry.node, dict[NodeId, list[tuple[str, int, int]]]()
        for source, kind, count, size, left_ns, delivered_ns, topic, partition, numbers in event.heard:
            counts.setdefault(source, []).append((kind, count, size))
            self._arrived((source, target), kind, left_ns, delivered_ns, entry.id)
            if left_ns and not self._is_told((source, target), kind, left_ns, event.since_ns):
                about = topic, partition, numbers
                is_answer = kind.endswith("Response")
                self._add(Flight(source, target, kind, is_answer, DELIVERED, left_ns, delivered_ns, entry.id, 0, "",
                                 *about, is_sample=count > 1))  # fmt: skip
        for source in {*counts, *(source for source, other in self.windows if other == target)}:
            window = Window(event.since_ns, event.until_ns, tuple(counts.get(source, ())))
            self.windows[source, target] = (*self.windows.get((source, target), ()), window)[-WINDOWS_MAX:]
        self.held_by[target] = {(source, other): Waiting(*waits) for source, other, *waits in event.held}
        self.unanswered_by[target] = {other: Waiting(*waits) for other, *waits in event.unanswered}
        self.newest_ns = max(self.newest_ns, event.until_ns)

    def _arrived(self, way: Way, kind: str, left_ns: int, ended_ns: int, told_by: EventId) -> None:
        """A message that was told only when it left. What left before it has arrived too, when nobody tells: a link
        keeps the order of its messages."""
        flights, kept = self.flights.get(way, ()), list[Flight]()
        if LEFT not in [flight.fate for flight in flights]:
            return
        for flight in flights:
            if flight.fate != LEFT or flight.left_ns > left_ns:
                kept.append(flight)
            elif (flight.left_ns, flight.message) == (left_ns, kind):
                kept.append(flight._replace(fate=DELIVERED, ended_ns=ended_ns, told_by=told_by))
        self.flights[way] = tuple(kept)

    def _is_told(self, way: Way, kind: str, left_ns: int, since_ns: int) -> bool:
        """Whether a message that was counted after since_ns was told singly, too."""
        for flight in reversed(self.flights.get(way, ())):
            if flight.left_ns == left_ns and flight.message == kind:
                return True
            if 0 < flight.ended_ns < since_ns:
                return False
        return False

    def node_ended(self, node: NodeId) -> None:
        """What it counted says nothing of now, and of what was on its way from it or to it nobody may ever tell."""
        self.flights = {
            way: tuple(flight for flight in flights if flight.fate != LEFT) if node in way else flights
            for way, flights in self.flights.items()
        }
        self.windows = {way: windows for way, windows in self.windows.items() if node not in way}
        self.held_by.pop(node, None)
        self.unanswered_by.pop(node, None)
