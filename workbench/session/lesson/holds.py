"""Moments at which a lesson holds the view: found in what its cluster tells, each after the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.entry import Entry, EventId
from cluster.model.events import FaultApplied, quorum, snapshot
from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import Condition
from cluster.scenario.event_pattern import EventBook, writer_of
from cluster.scenario.terms import TERMS, Memory, Term, Where, node_of
from workbench.course.content import Conditions, Hold

METADATA_LOG = (quorum.MetadataAppended, snapshot.SnapshotWritten, snapshot.SnapshotOffered, snapshot.SnapshotInstalled,
                snapshot.MetadataLogStartAdvanced, quorum.VotersChanged)  # fmt: skip
"""Events that speak of the metadata log, and of nothing else."""


class Held(NamedTuple):
    """Where the view stands, and what is to be seen there."""

    event: EventId | None
    """The newest event that is shown; None before the first one."""
    pane: str = ""
    """Which pane lights up; empty at the end of a section."""
    look: str = ""
    number: int = 0
    """From 1."""
    out_of: int = 0
    nodes: tuple[NodeId, ...] = ()
    """Whose rows answer, as far as the hold point names them."""
    log: TopicPartition | None = None
    """Which log it speaks of; None for none."""


class Seen(NamedTuple):
    """What is known of a cluster."""

    state: ClusterState
    memory: Memory
    book: EventBook


class HoldWatch:
    """The hold points of one run of a section."""

    def __init__(self, holds: Sequence[Hold]) -> None:
        self._holds = holds
        self.reached: list[tuple[Hold, Held]] = []

    @property
    def is_over(self) -> bool:
        """Whether none is to come any more."""
        return len(self.reached) >= len(self._holds)

    def look(self, entry: Entry | None, last: EventId | None, seen: Seen) -> int:
        """How many more are reached: by this entry, or by what holds already when there is no entry.

        One event is held at once; what holds at the same moment may follow it.
        """
        before = len(self.reached)
        while not self.is_over and self._is_reached(entry if len(self.reached) == before else None, entry, last, seen):
            pass
        return len(self.reached) - before

    def _is_reached(self, fresh: Entry | None, entry: Entry | None, last: EventId | None, seen: Seen) -> bool:
        """fresh: the entry, unless a hold point has taken it."""
        hold = self._holds[len(self.reached)]
        if hold.event is not None:
            if fresh is None or not hold.event.matches(fresh, seen.memory):
                return False
            nodes = _named_by(fresh)
            log = _log_of(fresh)
        else:
            if not holds(hold.condition, seen):
                return False
            nodes, log = _named(hold.condition, seen.memory)
        place = entry.id if entry is not None else last
        nodes = tuple(node for node in nodes if node > 0)
        number = len(self.reached) + 1
        self.reached.append((hold, Held(place, hold.pane, hold.look, number, len(self._holds), nodes, log)))
        return True


def holds(conditions: Conditions, seen: Seen) -> bool:
    """Whether all of them hold."""
    return all(item.check(seen.state, seen.memory, seen.book)[0] for item in conditions)


def _named_by(entry: Entry) -> tuple[NodeId, ...]:
    """Who wrote an event; of a fault the nodes that it touches, those of its links in the order of these."""
    if not isinstance(entry.event, FaultApplied):
        return (writer_of(entry),)
    ends = (node for link in entry.event.links for node in link)
    return tuple(dict.fromkeys((*entry.event.nodes, *ends)))


def _log_of(entry: Entry) -> TopicPartition | None:
    """Which log an event is of."""
    if isinstance(entry.event, METADATA_LOG):
        return METADATA
    topic, partition = (getattr(entry.event, name, None) for name in ("topic", "partition"))
    return TopicPartition(topic, partition) if isinstance(topic, str) and isinstance(partition, int) else None


def _named(conditions: Conditions, memory: Memory) -> tuple[tuple[NodeId, ...], TopicPartition | None]:
    """The nodes that conditions speak of, in order, and the first log."""
    nodes: list[NodeId] = []
    logs: list[TopicPartition] = []
    for condition in conditions:
        for where in _places(condition):
            if where.node:
                nodes.append(node_of(where.node, memory))
            if where.topic_partition != METADATA:
                logs.append(where.topic_partition)
        logs += [METADATA for term in _terms(condition) if _is_of_metadata(term)]
        nodes += [node_of(word, memory) for word in condition.nodes]
    return tuple(dict.fromkeys(nodes)), next(iter(logs), None)


def _places(condition: Condition) -> list[Where]:
    return [condition.where, *(term.where for term in _terms(condition))]


def _terms(condition: Condition) -> list[Term]:
    return [term for term in (condition.left, condition.right) if isinstance(term, Term)]


def _is_of_metadata(term: Term) -> bool:
    """Whether a value of a log is one of the metadata log."""
    form, _ = TERMS.get(term.kind, ("", None))
    return form.startswith("LOG") and term.where.topic_partition == METADATA
