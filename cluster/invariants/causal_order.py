"""Puts entries in an order that agrees with happens-before: none is let through before the one that caused it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId

NOTHING = (-1, -1)
HELD_MAX = 50_000
"""More entries than these are never held back: then the oldest is let through without its cause."""


class _Last(dict[tuple[NodeId, int], tuple[int, int]]):
    """Of who has said nothing yet it is NOTHING."""

    def __missing__(self, _stream: tuple[NodeId, int]) -> tuple[int, int]:
        return NOTHING


@dataclass(slots=True)
class Passage:
    """What was noticed while the entries went through."""

    caused_count: int = 0
    """Entries that name a cause."""
    last: dict[tuple[NodeId, int], tuple[int, int]] = field(default_factory=_Last)
    """By node and incarnation: sequence number and clock of the newest entry that passed."""
    orphans: list[tuple[EventId, EventId]] = field(default_factory=list)
    """(entry, cause) where the cause never came."""
    torn: frozenset[tuple[NodeId, int]] = frozenset()
    """(node, incarnation) of traces that end in the middle of an entry: what their nodes said last is not known."""
    unfounded: set[EventId] = field(default_factory=set)
    """Entries that follow, through their causes, from what such an end has taken: nothing of them proves a mistake."""
    beyond: list[tuple[EventId, int]] = field(default_factory=list)
    """(cause, time of the entry that names it) where the cause never came."""
    gaps: list[tuple[EventId, int]] = field(default_factory=list)
    """(entry, sequence number that was due) where a node's numbers jump."""

    @property
    def entry_count(self) -> int:
        """Entries that passed, when no node's numbers have gaps."""
        return sum(seq + 1 for seq, _ in self.last.values())

    @property
    def cut(self) -> dict[tuple[NodeId, int], int]:
        """(node, incarnation) of traces whose end is missing, and the time of the last entry that is there.

        Others name what such a node said after its last entry. An earlier entry that does so names what never was.
        """
        last_ns_of: dict[tuple[NodeId, int], int] = {}
        for cause, named_ns in self.beyond:
            seq, last_ns = self.last[cause[:2]]
            if 0 <= seq < cause.seq and last_ns < named_ns:
                last_ns_of[cause[:2]] = last_ns
        return last_ns_of


class CausalOrder:
    """Takes entries in any order that keeps each node's own; gives them with every cause before its effect."""

    def __init__(self) -> None:
        self.passage = Passage()
        """What was noticed so far."""
        self._last = self.passage.last
        self._held: dict[tuple[NodeId, int], deque[Entry]] = {}
        self._held_count = 0

    def take(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Each entry that may pass by now, those among them that waited for one of these."""
        last, held, passage = self._last, self._held, self.passage
        for entry in entries:
            stream, cause = (entry.node, entry.incarnation), entry.cause
            before = last[stream]
            if cause is not None:
                passage.caused_count += 1
                of = cause[:2]
                if (before if of == stream else last[of])[0] < cause[2]:
                    self._hold(stream, entry)
                    yield from self._release()
                    continue
            if held and stream in held:
                self._hold(stream, entry)
            else:
                if entry.seq != before[0] + 1:
                    passage.gaps.append((entry.id, before[0] + 1))
                last[stream] = (entry.seq, entry.t_ns)
                yield entry
            if held:
                yield from self._release()

    def _release(self) -> Iterator[Entry]:
        """Held entries whose causes have passed by now, and the oldest ones when too many wait."""
        yield from self._free()
        while self._held_count > HELD_MAX:
            yield from self._force()

    def drain(self) -> Iterator[Entry]:
        """No more come: give all that are left."""
        unfounded = self.passage.unfounded
        while self._held:
            for entry in self._force():
                if entry.cause in unfounded:
                    unfounded.add(entry.id)
                yield entry

    def _may_pass(self, entry: Entry) -> bool:
        cause = entry.cause
        return cause is None or self._last[cause[:2]][0] >= cause.seq

    def _hold(self, stream: tuple[NodeId, int], entry: Entry) -> None:
        self._held.setdefault(stream, deque()).append(entry)
        self._held_count += 1

    def _free(self) -> Iterator[Entry]:
        """All held entries whose cause has passed, until nothing moves."""
        moved = True
        while moved:
            moved = False
            for stream in sorted(self._held):
                waiting = self._held[stream]
                while waiting and self._may_pass(waiting[0]):
                    yield self._take(stream, waiting)
                    moved = True

    def _take(self, stream: tuple[NodeId, int], waiting: deque[Entry]) -> Entry:
        entry = waiting.popleft()
        self._held_count -= 1
        if not waiting:
            del self._held[stream]
        due = self._last[stream][0] + 1
        if entry.seq != due:
            self.passage.gaps.append((entry.id, due))
        self._last[stream] = (entry.seq, entry.t_ns)
        return entry

    def _force(self) -> Iterator[Entry]:
        """Let the oldest held entry through although its cause is missing."""
        stream = min(self._held, key=lambda item: (self._held[item][0].t_ns, item))
        entry = self._take(stream, self._held[stream])
        if entry.cause is not None:
            self.passage.beyond.append((entry.cause, entry.t_ns))
        if entry.cause is not None and entry.cause[:2] in self.passage.torn:
            self.passage.unfounded.add(entry.id)
        elif entry.cause is not None:
            self.passage.orphans.append((entry.id, entry.cause))
        yield entry
        yield from self._free()
