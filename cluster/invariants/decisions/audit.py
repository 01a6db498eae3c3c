"""Each decision that an event carries is made anew: from its numbers, by what the specifications say.

Nothing here asks the machines' own rules, so a rule that decides wrongly cannot excuse itself. A decision of a rule
that nobody here judges is not judged. Where numbers are missing, as in recordings of other versions, the invariant is
never said to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

from cluster.invariants.group import Group, Tally
from cluster.invariants.watcher import BEFORE, Handler, events_of
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId


class Compared(dict[str, Any]):
    """The numbers of a decision, by name; who decided, by which rule, and what that has said."""

    granted: bool
    node: NodeId
    rule: str


Judge: TypeAlias = Callable[[Any, Compared], str]
"""What is wrong with one decision, told its event and what was compared; empty for nothing."""
Method = TypeVar("Method", bound=Callable[..., str])
_JUDGED = "__judged__"


def _mark(rules: tuple[str, ...], *answers: bool) -> Callable[[Method], Method]:
    def marked(method: Method) -> Method:
        setattr(method, _JUDGED, (rules, answers))
        return method

    return marked


def yes(*rules: str) -> Callable[[Method], Method]:
    """Have a method judge an event that is told when one of these rules has said yes."""
    return _mark(rules, True)


def no(*rules: str) -> Callable[[Method], Method]:
    """As yes, of an event that is told when the rule has said no."""
    return _mark(rules, False)


def either(*rules: str) -> Callable[[Method], Method]:
    """As yes, of an event that is told whatever the rule has said."""
    return _mark(rules, True, False)


class Decisions(Group):
    """Judges decisions of one room, by one invariant."""

    def begin(self) -> None:
        (info,) = self.declared
        self._promise: Tally = getattr(self, info.id)
        self._judges = {key: (answers, getattr(self, name)) for key, (answers, name) in judged(type(self)).items()}

    def handlers(self, stage: str) -> Iterator[tuple[type, Handler]]:
        """All events that carry a decision which is known here, while the ghost still stands before them."""
        return ((kind, self._judge) for kind in {kind for kind, _ in self._judges} if stage == BEFORE)

    def _judge(self, entry: Entry, event: object) -> None:
        decision = entry.decision
        known = None if decision is None else self._judges.get((type(event), decision.rule))
        if decision is None or known is None:
            return
        answers, judge = known
        numbers = Compared(decision.numbers)
        numbers.granted, numbers.node, numbers.rule = decision.granted, entry.node, decision.rule
        try:
            what = judge(event, numbers)
        except (LookupError, TypeError, ValueError):
            self._promise.is_open = True
            return
        self._promise.checks += 1
        if not what and decision.granted not in answers:
            what = f"{decision.rule} has said {'yes' if decision.granted else 'no'}, and the event tells the contrary"
        if what:
            self._promise.violated(f"node {entry.node}: {what}", entry.id)


def judged(room: type[Decisions]) -> dict[tuple[type, str], tuple[tuple[bool, ...], str]]:
    """By class of event and name of the rule: what the rule may have said, and the method that judges it."""
    marked = [
        (name, method, *getattr(method, _JUDGED)) for name, method in vars(room).items() if hasattr(method, _JUDGED)
    ]
    return {
        (kind, rule): (answers, name)
        for name, method, rules, answers in marked
        for kind in events_of(method)
        for rule in rules
    }
