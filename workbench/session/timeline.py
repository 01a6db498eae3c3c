"""The history of a run along time: marks, ISR stretches, process stretches, activity. Only grows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import controller, lab, quorum, replica
from cluster.model.identifiers import INTERNAL_TOPICS, NodeId, TopicPartition
from workbench.session.leadership import WATCHED, Leadership
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text
from workbench.telling.reasons import fact_of
from workbench.telling.tell import TELLINGS, telling_of
from workbench.telling.template import worded
from workbench.telling.words import fault_words, node_name, with_node_names

BUCKET_NS = 100_000_000
BUCKETS_MAX = 1_000_000
FAR = 1 << 62
LOST = "\u2717"
"""Mark of a committed record that no replica holds any more."""
OWN = "M"
"""Mark that the viewer set."""

TURNING_POINTS = {kind for kind, telling in TELLINGS.items() if telling.mark} | {
    lab.ProcessStarted,
    lab.ProcessExited,
    controller.PartitionApplied,
    replica.ReplicaLagging,
    quorum.MetadataHighWatermarkAdvanced,
}
"""Kinds of events that may leave something on the timeline besides their count: few among many."""
MARKED = TURNING_POINTS | WATCHED
"""Kinds for which `apply` does more than `count`."""


class Mark(NamedTuple):
    """A moment worth a jump."""

    t_ns: int
    place: int
    """Of its entry in the recording."""
    glyph: str
    """K kill, P power, F fault, h heal, V vote, E epoch, scissors truncation, - and + ISR, R rebalance, A an aborted
    transaction, triangle replicas that move, cross a lost record, double bar where a run goes on that was over, M one
    of the viewer's own."""
    text: str


class IsrChange(NamedTuple):
    """The ISR from here on."""

    t_ns: int
    isr: tuple[NodeId, ...]
    lagging: tuple[NodeId, ...]
    minimum: int
    exists: bool = True
    """False from where the topic was deleted."""


class IsrCell(NamedTuple):
    """The worst of an ISR over some time."""

    isr: tuple[NodeId, ...]
    """In it all the time."""
    lagging: tuple[NodeId, ...]
    """At any time."""
    minimum: int
    size: int
    """At the least."""


class FaultSpan(NamedTuple):
    """When a fault was in force."""

    begin_ns: int
    end_ns: int
    """FAR while it lasts."""
    text: str
    nodes: frozenset[NodeId]
    """All that it names."""


