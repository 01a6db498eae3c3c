"""An incident: a cause, what followed from it, what it cost, and when it was over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.identifiers import NodeId, TopicPartition
from workbench.session.story.line import DETAILS, STORY, Key, Line, Said

LINES_MAX = 60
"""Lines of one level that an incident keeps: its first ones. What comes after them is counted."""


class Settled(NamedTuple):
    """When an incident was over, or went on."""

    place: int
    t_ns: int
    is_over: bool


@dataclass(slots=True)
class Incident:
    """What one cause led to. All lines keep their wordings, so that it can be shown as it was at any event."""

    number: int
    """From 0, in the order of the run."""
    t_ns: int
    place: int
    """Of the entry that began it, in the recording."""
    head: Line
    nodes: set[NodeId] = field(default_factory=set)
    """Whom the cause is about: what is told of them later belongs here."""
    parts: set[TopicPartition] = field(default_factory=set)
    """Partitions that it has touched."""
    fault_ids: set[int] = field(default_factory=set)
    """Faults in force that began it."""
    kind: str = ""
    """What sort of cause: the name of a fault's class, back, start, topic, lost, refused; empty for what came by
    itself."""
    steps: list[Line] = field(default_factory=list)
    costs: list[Line] = field(default_factory=list)
    meanwhile: list[Line] = field(default_factory=list)
    owes: set[Hashable] = field(default_factory=set)
    """What must come before it is over."""
    settled: list[Settled] = field(default_factory=list)
    acknowledged_before: int = 0
    """Records that clients had been told are written when it began."""
    called_written: dict[tuple[NodeId, TopicPartition], int] = field(default_factory=dict)
    """Records that a disk had called written, and that were not, when the cause was asked for."""
    isr_sizes: dict[TopicPartition, int] = field(default_factory=dict)
    """How many were in sync of each partition before the first of them left."""
    retold: list[tuple[int, int, str]] = field(default_factory=list)
    """Instant, place and words of what had led to it, of incidents before."""
    last_ns: int = 0
    """When something was told of it last."""
    dropped: dict[str, int] = field(default_factory=lambda: {STORY: 0, DETAILS: 0})
    """Lines of each level that found no room."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come of it, as far as the run was told."""
        return bool(self.settled) and self.settled[-1].is_over

    def is_over_at(self, cursor: int) -> bool:
        """The same once so many entries were told."""
        found = bisect_left(self.settled, cursor, key=lambda item: item.place)
        return bool(found) and self.settled[found - 1].is_over

    def line(self, lines: list[Line], key: Key) -> Line | None:
        """The line of a key; None before it is said."""
        return next((line for line in lines if line.key == key), None)

    def room_for(self, level: str) -> bool:
        """Whether one more line of a level is kept; one that is not is counted."""
        if sum(line.level == level for line in self.steps) < LINES_MAX:
            return True
        self.dropped[level] += 1
        return False

    def steps_at(self, cursor: int, level: str = STORY) -> Iterator[tuple[Line, Said]]:
        """Its steps as they were once so many entries were told; those of the story alone unless told otherwise."""
        for line in self.steps:
            said = line.at(cursor)
            if said is not None and (line.level == STORY or level == DETAILS):
                yield line, said

    def costs_at(self, cursor: int, now_ns: int) -> list[str]:
        """What it has cost by then."""
        return list(_words(self.costs, cursor, now_ns))

    def meanwhile_at(self, cursor: int, now_ns: int) -> list[str]:
        """What went on beside it by then."""
        return list(_words(self.meanwhile, cursor, now_ns))


def _words(lines: Iterable[Line], cursor: int, now_ns: int) -> Iterator[str]:
    for line in lines:
        said = line.at(cursor)
        if said is not None and (words := said.words(now_ns)):
            yield words
