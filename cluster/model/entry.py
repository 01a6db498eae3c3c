"""The envelope of an event: who, when and why."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.model.positional import Positional
from cluster.model.ruling import Decision


class EventId(NamedTuple):
    """Names one event of a run."""

    node: NodeId
    """Who wrote it; 0 for the lab."""
    incarnation: int
    """Which start of that node, from 0."""
    seq: int
    """Position in that start's trace, from 0, without gaps."""


class UnknownEvent(Positional):
    """An event of a newer version, kept as it was read."""

    KNOWN: ClassVar[bool] = False
    name: str
    fields: tuple[Any, ...]


class Entry(Positional):
    """One event as it stands in a trace file."""

    run: str
    node: NodeId
    """Who wrote it; 0 for the lab."""
    incarnation: int
    """Which start of that node."""
    seq: int
    """From 0, without gaps."""
    t_ns: int
    """The run's clock: the machine's monotonic one; in a run that was resumed, less the time it was over."""
    wall_ns: int
    """Unix time."""
    lamport: int
    """Logical clock."""
    cause: EventId | None
    """The event that led to this one, when known."""
    trigger: str
    """The input that was being handled."""
    decision: Decision | None
    """The rule that decided it, when one did."""
    event: Event | UnknownEvent

    @property
    def id(self) -> EventId:
        """Its name in the run."""
        return EventId(self.node, self.incarnation, self.seq)
