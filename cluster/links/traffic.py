"""What one process tells of the messages on its links: single ones that matter, and counts with samples of the others.

Each message is counted by the process that it comes to. What is told singly: elections and changes of the ISR, what
is on its way while a leader is missing, the links that a fault touches, and what is known to be lost. How many are told
is bounded; all are counted. Observations change nothing: no draw, no timer, no message more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from cluster.faults.effects_on_links import Direction
from cluster.links.frame import Frame
from cluster.links.numbers import about, numbers_of
from cluster.model.entry import EventId
from cluster.model.events import Event, MessageSeen, TrafficSeen
from cluster.model.events.network import DELIVERED, HELD, LEFT, LOST, UNANSWERED
from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.model.messages import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    ProduceRequest,
    VoteRequest,
    VoteResponse,
)

Observe = Callable[[Event, EventId | None, int], None]
"""Writes an observation, with the event that the message followed from and the logical clock it came with."""
WaitingFrames = Callable[[], Iterable[tuple[NodeId, NodeId, list[Frame]]]]
ALWAYS = frozenset(
    (VoteRequest, VoteResponse, BeginQuorumEpochRequest, BeginQuorumEpochResponse, EndQuorumEpochRequest,
     EndQuorumEpochResponse, AlterPartitionRequest, AlterPartitionResponse)
)  # fmt: skip
"""Kinds of which each message is told."""
NS_PER_MS = 1_000_000
WINDOW_NS = 250 * NS_PER_MS
"""Counts are told so often at most: with the first message after it, so that no timer is needed."""
SINGLES_MAX = 20
"""So many single messages are told in one window, elections and ISR changes not counted."""
ALWAYS_MAX = 400
"""So many are told in one window, all together."""
AWAITED_MAX = 1_000
"""Requests to one peer that are remembered from one window to the next; the oldest are forgotten."""


class Tally:
    """Messages of one kind from one peer in this window, and one of them."""

    __slots__ = ("count", "has_records", "is_answer", "record_bytes", "sample")

    def __init__(self, frame: Frame, now_ns: int) -> None:
        message = frame.message
        kind = type(message)
        self.count = 1
        self.has_records = hasattr(message, "records")
        self.is_answer = kind.__name__.endswith("Response")
        self.record_bytes = 0
        self.sample = (min(frame.left_ns, now_ns), now_ns, *about(message), numbers_of(message))


class Traffic:
    """The messages of one process. The world tells it of each that leaves and each that comes in."""

    __slots__ = ("_awaited", "_due_ns", "_heard", "_is_watchful", "_missed", "_node_id", "_observe", "_patience_ns",
                 "_since_ns", "_told", "_touched", "_waiting", "leaderless")  # fmt: skip

    def __init__(self, node_id: NodeId, patience_ms: int, observe: Observe | None, waiting: WaitingFrames) -> None:
        """Nothing is done when nobody observes. `waiting` gives the frames that the links hold, for each direction."""
        self._node_id, self._patience_ns, self._observe = node_id, patience_ms * NS_PER_MS, observe
        self._waiting = waiting
        self._heard: defaultdict[NodeId, dict[type, Tally]] = defaultdict(dict)
        self._awaited: defaultdict[NodeId, dict[int, Frame]] = defaultdict(dict)
        self.leaderless: frozenset[TopicPartition] = frozenset()
        """Partitions without a leader, as `watch` was told last."""
        self._touched: set[NodeId] = set()
        self._is_watchful = False
        self._since_ns = self._due_ns = 0
        self._told = 0
        self._missed: set[tuple[NodeId, type, tuple[str, int]]] = set()

    def watch(self, leaderless: frozenset[TopicPartition]) -> None:
        """These partitions have no leader as far as this process knows, the quorum as METADATA."""
        self.leaderless = leaderless
        self._is_watchful = bool(self._touched or leaderless)

    def touch(self, peers: set[NodeId]) -> None:
        """Faults are in force on the links to these peers."""
        self._touched = peers
        self._is_watchful = bool(peers or self.leaderless)

    def asked(self, target: NodeId, frame: Frame, now_ns: int) -> None:
        """A request is given to the link."""
        if self._observe is None:
            return
        if type(frame.message) is not ProduceRequest or frame.message.acks:
            self._awaited[target][frame.correlation] = frame
        self.left(target, frame, now_ns)

    def left(self, target: NodeId, frame: Frame, now_ns: int) -> None:
        """A request or an answer is given to the link."""
        if self._observe is None:
            return
        frame.left_ns = now_ns
        if now_ns >= self._due_ns:
            self._tell_counts(now_ns)
        if type(frame.message) in ALWAYS or self._is_watchful and self._is_watched(target, frame):
            self._tell(self._node_id, target, frame, LEFT)

    def heard(self, source: NodeId, frame: Frame, now_ns: int) -> None:
        """A message is delivered to this process."""
        if self._observe is None:
            return
        message = frame.message
        kind = type(message)
        tallies = self._heard[source]
        if kind in tallies:
            tally = tallies[kind]
            tally.count += 1
        else:
            tally = tallies[kind] = Tally(frame, now_ns)
        if tally.has_records:
            tally.record_bytes += len(message.records)  # type: ignore[union-attr]
        if tally.is_answer:
            self._awaited[source].pop(frame.correlation, None)
        if kind in ALWAYS or self._is_watchful and self._is_watched(source, frame):
            self._tell(source, self._node_id, frame, DELIVERED, now_ns)
        if now_ns >= self._due_ns:
            self._tell_counts(now_ns)

    def keeps(self, way: Direction, message: str, number: int) -> bool:
        """Whether the links keep back a message of this way, kind and number."""
        frames = [frame for source, target, frames in self._waiting() if (source, target) == way for frame in frames]
        return any(frame.correlation == number and type(frame.message).__name__ == message for frame in frames)

    def held(self, source: NodeId, target: NodeId, frame: Frame, why: str) -> None:
        """A link keeps a message back."""
        self._tell(source, target, frame, HELD, why=why)

    def _is_news(self, target: NodeId, frame: Frame) -> bool:
        """Who asks again and again where nobody answers is told of once in a window."""
        kind = type(frame.message)
        key = target, kind, about(frame.message)
        if key in self._missed and kind not in ALWAYS:
            return False
        self._missed.add(key)
        return True

    def lost(self, source: NodeId, target: NodeId, frames: Iterable[Frame], now_ns: int, why: str) -> None:
        """Messages will not arrive, as this process knows."""
        for frame in frames:
            if source == self._node_id:
                self._awaited[target].pop(frame.correlation, None)
            if self._is_news(target, frame):
                self._tell(source, target, frame, LOST, now_ns, why)

    def parted(self, target: NodeId, unsent: set[int], now_ns: int, why: str) -> None:
        """The connection to a peer is gone: what it was asked will not be answered, but for what has not left yet."""
        awaited = self._awaited[target]
        for correlation in [number for number in awaited if number not in unsent]:
            self._tell(self._node_id, target, awaited.pop(correlation), UNANSWERED, now_ns, why)

    def _is_watched(self, peer: NodeId, frame: Frame) -> bool:
        """Whether this message matters because of the link it takes, or because of a leader that is missing."""
        leaderless = self.leaderless
        if peer in self._touched or METADATA in leaderless:
            return True
        return bool(leaderless) and about(frame.message) in leaderless

    def _tell(self, source: NodeId, target: NodeId, frame: Frame, fate: str, ended_ns: int = 0, why: str = "") -> None:
        message = frame.message
        kind = type(message)
        self._told += 1
        if self._observe is None or self._told > (ALWAYS_MAX if kind in ALWAYS else SINGLES_MAX):
            return
        topic, partition = about(message)
        seen = MessageSeen(
            source=source,
            target=target,
            message=kind.__name__,
            is_answer=kind.__name__.endswith("Response"),
            fate=fate,
            left_ns=min(frame.left_ns, ended_ns) if ended_ns else frame.left_ns,
            ended_ns=ended_ns,
            correlation=frame.correlation,
            why=why,
            topic=topic,
            partition=partition,
            numbers=numbers_of(message),
        )
        self._observe(seen, frame.cause, frame.lamport)

    def _tell_counts(self, now_ns: int) -> None:
        """The window is over: tell what came in, and begin anew. The first message of a process only begins one."""
        since_ns, self._since_ns, self._due_ns = self._since_ns, now_ns, now_ns + WINDOW_NS
        self._told = 0
        self._missed.clear()
        for awaited in self._awaited.values():
            for correlation in list(awaited)[:-AWAITED_MAX]:
                del awaited[correlation]
        heard = tuple(
            (source, kind.__name__, tally.count, tally.record_bytes, *tally.sample)
            for source, tallies in sorted(self._heard.items())
            for kind, tally in tallies.items()
        )
        unanswered = tuple(self._waits(now_ns))
        waiting = [found for found in self._waiting() if found[2]]
        held = tuple((source, target, len(frames), _age_ms(frames, now_ns)) for source, target, frames in waiting)
        if self._observe is not None and since_ns and (heard or unanswered or held):
            seen = TrafficSeen(since_ns=since_ns, until_ns=now_ns, heard=heard, held=held, unanswered=unanswered)
            self._observe(seen, None, 0)
        if since_ns:
            for tallies in self._heard.values():
                tallies.clear()
        self._give_up(now_ns)

    def _waits(self, now_ns: int) -> Iterable[tuple[NodeId, int, int]]:
        for target, awaited in sorted(self._awaited.items()):
            if awaited:
                yield target, len(awaited), _age_ms(awaited.values(), now_ns)

    def _give_up(self, now_ns: int) -> None:
        """Requests that were not answered in the time in which the process waits for an answer at most."""
        for target, awaited in sorted(self._awaited.items()):
            late = [frame for frame in awaited.values() if now_ns - frame.left_ns > self._patience_ns]
            for frame in late:
                del awaited[frame.correlation]
                waited_ms = (now_ns - frame.left_ns) // NS_PER_MS
                self._tell(self._node_id, target, frame, UNANSWERED, now_ns, f"no answer in {waited_ms} ms")


def _age_ms(frames: Iterable[Frame], now_ns: int) -> int:
    """Of the one that left first."""
    return (now_ns - min(frame.left_ns for frame in frames)) // NS_PER_MS
