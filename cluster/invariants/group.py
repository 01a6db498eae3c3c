"""What a group of invariants is: it names its invariants and says which events it wants to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeAlias

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model.entry import Entry

Handler: TypeAlias = Callable[[Entry, Any], None]
"""Told an entry and its event; the event is of the class under which the handler is listed."""
Handlers: TypeAlias = Mapping[type, Handler]
"""By class of event."""


class InvariantGroup(Protocol):
    """Some invariants that look at the same things. Built anew for each run.

    Entries come in an order that agrees with happens-before: each node's own order, what was sent before what was
    received, a process between its start and its exit. Nothing may be concluded from clock instants of two nodes.
    """

    invariants: ClassVar[tuple[Invariant, ...]]

    def __init__(self, ghost: Ghost, report: Report) -> None:
        """Look at the ghost, tell the report."""

    def before(self) -> Handlers:
        """Called while the ghost still stands before the event."""
        ...

    def after(self) -> Handlers:
        """Called when the ghost has taken the event in."""
        ...

    def finish(self) -> None:
        """No more entries come."""
        ...