class Timeline:
    """Marks and stretches of all entries seen so far."""

    def __init__(self) -> None:
        self.start_ns = 0
        self.end_ns = 0
        self.marks: list[Mark] = []
        """What the run itself left, in order."""
        self.own: list[Mark] = []
        """What the viewer marked, in order of the events."""
        self.turns = 0
        """Events that may have left something here besides their count."""
        self.glyphs: set[str] = set()
        self.leadership = Leadership()
        self.isr: dict[TopicPartition, list[IsrChange]] = {}
        self.process: dict[NodeId, list[tuple[int, str]]] = {}
        self.activity: list[int] = []
        self.faults: dict[int, FaultSpan] = {}

    def apply(self, entry: Entry, index: int, picture: ClusterView, headline: str = "") -> None:
        """Take in the entry at index. picture: the cluster with it; headline: what the story says of it."""
        self.count(entry.t_ns)
        kind = type(entry.event)
        if kind in WATCHED:
            self.leadership.look(entry, picture, self.start_ns)
        if kind not in TURNING_POINTS:
            return
        self.turns += 1
        glyph = self._glyph(entry, picture)
        if glyph:
            self.add_mark(entry, index, glyph, headline or fact_of(entry))
        if picture.settled[0] is entry:
            for done in picture.settled[1]:
                if isinstance(done, controller.TopicDeleted):
                    self._end_topic(entry.t_ns, done.topic)
                elif isinstance(done, controller.PartitionDecided) and (glyph := self._isr(entry, done, picture)):
                    self.add_mark(entry, index, glyph, headline or self._isr_told(done))

    def count(self, t_ns: int) -> None:
        """Something happened then: all that an entry of a kind that is not MARKED leaves here."""
        if not self.start_ns:
            self.start_ns = t_ns
        if t_ns > self.end_ns:
            self.end_ns = t_ns
        bucket = (t_ns - self.start_ns) // BUCKET_NS
        try:
            self.activity[bucket if bucket > 0 else 0] += 1
        except IndexError:
            if bucket < BUCKETS_MAX:
                self.activity.extend([0] * (bucket - len(self.activity)))
                self.activity.append(1)

    def add_mark(self, entry: Entry, index: int, glyph: str, text: str) -> None:
        """A moment worth a jump: the entry at index."""
        self.glyphs.add(glyph)
        self.marks.append(Mark(entry.t_ns, index, glyph, text))

    def _glyph(self, entry: Entry, picture: ClusterView) -> str:
        event = entry.event
        match event:
            case lab.ProcessStarted():
                self.process.setdefault(event.node_id, []).append((entry.t_ns, "up"))
            case lab.ProcessExited():
                self.process.setdefault(event.node_id, []).append((entry.t_ns, "down"))
            case lab.FaultApplied():
                words = fault_words(event.kind, event.arguments)
                self.faults[event.fault_id] = FaultSpan(
                    entry.t_ns, FAR, words, frozenset(event.nodes or chain(*event.links))
                )
            case lab.FaultReverted():
                span = self.faults.get(event.fault_id, FaultSpan(entry.t_ns, FAR, "", frozenset()))
                self.faults[event.fault_id] = span._replace(end_ns=entry.t_ns)
            case controller.PartitionApplied():
                return self._isr(entry, event, picture)
            case replica.ReplicaLagging():
                self._isr(entry, event, picture)
            case _:
                pass
        return worded(telling_of(entry).mark, event)

    def _isr(
        self,
        entry: Entry,
        event: controller.PartitionApplied | controller.PartitionDecided | replica.ReplicaLagging,
        picture: ClusterView,
    ) -> str:
        """Note how the partition's ISR is now, if that is new; the mark of one that shrank or grew."""
        tp = TopicPartition(event.topic, event.partition)
        item = picture.facts(tp)
        if event.topic in INTERNAL_TOPICS or item is None:
            return ""
        changes = self.isr.setdefault(tp, [])
        before = changes[-1] if changes else None
        now = IsrChange(entry.t_ns, item.isr, tuple(item.lagging), item.min_insync_replicas)
        if before is not None and before[1:] == now[1:]:
            return ""
        changes.append(now)
        if before is None or not before.exists or len(before.isr) == len(now.isr):
            return ""
        return "-" if len(now.isr) < len(before.isr) else "+"

    def _isr_told(self, event: controller.PartitionDecided) -> str:
        """Who went or came by the newest change, and why."""
        tp = TopicPartition(event.topic, event.partition)
        before, now = self.isr[tp][-2:]
        went, came = set(before.isr) - set(now.isr), set(now.isr) - set(before.isr)
        nodes = sorted(went or came)
        verb = "out of" if went else "in"
        counts = f"{len(before.isr)} to {len(now.isr)}"
        why = with_node_names(safe_text(event.why, 60))
        return f"{' '.join(map(node_name, nodes))} {verb} the ISR of {safe_text(str(tp), 60)}, {counts}: {why}"

    def _end_topic(self, t_ns: int, topic: str) -> None:
        for tp in [tp for tp in self.isr if tp.topic == topic]:
            self.isr[tp].append(IsrChange(t_ns, (), (), 0, exists=False))

    def is_down(self, node_id: NodeId, t_ns: int) -> bool:
        """Whether the node's process was gone at t_ns."""
        stretches = self.process.get(node_id, [])
        place = bisect_right(stretches, t_ns, key=lambda stretch: stretch[0])
        return bool(place) and stretches[place - 1][1] == "down"

    def isr_along(self, topic_partition: TopicPartition, times: Sequence[int]) -> list[IsrCell | None]:
        """The worst of what the ISR was between each of the times, which ascend, and the one before it; None where the
        partition does not exist. For the first it is what it was then.
        """
        changes = self.isr.get(topic_partition, [])
        within = _within([change.t_ns for change in changes], times)
        return [_worst([change for change in changes[first:end] if change.exists]) for first, end in within]

    def down_along(self, node_id: NodeId, times: Sequence[int]) -> list[bool]:
        """Whether the node's process was gone at any time between each of the times, which ascend, and the one before
        it; for the first whether it was then.
        """
        stretches = self.process.get(node_id, [])
        within = _within([t_ns for t_ns, _ in stretches], times)
        return [any(word == "down" for _, word in stretches[first:end]) for first, end in within]

    def faults_in(self, from_ns: int, to_ns: int) -> list[FaultSpan]:
        """Every fault that was in force at some time of [from_ns, to_ns], oldest first."""
        return sorted(span for span in self.faults.values() if span.begin_ns <= to_ns and from_ns < span.end_ns)

    def next_mark(self, index: int, glyphs: str = "") -> Mark | None:
        """The first mark after the entry at index, of all or of those glyphs."""
        candidates = (_after(marks, index, glyphs) for marks in (self.marks, self.own))
        return min(filter(None, candidates), key=lambda mark: mark.place, default=None)

    def previous_mark(self, index: int, glyphs: str = "") -> Mark | None:
        """The last mark before the entry at index, of all or of those glyphs."""
        candidates = (_before(marks, index, glyphs) for marks in (self.marks, self.own))
        return max(filter(None, candidates), key=lambda mark: mark.place, default=None)

    def all_marks(self) -> list[Mark]:
        """The run's and the viewer's, in order of the events."""
        return sorted((*self.marks, *self.own), key=lambda mark: mark.place)

    def add_own(self, mark: Mark) -> None:
        """Set one, in place of another at the same event."""
        self.remove_own(mark.place)
        insort(self.own, mark, key=lambda own: own.place)
        self.glyphs.add(OWN)

    def remove_own(self, place: int) -> bool:
        """Take away the viewer's mark at an event; false when there is none."""
        before = len(self.own)
        self.own = [mark for mark in self.own if mark.place != place]
        return len(self.own) < before


