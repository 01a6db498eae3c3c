"""A node's events with their causes and its logical clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cluster.model.entry import EventId
from cluster.model.events import Event
from cluster.model.ruling import Decision


class Writer(Protocol):
    """Where the events of one start go, in order."""

    before_flush: Callable[[], None] | None
    """Does what must be done before what the events tell of is told."""

    def write(
        self,
        event: Event,
        decision: Decision | None = None,
        cause: EventId | None = None,
        trigger: str = "",
        lamport: int = 0,
    ) -> EventId:
        """Append one event; its name in the run."""

    def observe(self, event: Event, cause: EventId | None, lamport: int) -> None:
        """Append an observation, which moves no clock."""

    def flush(self) -> None:
        """Have all events where others see them."""

    def close(self) -> None:
        """Nothing more will be written."""


class Tracer:
    """Writes events; within one step each is caused by the one before."""

    __slots__ = ("_writer", "cause", "lamport", "newest", "trigger")

    def __init__(self, writer: Writer | None) -> None:
        self._writer = writer
        self.cause: EventId | None = None
        """The event that what happens now follows from."""
        self.newest: EventId | None = None
        """The last event of all that was told here."""
        self.trigger = ""
        """What set off this step; written with its first event."""
        self.lamport = 0
        """Logical clock."""

    def before_flush(self, action: Callable[[], None]) -> None:
        """Have this done before events are written out: an event never tells of bytes that are not in their file."""
        if self._writer is not None:
            self._writer.before_flush = action

    def begin(self, cause: EventId | None, trigger: str, lamport: int = 0) -> None:
        """A new step."""
        self.cause, self.trigger = cause, trigger
        if lamport > self.lamport:
            self.lamport = lamport

    def emit(self, event: Event, decision: Decision | None = None) -> None:
        """Write one event."""
        lamport = self.lamport = self.lamport + 1
        writer = self._writer
        if writer is None:
            return
        self.cause = self.newest = writer.write(event, decision, self.cause, self.trigger, lamport)
        self.trigger = ""

    def emit_beside(self, event: Event, trigger: str) -> None:
        """Write an event that stands beside the steps: it follows from none and causes none."""
        kept = self.cause, self.trigger
        self.begin(None, trigger)
        self.emit(event)
        self.flush()
        self.cause, self.trigger = kept

    def observe(self, event: Event, cause: EventId | None, lamport: int = 0) -> None:
        """Write an event that is seen beside the steps: nothing follows from it, and no clock counts it."""
        if self._writer is not None:
            self._writer.observe(event, cause, max(lamport, self.lamport))

    def flush(self) -> None:
        """Have every event in the file: before anything leaves the process, and before it ends."""
        if self._writer is not None:
            self._writer.flush()
