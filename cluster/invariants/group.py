"""What a group of invariants is: it declares them, and its marked methods say which events they are asked of."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.verdicts.ledger import LOSS
from cluster.invariants.verdicts.report import Report, Tally, invariant, shown
from cluster.invariants.verdicts.verdict import Invariant
from cluster.invariants.watcher import Watcher, after, before
from cluster.model.identifiers import NodeId

__all__ = ["LOSS", "Group", "Replica", "Tally", "after", "before", "invariant", "shown"]

Replica: TypeAlias = tuple[str, int, NodeId]
"""Topic, partition and node: names a log."""


class Group(Watcher):
    """Some invariants that look at the same things. Built anew for each run.

    Entries come in an order that agrees with happens-before: each node's own order, what was sent before what was
    received, a process between its start and its exit. Nothing may be concluded from clock instants of two nodes.
    """

    known: ClassVar[list[type[Group]]] = []
    """Every one that declares invariants, and whose module is loaded."""
    declared: ClassVar[tuple[Invariant, ...]] = ()

    def __init_subclass__(cls) -> None:
        tallies = {name: each for name, each in vars(cls).items() if isinstance(each, Tally)}
        cls.declared = tuple(tally.info for tally in tallies.values())
        if tallies:
            cls.known.append(cls)
        for name in tallies:  # CPython looks an attribute of an object up faster where its class has none of the name
            delattr(cls, name)

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self.ghost, self.ledger, self.minimum = ghost, report.ledger, report.minimum
        for info in self.declared:
            setattr(self, info.id, report.declare(info))
        self.begin()

    def begin(self) -> None:
        """Lay out what is kept from event to event."""

    def finish(self) -> None:
        """Judge what only the whole run shows: no more entries come."""