def _after(marks: list[Mark], index: int, glyphs: str) -> Mark | None:
    first = bisect_right(marks, index, key=lambda mark: mark.place)
    return next((marks[place] for place in range(first, len(marks)) if _is_of(marks[place], glyphs)), None)


def _before(marks: list[Mark], index: int, glyphs: str) -> Mark | None:
    end = bisect_left(marks, index, key=lambda mark: mark.place)
    return next((marks[place] for place in range(end - 1, -1, -1) if _is_of(marks[place], glyphs)), None)


def _is_of(mark: Mark, glyphs: str) -> bool:
    return not glyphs or mark.glyph in glyphs


def _within(known: Sequence[int], times: Sequence[int]) -> list[tuple[int, int]]:
    """For each of the times the first and the end of what was in force since the time before. Both ascend."""
    places = _places(known, times)
    before = places[:1] + places[:-1]
    return [(max(0, first - 1), end) for first, end in zip(before, places, strict=True)]


def _worst(changes: Sequence[IsrChange]) -> IsrCell | None:
    if not changes:
        return None
    kept = tuple(node for node in changes[-1].isr if all(node in change.isr for change in changes))
    lagging = tuple({node: None for change in changes for node in change.lagging})
    return IsrCell(kept, lagging, changes[-1].minimum, min(len(change.isr) for change in changes))


def _places(known: Sequence[int], times: Sequence[int]) -> list[int]:
    """How many of the known times are not later than each of the others. Both ascend."""
    places: list[int] = []
    place = 0
    for t_ns in times:
        if place < len(known) and known[place] <= t_ns:
            place = bisect_right(known, t_ns, place)
        places.append(place)
    return places
