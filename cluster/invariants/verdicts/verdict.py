"""What the checker says: invariants, violations, and one of five verdicts for each invariant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cluster.model.entry import EventId
from cluster.model.identifiers import Offset, TopicPartition


class Verdict(StrEnum):
    """The outcome of one invariant over one run."""

    HOLDS = "HOLDS"
    """Checked at least once and never broken."""
    VIOLATED = "VIOLATED"
    """Broken, and no assumption it leans on was broken before."""
    EXPECTED = "EXPECTED"
    """Broken each time only after an assumption it leans on was broken."""
    UNEXPECTED_PASS = "UNEXPECTED-PASS"
    """The run was to break this invariant, and it was not broken."""
    NOT_EVALUATED = "NOT EVALUATED"
    """The events it looks at never occurred; never counts as passed."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One invariant of the contract."""

    id: str
    """For example R1."""
    title: str
    source: str
    """Paper, KIP or Kafka class."""
    assumptions: tuple[str, ...] = ()
    """Ids of the assumptions without which it need not hold, for example A1."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An assumption that a fault or a setting has suspended."""

    assumption: str
    """For example A1."""
    event: EventId
    why: str
    scope: TopicPartition | None
    """The partition it concerns, METADATA for the quorum; None for the whole run."""
    below: Offset | None = None
    """Records from here on (inclusive) it does not concern: nobody had them yet; None when it concerns all."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where an invariant is broken."""

    invariant: str
    """Id of the invariant."""
    sentence: str
    """What contradicts what, in one plain sentence."""
    events: tuple[EventId, ...]
    """The two or three events that contradict each other, the last one first."""
    record: str = ""
    """The record that is concerned, for example orders-0 offset 17; empty when there is none."""
    broken: Broken | None = None
    """The assumption that excuses it; None when nothing does."""


@dataclass(frozen=True, slots=True)
class InvariantVerdict:
    """One line of the table."""

    info: Invariant
    verdict: Verdict
    checks: int
    """How often it was evaluated."""
    violation_count: int
    """How often it was broken, excused or not."""
    violations: tuple[Violation, ...]
    """The first ones; those that nothing excuses come first."""
