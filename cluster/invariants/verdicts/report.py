"""Counts checks and collects violations while the events pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cluster.invariants.verdicts.ledger import Ledger
from cluster.invariants.verdicts.verdict import Invariant, InvariantVerdict, Verdict, Violation
from cluster.model.entry import EventId
from cluster.model.identifiers import Offset, TopicPartition

DIGITS = "0123456789"
KEPT_MAX = 20
"""Violations kept of each invariant; the rest is counted."""


def shown(name: str) -> str:
    """A name that somebody outside gave, fit for a sentence."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "?" for char in name[:40])


class Tally:
    """What is known of one invariant so far."""

    __slots__ = ("checks", "excused", "excused_count", "found", "found_count", "info", "is_open")

    def __init__(self, info: Invariant) -> None:
        self.info = info
        self.checks = 0
        """How often it was evaluated; invariants may count it up."""
        self.found: list[Violation] = []
        self.found_count = 0
        self.excused: list[Violation] = []
        self.excused_count = 0
        self.is_open = False
        """Something could not be judged, because what it follows from is not in the trace any more."""


class Report:
    """Invariants tell it what they checked and what they found."""

    __slots__ = ("_lines", "ledger", "minimum")

    def __init__(self, ledger: Ledger, minimum: Mapping[str, int] | None = None) -> None:
        self.ledger = ledger
        self.minimum = dict(minimum or {})
        """How much of what must have happened for the run to be worth judging; words of invariant T8."""
        self._lines: dict[str, Tally] = {}

    def declare(self, invariants: Iterable[Invariant]) -> None:
        """Make invariants known; each id once."""
        for info in invariants:
            assert info.id not in self._lines, f"two invariants are called {info.id}"
            self._lines[info.id] = Tally(info)

    def checked(self, invariant: str, count: int = 1) -> None:
        """An invariant was evaluated on `count` things."""
        self._lines[invariant].checks += count

    def undecided(self, invariant: str) -> None:
        """An invariant looks broken, but evidence is missing: it is broken or not evaluated, and never said to hold."""
        self._lines[invariant].is_open = True

    def tally(self, invariant: str) -> Tally:
        """The counter of one invariant: `tally(name).checks += 1` is `checked(name)` where each call counts."""
        return self._lines[invariant]

    def violated(
        self,
        invariant: str,
        sentence: str,
        events: Sequence[EventId],
        *,
        record: str = "",
        scope: TopicPartition | None = None,
        assumptions: tuple[str, ...] | None = None,
        lost: Offset | None = None,
    ) -> None:
        """An invariant is broken.

        Args:
            sentence: what contradicts what, without line breaks; text from outside must not be in it.
            events: those that contradict each other, the newest first.
            scope: whose assumptions may excuse it; METADATA for the quorum.
            assumptions: in place of those that the invariant declares, when this case leans on others.
            lost: offset of the one record that is gone; what was lost before there was such a record excuses nothing.
        """
        if scope is not None and scope.topic in self.ledger.deleted:
            return
        line = self._lines[invariant]
        broken = self.ledger.excuse(line.info.assumptions if assumptions is None else assumptions, scope, lost)
        violation = Violation(invariant, sentence, tuple(events), record, broken)
        if broken is None:
            line.found_count += 1
            kept = line.found
        else:
            line.excused_count += 1
            kept = line.excused
        if len(kept) < KEPT_MAX:
            kept.append(violation)

    def table(self, promised: Iterable[str] = ()) -> tuple[InvariantVerdict, ...]:
        """One line for each invariant, by family and number; `promised` names invariants that the run was to break."""
        wanted = set(promised)
        unknown = sorted(wanted - set(self._lines))
        assert not unknown, f"no invariant is called {', '.join(unknown)}"
        families = list(dict.fromkeys(invariant.rstrip(DIGITS) for invariant in self._lines))
        lines = sorted(self._lines.items(), key=lambda item: _place(item[0], families))
        return tuple(self._verdict(line, is_promised=invariant in wanted) for invariant, line in lines)

    def _verdict(self, line: Tally, *, is_promised: bool) -> InvariantVerdict:
        count = line.found_count + line.excused_count
        if line.found_count:
            verdict = Verdict.VIOLATED
        elif line.excused_count:
            verdict = Verdict.EXPECTED
        elif line.is_open:
            verdict = Verdict.NOT_EVALUATED
        elif is_promised:
            verdict = Verdict.UNEXPECTED_PASS
        else:
            verdict = Verdict.HOLDS if line.checks else Verdict.NOT_EVALUATED
        return InvariantVerdict(line.info, verdict, line.checks, count, (*line.found, *line.excused))


def _place(invariant: str, families: list[str]) -> tuple[int, int]:
    """R2 before R10, and the families in the order in which they were declared."""
    family = invariant.rstrip(DIGITS)
    return families.index(family), int(invariant[len(family) :] or 0)
