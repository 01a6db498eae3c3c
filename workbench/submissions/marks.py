"""What a submission is worth, part by part, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.submissions.answers import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One part: a lesson, a challenge, or the quiz of one time."""

    part: str
    """As people call it: lesson 2."""
    points: int
    points_max: int
    answers: tuple[Answer, ...] = ()
    """Of a lesson; those that count."""
    against: tuple[str, ...] = ()
    """Why less counts than was claimed, or why to look at it: one clause each, safe to print."""
    note: str = ""
    """What else is worth saying; nothing against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One file."""

    file: str
    """Below the folder that was graded."""
    learner: str
    """As the file says; the name of the file where it cannot be read. Safe to print."""
    marks: tuple[Mark, ...] = ()
    against: tuple[str, ...] = ()
    """What speaks against the file as a whole."""
    recordings: tuple[str, ...] = field(default=(), repr=False)
    """Digests of the recordings of processes in it: no two runs of processes are alike."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """All that speaks against it."""
        return (*self.against, *(f"{mark.part}: {why}" for mark in self.marks for why in mark.against))

    @property
    def points(self) -> int:
        """Of all parts."""
        return sum(mark.points for mark in self.marks)

    @property
    def points_max(self) -> int:
        """Of all parts."""
        return sum(mark.points_max for mark in self.marks)
