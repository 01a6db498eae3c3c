"""The steps of a run: what it decided, one after the other; what happened at the same time shares a step."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from workbench.session.steps.decisions import Decided, decided
from workbench.session.steps.leaderless import leaderless
from workbench.session.views.cluster import ClusterView
from workbench.telling.tell import tone
from workbench.telling.telling import CUT, DEED, FOLLOW

TOGETHER_NS = 1_000_000
"""What is of a step's phase and happens within this time of its beginning shares the step."""
SAME_ACT_NS = 25_000_000
"""The same for a fault and the end of a process by it, and for nodes that follow a leader."""
CALM_NS = 1_000_000_000
"""What lies farther apart does not belong together, unless a leader is missing all the while."""

LEADS_MAX = 12
"""So many steps before the one that opens a story are told with it."""


class Word(NamedTuple):
    """One decision of a step."""

    text: str
    """For a narrow cell."""
    tone: str
    place: int
    """Of its entry in the recording."""


class Step(NamedTuple):
    """Decisions that are shown at the same time."""

    phase: str
    t_ns: int
    """Of its first entry."""
    end_ns: int
    """Of its last entry."""
    first: int
    """Place of its first entry in the recording."""
    last: int
    """Place of its last entry in the recording."""
    words: tuple[Word, ...]
    opens: bool
    """A leader is missing from here on that was there before, a log is cut, or records are lost."""
    misses: bool
    """After it a leader is missing."""


class Steps:
    """All steps of the entries seen so far. Only grows, but for its last step, which may still take in entries."""

    def __init__(self) -> None:
        self.all: list[Step] = []
        self._missing: frozenset[TopicPartition] = frozenset()
        self._known: set[tuple[Decided, int]] = set()
        """Decisions, and their nodes, since the last fault: a round that is asked again with the same end is no step,
        nor is one acknowledgement after the other."""

    def apply(self, entry: Entry, place: int, view: ClusterView, *, has_lost: bool) -> None:
        """Take in the entry at a place of the recording. view: the cluster with it; has_lost: records went with it."""
        made = decided(entry, view)
        if made is None:
            return
        key = made, entry.node
        if key in self._known and made.phase not in (DEED, CUT):
            return
        missing = leaderless(view)
        opens = bool(missing - self._missing) or has_lost or made.phase == CUT
        if opens or made.phase == DEED:
            self._known.clear()
        self._known.add(key)
        self._missing = missing
        word = Word(made.text, tone(entry), place)
        step = Step(made.phase, entry.t_ns, entry.t_ns, place, place, (word,), opens, bool(missing))
        if self.all and _is_one(self.all[-1], step):
            self.all[-1] = _joined(self.all[-1], step)
        else:
            self.all.append(step)

    def first_from(self, place: int) -> int:
        """Index of the first step that begins at that place of the recording or after it."""
        return bisect_left(self.all, place, key=lambda step: step.first)

    def are_apart(self, index: int) -> bool:
        """Whether the step does not belong to what the one before it tells."""
        before, step = self.all[index - 1], self.all[index]
        return not before.misses and step.t_ns - before.end_ns > CALM_NS

    def beginning_of(self, index: int) -> int:
        """Index of the step from which a story is told that opens with another: a fault, or what led to a cut."""
        least = max(0, index - LEADS_MAX)
        while index > least and self.all[index].phase != DEED and not self.are_apart(index):
            index -= 1
        return index


def _is_one(before: Step, step: Step) -> bool:
    """Whether the second is shown together with the first."""
    limit_ns = SAME_ACT_NS if step.phase in (DEED, FOLLOW) else TOGETHER_NS
    return step.phase == before.phase and step.t_ns - before.t_ns < limit_ns


def _joined(before: Step, step: Step) -> Step:
    is_told = step.words[0].text in [word.text for word in before.words]
    return before._replace(
        end_ns=step.end_ns,
        last=step.last,
        words=before.words if is_told else before.words + step.words,
        opens=before.opens or step.opens,
        misses=step.misses,
    )
