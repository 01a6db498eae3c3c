"""Counts checks and collects violations while the events pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cluster.invariants.verdicts.ledger import Ledger
from cluster.invariants.verdicts.verdict import Invariant, InvariantVerdict, Verdict, Violation
from cluster.invariants.watcher import Placed
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Offset, TopicPartition
from cluster.model.settings import OLD_WAYS

DIGITS = "0123456789"
FAMILIES = ("R", "P", "C", "TX", "GR", "L", "Z", "T")
"""Of the quorum, partitions, clients, transactions, groups, liveness, ZooKeeper's era and the trace."""
KEPT_MAX = 20
"""Violations kept of each invariant; the rest is counted."""


def shown(name: str) -> str:
    """A name that somebody outside gave, fit for a sentence."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "?" for char in name[:40])


class Tally:
    """What is known of one invariant so far. The class of a group has one without a run, which declares it."""

    def __init__(self, info: Invariant, ledger: Ledger) -> None:
        self._by_old_way = tuple(way.breaks for way in OLD_WAYS if info.id in way.excuses)
        """Assumptions that only a setting breaks."""
        self._ledger = ledger
        self.info = info
        self.checks = 0
        """How often it was evaluated."""
        self.found: list[Violation] = []
        self.found_count = 0
        self.excused: list[Violation] = []
        self.excused_count = 0
        self.is_open = False
        """It looks broken, but evidence is missing: it is broken or not evaluated, and never said to hold."""

    def __set_name__(self, _group: type, name: str) -> None:
        """An invariant is called as the attribute that declares it."""
        self.info = replace(self.info, id=name)

    def violated(
        self,
        sentence: str,
        *events: Entry | EventId | None,
        at: str | None = None,
        record: str = "",
        scope: Placed | None = None,
        assumptions: tuple[str, ...] | None = None,
        lost: Offset | None = None,
    ) -> None:
        """It is broken.

        Args:
            sentence: what contradicts what, without line breaks; text from outside must not be in it.
            events: those that contradict each other, the newest first; one that is not known is left out.
            at: where in that partition, for example offset 17; empty for all of it, None when it is about no record.
            record: the record that is concerned, where that is not one of the scope.
            scope: whose assumptions may excuse it. That of the first event when that is an entry: the partition that it
                names, or the quorum's metadata; else the whole run's.
            assumptions: in place of those that the invariant declares, when this case leans on others; what an old
                way excuses it excuses in each case.
            lost: offset of the one record that is gone; what was lost before there was such a record excuses nothing.
        """
        if scope is None and isinstance(events[0], Entry):
            event = events[0].event
            scope = event if isinstance(event, Placed) else METADATA
        where = None if scope is None else TopicPartition(scope.topic, scope.partition)
        if where is not None and where.topic in self._ledger.deleted:
            return
        leans_on = self.info.assumptions if assumptions is None else assumptions
        broken = self._ledger.excuse((*leans_on, *self._by_old_way), where, lost)
        names = tuple(event.id if isinstance(event, Entry) else event for event in events if event is not None)
        record = record if at is None else f"{where} {at}".rstrip()
        violation = Violation(self.info.id, sentence, names, record, broken)
        if broken is None:
            self.found_count += 1
            kept = self.found
        else:
            self.excused_count += 1
            kept = self.excused
        if len(kept) < KEPT_MAX:
            kept.append(violation)

    def verdict(self, *, is_promised: bool) -> InvariantVerdict:
        """What the run has made of it."""
        if self.found_count:
            verdict = Verdict.VIOLATED
        elif self.excused_count:
            verdict = Verdict.EXPECTED
        elif self.is_open:
            verdict = Verdict.NOT_EVALUATED
        elif is_promised:
            verdict = Verdict.UNEXPECTED_PASS
        else:
            verdict = Verdict.HOLDS if self.checks else Verdict.NOT_EVALUATED
        info = replace(self.info, assumptions=(*self.info.assumptions, *self._by_old_way))
        count = self.found_count + self.excused_count
        return InvariantVerdict(info, verdict, self.checks, count, (*self.found, *self.excused))


def invariant(title: str, source: str, *assumptions: str) -> Tally:
    """Declare an invariant of a group: `R1 = invariant(...)` in its class. In a run self.R1 is what is known of it.

    Args:
        title: the promise itself.
        source: paper, KIP or Kafka class.
        assumptions: ids of those without which it need not hold, for example A1.
    """
    return Tally(Invariant("", title, source, assumptions), Ledger())


class Report:
    """What is known of each invariant, and which assumptions are broken."""

    def __init__(self, ledger: Ledger, minimum: Mapping[str, int] | None = None) -> None:
        self.ledger = ledger
        self.minimum = dict(minimum or {})
        """How much of what must have happened for the run to be worth judging; words of invariant T8."""
        self._lines: dict[str, Tally] = {}

    def declare(self, info: Invariant) -> Tally:
        """Make an invariant known; two groups may look at one."""
        line = self._lines.setdefault(info.id, Tally(info, self.ledger))
        assert line.info == info, f"two invariants are called {info.id}"
        return line

    def tally(self, invariant: str) -> Tally:
        """What is known of one invariant."""
        return self._lines[invariant]

    def table(self, promised: Iterable[str] = ()) -> tuple[InvariantVerdict, ...]:
        """One line for each invariant, by family and number; `promised` names invariants that the run was to break."""
        wanted = set(promised)
        unknown = sorted(wanted - set(self._lines))
        assert not unknown, f"no invariant is called {', '.join(unknown)}"
        lines = sorted(self._lines.values(), key=lambda line: place(line.info))
        return tuple(line.verdict(is_promised=line.info.id in wanted) for line in lines)


def place(info: Invariant) -> tuple[int, int]:
    """Where an invariant stands in the table: R2 before R10, family by family."""
    family = info.id.rstrip(DIGITS)
    return FAMILIES.index(family), int(info.id[len(family) :] or 0)
