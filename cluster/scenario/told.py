"""Conditions over what a run has told: events that came, verdicts of the checker. The others ask the folded state."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.invariants.verdicts.verdict import Verdict, Violation
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.event_pattern import EventBook, EventPattern, parse_pattern
from cluster.scenario.terms import GrammarError, Memory

VERDICTS = {
    "holds": Verdict.HOLDS,
    "expected": Verdict.EXPECTED,
    "violated": Verdict.VIOLATED,
    "not-evaluated": Verdict.NOT_EVALUATED,
}


@dataclass(frozen=True, slots=True)
class EventSeen:
    """An event came after the newest command of the script, or none did."""

    pattern: EventPattern
    wanted: bool
    """False for `no event`."""

    def check(self, _state: ClusterState, memory: Memory, book: EventBook) -> tuple[bool, str]:
        """(whether it holds now, what is seen)."""
        if misfit := self.pattern.misfit(memory):
            return False, misfit
        count = len(book.since_mark(self.pattern, memory))
        return bool(count) == self.wanted, f"{count} such events since the last command"

    def came_before(self, memory: Memory, book: EventBook) -> str:
        """For who waited in vain: what came when nobody asked for it."""
        count = book.count(self.pattern, memory)
        return f", {count} before it: a command came between" if count else ", and none before it"


@dataclass(frozen=True, slots=True)
class VerdictIs:
    """The checker says this of some rules, over all events so far. Judged once: a verdict is not waited for."""

    rules: tuple[str, ...]
    """Ids, for example P1."""
    verdict: Verdict
    """Of each of them."""

    def check(self, _state: ClusterState, _memory: Memory, book: EventBook) -> tuple[bool, str]:
        """(whether it holds now, what is seen)."""
        from cluster.invariants.checker import check

        entries = sorted(book.entries, key=lambda entry: (entry.t_ns, entry.node, entry.seq))
        lines = {line.info.id: line for line in check(entries)}
        other = [lines[rule] for rule in self.rules if lines[rule].verdict is not self.verdict]
        outcomes = [f"{line.info.id} {line.verdict}" + _first(line.violations) for line in other]
        return not other, "; ".join(outcomes) or f"all {self.verdict}"


def _first(violations: tuple[Violation, ...]) -> str:
    return f" ({violations[0].sentence})" if violations else ""


def parse_event_seen(words: list[str], names: frozenset[str], *, wanted: bool) -> EventSeen:
    """What follows `event` or `no event`."""
    return EventSeen(parse_pattern(words, names), wanted)


def parse_verdict(words: list[str]) -> VerdictIs:
    """What follows `verdict`."""
    if len(words) != 2 or words[1] not in VERDICTS:
        raise GrammarError(f"the form is: verdict RULE[,RULE] {'|'.join(VERDICTS)}")
    from cluster.invariants.all_invariants import INVARIANTS  # few scripts ask for a verdict, and all need `parse`

    rules = tuple(words[0].split(","))
    for rule in rules:
        if rule not in INVARIANTS:
            raise GrammarError(f"no rule is called '{rule[:20]}'; allowed: {', '.join(sorted(INVARIANTS))}")
    return VerdictIs(rules, VERDICTS[words[1]])
