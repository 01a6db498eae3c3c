"""Single messages that are taken out of their stream: which of them, what becomes of them, which are kept apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product
from typing import Generic, NamedTuple, Protocol, TypeVar

from cluster.faults.effects_on_links import NEXT, Direction, LinkRules, PluckedMessage
from cluster.links.frame import Frame
from cluster.links.numbers import about, numbers_of
from cluster.links.peer import Peer
from cluster.links.traffic import Traffic
from cluster.links.vocabulary import AnyChannel, Channel
from cluster.model.events import Event, MessagePlucked
from cluster.model.events.lab import DROP, PASS
from cluster.model.identifiers import NodeId

Via = TypeVar("Via", bound=Channel, contravariant=True)
WHY = "it was plucked"
NS_PER_MS = 1_000_000


class Links(Protocol[Via]):
    """What becomes of a message is done by the links of its process."""

    node_id: NodeId
    traffic: Traffic

    def leave(self, way: Direction, frame: Frame, channel: Via | None, *, heeds: bool = True) -> None:
        """Let it leave; unless it heeds, whatever rule is in force."""

    def deliver(self, peer: NodeId, frames: list[Frame]) -> None:
        """Give them to the process."""

    def lose(self, way: Direction, frames: list[Frame], why: str) -> None:
        """Tell that they are gone."""

    def tell(self, event: Event, trigger: str) -> None:
        """Write an event."""

    def wake(self, peer: NodeId, at_ns: int) -> None:
        """Ask again at that time what is to go on; 0 for never."""


class Apart(NamedTuple, Generic[AnyChannel]):
    """A message that is kept apart from those behind it."""

    way: Direction
    frame: Frame
    channel: AnyChannel | None
    """Where it was to leave, or where it came in; None for the connection to its target, whichever that is by then."""
    fault_id: int
    until_ns: int
    """When it goes on; 0 for once its fault is healed."""


class Plucks(Generic[AnyChannel]):
    """What one process plucks. Each rule takes one message, and never another.

    A message that is meant by its number may be on its way already: then its receiver takes it, as it arrives.
    One that is only the next of its kind is taken by its sender, before it leaves.
    """

    __slots__ = ("_apart", "_links", "_rules", "_taken")

    def __init__(self, links: Links[AnyChannel]) -> None:
        self._links = links
        self._rules: dict[Direction, tuple[PluckedMessage, ...]] = {}
        self._taken: set[int] = set()
        """Faults that have had their message."""
        self._apart: list[Apart[AnyChannel]] = []
        """In the order in which they were taken."""

    def change(self, rules: LinkRules, peers: Collection[Peer[AnyChannel]], now_ns: int) -> None:
        """These rules are in force from now on: what one held that is over goes on.

        Args:
            peers: whose frames may be held here for another reason, and be meant by their number.
        """
        self._rules = rules.plucks
        in_force = {rule.fault_id for ways in rules.plucks.values() for rule in ways}
        self._taken &= in_force
        self._go_on([item for item in self._apart if not item.until_ns and item.fault_id not in in_force])
        for way, peer in product(sorted(rules.plucks), peers):
            for frame, channel in peer.held_for(way):
                if self.take(way, frame, channel, now_ns, was_sent=True):
                    peer.drop(frame)

    def take(
        self, way: Direction, frame: Frame, channel: AnyChannel | None, now_ns: int, *, was_sent: bool = False
    ) -> bool:
        """Whether a rule takes this message, which is done then. was_sent: it is no next one any more."""
        for rule in self._rules.get(way, ()):
            is_next = rule.number == NEXT and way.source == self._links.node_id and not was_sent
            is_meant = frame.correlation == rule.number or is_next
            if is_meant and rule.message == type(frame.message).__name__ and rule.fault_id not in self._taken:
                self._taken.add(rule.fault_id)
                self._give(rule, Apart(way, frame, channel, rule.fault_id, 0), now_ns)
                return True
        return False

    def _give(self, rule: PluckedMessage, item: Apart[AnyChannel], now_ns: int) -> None:
        """The fate that the rule has for it."""
        links, way, frame = self._links, item.way, item.frame
        links.tell(event_of(rule, frame), f"pluck {way.source}>{way.target}")
        if rule.fate == DROP:
            links.lose(way, [frame], WHY)
        elif rule.fate == PASS and way.source == links.node_id:
            links.leave(way, frame, item.channel, heeds=False)
        elif rule.fate == PASS:
            links.deliver(way.source, [frame])
        else:
            links.traffic.held(*way, frame, WHY)
            until_ns = now_ns + rule.delay_ms * NS_PER_MS if rule.delay_ms else 0
            self._apart.append(item._replace(until_ns=until_ns))
            self._wake(self._peer_of(way))

    def go_on(self, peer: NodeId, now_ns: int) -> None:
        """Let those between here and a peer go on whose time has come."""
        self._go_on([item for item in self._apart if peer in item.way and 0 < item.until_ns <= now_ns])
        self._wake(peer)

    def _go_on(self, gone: list[Apart[AnyChannel]]) -> None:
        links = self._links
        self._apart = [item for item in self._apart if item not in gone]
        for way, frame, channel, *_ in gone:
            if way.source == links.node_id:
                links.leave(way, frame, channel)
            elif channel is not None and channel.is_open:
                links.deliver(way.source, [frame])
            else:
                links.lose(way, [frame], "its connection is gone")

    def lose(self, peer: NodeId, why: str) -> None:
        """None of those between here and a peer will go on."""
        gone = [item for item in self._apart if peer in item.way]
        self._apart = [item for item in self._apart if item not in gone]
        for item in gone:
            self._links.lose(item.way, [item.frame], why)

    def waiting(self) -> Iterator[tuple[NodeId, NodeId, list[Frame]]]:
        """Sender, receiver and message of each."""
        for item in self._apart:
            yield *item.way, [item.frame]

    def _peer_of(self, way: Direction) -> NodeId:
        return way.target if way.source == self._links.node_id else way.source

    def _wake(self, peer: NodeId) -> None:
        due = (item.until_ns for item in self._apart if peer in item.way and item.until_ns)
        self._links.wake(peer, min(due, default=0))


def event_of(rule: PluckedMessage, frame: Frame) -> MessagePlucked:
    """What is told of a message that was taken."""
    topic, partition = about(frame.message)
    return MessagePlucked(
        fault_id=rule.fault_id,
        source=rule.source,
        target=rule.target,
        message=rule.message,
        fate=rule.fate,
        correlation=frame.correlation,
        topic=topic,
        partition=partition,
        numbers=numbers_of(frame.message),
    )
