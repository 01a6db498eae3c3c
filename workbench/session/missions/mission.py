"""What a mission is: steps that are ticked by events, a hint, a bound on the faults that it may take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultReverted
from workbench.session.story.deeds import ENDING, TRAP
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import plural

KILLING = (*ENDING, TRAP)
"""Faults that end a process, now or later."""


class Step(NamedTuple):
    """One part of a mission."""

    text: str
    """What is to come about, or what came about."""
    is_done: bool


class Attempt:
    """The faults of one attempt: from the first that is applied to a whole cluster on."""

    def __init__(self) -> None:
        self.faults: dict[int, FaultApplied] = {}
        """By id, in the order they were applied."""
        self._in_force: set[int] = set()

    def apply(self, event: FaultApplied | FaultReverted) -> None:
        """Count one more. Once nothing is in force, the next fault begins another attempt."""
        if isinstance(event, FaultReverted):
            self._in_force.discard(event.fault_id)
            return
        if not self._in_force:
            self.faults.clear()
        self._in_force.add(event.fault_id)
        self.faults[event.fault_id] = event

    @property
    def is_over(self) -> bool:
        """Whether none of its faults is in force: the next fault begins another attempt."""
        return not self._in_force

    @property
    def count(self) -> int:
        """How many faults it has taken."""
        return len(self.faults)

    def kinds(self) -> set[str]:
        """Names of their classes."""
        return {event.kind for event in self.faults.values()}


class Mission(ABC):
    """One mission in one run. It is told every event of the kinds that it watches, until it is done."""

    name: ClassVar[str]
    """As it is kept in the learner's progress."""
    title: ClassVar[str]
    price: ClassVar[str] = ""
    """What it may take, in two or three words; empty where nothing bounds it."""
    faults_max: ClassVar[int | None] = None
    may_kill: ClassVar[bool] = True
    watches: ClassVar[tuple[type, ...]]
    steps: ClassVar[tuple[str, ...]]
    """What is to come about, in order."""
    afterwards: ClassVar[str] = ""
    """What to try next, once it is done."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.ticks: list[str] = []
        """What came about for each step so far."""
        self.result = ""
        """Two or three words on how it was done; empty before."""

    @abstractmethod
    def hint(self, picture: ClusterView) -> str:
        """What to do, with keys by their ids in braces."""

    @abstractmethod
    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """Take in one event. picture: the cluster with it."""

    def tick(self, number: int, text: str = "") -> None:
        """Step number, from 0, came about, in these words; those before it did so too."""
        if text and number < len(self.ticks):
            self.ticks[number] = text
        while len(self.ticks) <= number:
            self.ticks.append(self.steps[len(self.ticks)] if len(self.ticks) < number or not text else text)

    def reset(self) -> None:
        """Begin anew: what was under way has come to nothing."""
        self.ticks.clear()

    def done(self, result: str = "") -> None:
        """It came about; within its bounds it is done, else the next attempt has to do."""
        if not self.too_much:
            self.tick(len(self.steps) - 1)
            self.result = result or plural(self.attempt.count, "fault")

    @property
    def too_much(self) -> str:
        """Why the attempt cannot count any more; empty while it can."""
        count = self.attempt.count
        if self.faults_max is not None and count > self.faults_max:
            return f"that took {plural(count, 'fault')}, {self.faults_max} may be used"
        if not self.may_kill and self.attempt.kinds().intersection(KILLING):
            return "a process was ended, and that may not be used"
        return ""

    def progress(self) -> list[Step]:
        """Its steps, those that came about in the words of what happened."""
        open_ones = [Step(text, False) for text in self.steps[len(self.ticks) :]]
        return [*(Step(text, True) for text in self.ticks), *open_ones]


def seconds_said(duration_ns: int) -> str:
    """As "5.1 ms" or "0.58 s"."""
    return f"{duration_ns / 1e6:.1f} ms" if duration_ns < 100_000_000 else f"{duration_ns / 1e9:.2f} s"
