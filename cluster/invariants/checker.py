"""One pass over the entries of a run: order, ghost, invariants, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cluster.invariants.all_invariants import GROUPS
from cluster.invariants.causal_order import CausalOrder
from cluster.invariants.ghost.acknowledged import Acknowledged
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.leader_watch import LeaderWatch
from cluster.invariants.ghost.transactions import TransactionWatch
from cluster.invariants.group import Group
from cluster.invariants.verdicts.ledger import Ledger
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import InvariantVerdict
from cluster.invariants.watcher import dispatch, names_partition
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId


class Checker:
    """Feed it entries in (t_ns, node, seq) order, then finish it."""

    def __init__(self, groups: Sequence[type[Group]] = GROUPS, minimum: Mapping[str, int] | None = None) -> None:
        self._order = CausalOrder()
        self.ghost = ghost = Ghost(self._order.passage)
        """The run so far."""
        self.report = Report(Ledger(), minimum)
        """The findings so far."""
        self._groups = [group(ghost, self.report) for group in groups]
        folds = (ghost, LeaderWatch(ghost), TransactionWatch(ghost))
        calm = (ghost.calm, ghost.calm_without_dead)
        self._handlers = dispatch((*folds, *calm, *self._groups, ghost.controllers, Acknowledged(ghost)))
        self._placed = {kind for kind in self._handlers if names_partition(kind)}

    def feed(self, entry: Entry) -> None:
        """Take one entry; it is judged as soon as its cause was."""
        self._judge(self._order.take((entry,)))

    def feed_all(self, entries: Iterable[Entry]) -> None:
        """Take many entries, each as `feed` does."""
        self._judge(self._order.take(entries))

    def _judge(self, entries: Iterable[Entry]) -> None:
        handlers, ghost, partitions = self._handlers, self.ghost, self.ghost.partitions
        for entry in entries:
            event: Any = entry.event
            kind = type(event)
            if kind not in handlers:
                continue
            if kind in self._placed:
                ghost.here = partitions[event.topic, event.partition]  # type: ignore[index]  # found like the TopicPartition
            for handler in handlers[kind]:
                handler(entry, event)

    def finish(
        self, promised: Iterable[str] = (), torn: Iterable[tuple[NodeId, int]] = ()
    ) -> tuple[InvariantVerdict, ...]:
        """No more entries come: the verdicts.

        Args:
            promised: invariants that the run was to break.
            torn: (node, incarnation) of traces that end in the middle of an entry.
        """
        self.ghost.passage.torn = frozenset(torn)
        self._judge(self._order.drain())
        for group in self._groups:
            group.finish()
        return self.report.table(promised)


def check(entries: Iterable[Entry], promised: Iterable[str] = ()) -> tuple[InvariantVerdict, ...]:
    """The verdicts over a whole run."""
    checker = Checker()
    checker.feed_all(entries)
    return checker.finish(promised)
