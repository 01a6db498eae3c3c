"""One pass over the entries of a run: order, ghost, rules, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cluster.checks.all_rules import GROUPS
from cluster.checks.causal_order import CausalOrder
from cluster.checks.ghost.ghost import Ghost
from cluster.checks.ghost.leader_watch import LeaderWatch
from cluster.checks.ledger import Ledger
from cluster.checks.report import Report
from cluster.checks.rule_group import Handler, Handlers, RuleGroup
from cluster.checks.verdict import RuleVerdict
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId


class Checker:
    """Feed it entries in (t_ns, node, seq) order, then finish it."""

    __slots__ = ("_groups", "_handlers", "_leaders", "_order", "ghost", "report")

    def __init__(self, groups: Sequence[type[RuleGroup]] = GROUPS, minimum: Mapping[str, int] | None = None) -> None:
        self._order = CausalOrder()
        self.ghost = Ghost(self._order.passage)
        """The run so far."""
        self.report = Report(Ledger(), minimum)
        """The findings so far."""
        for group in groups:
            self.report.declare(group.rules)
        self._leaders = LeaderWatch(self.ghost)
        self._groups = [group(self.ghost, self.report) for group in groups]
        self._handlers: dict[type, tuple[Handler, ...]] = self._table()

    def _table(self) -> dict[type, tuple[Handler, ...]]:
        """Per class of event: what rules do before, what the ghost does, what rules do after."""
        before, after = ([getattr(group, when)() for group in self._groups] for when in ("before", "after"))
        stages: list[Handlers] = [*before, self.ghost.folds(), self._leaders.folds(), *after]
        kinds = sorted({kind for stage in stages for kind in stage}, key=lambda kind: kind.__name__)
        return {kind: tuple(stage[kind] for stage in stages if kind in stage) for kind in kinds}

    def feed(self, entry: Entry) -> None:
        """Take one entry; it is judged as soon as its cause was."""
        self._judge(self._order.take((entry,)))

    def feed_all(self, entries: Iterable[Entry]) -> None:
        """Take many entries, each as `feed` does."""
        self._judge(self._order.take(entries))

    def _judge(self, entries: Iterable[Entry]) -> None:
        find = self._handlers.get
        for entry in entries:
            event = entry.event
            for handler in find(type(event), ()):
                handler(entry, event)

    def finish(self, promised: Iterable[str] = (), torn: Iterable[tuple[NodeId, int]] = ()) -> tuple[RuleVerdict, ...]:
        """No more entries come: the verdicts.

        Args:
            promised: rules that the run was to break.
            torn: (node, incarnation) of traces that end in the middle of an entry.
        """
        self.ghost.passage.torn = frozenset(torn)
        self._judge(self._order.drain())
        for group in self._groups:
            group.finish()
        return self.report.table(promised)


def check(entries: Iterable[Entry], promised: Iterable[str] = ()) -> tuple[RuleVerdict, ...]:
    """The verdicts over a whole run."""
    checker = Checker()
    checker.feed_all(entries)
    return checker.finish(promised)
