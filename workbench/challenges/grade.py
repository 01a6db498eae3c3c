"""Grades a solution: it is played again, and the judge of its challenge looks at every event."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultReverted
from workbench.challenges.challenge import Challenge, WholeRun
from workbench.challenges.playing import play_script
from workbench.challenges.solution import Solution, read_solution
from workbench.runs.launch import WorldChoice
from workbench.session.views.cluster import ClusterView


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What a solution came to."""

    solved: bool
    what: str
    """How it was solved, or why it was not; safe to print."""
    cost: int = 0
    """What counts before commands, such as cuts; 0 where nothing does."""
    commands: int
    time_ms: int = 0
    """From the beginning of the run to where it was solved; 0 when it was not."""
    runs: tuple[Path, ...] = ()
    """What was played, for a replay."""
    text: str = ""
    """The solution itself, to be kept."""

    @property
    def score(self) -> tuple[int, int, int]:
        """Less is better."""
        return self.cost, self.commands, self.time_ms


class Judging:
    """One challenge beside one run."""

    def __init__(self, kind: type[Challenge]) -> None:
        self._attempt = WholeRun()
        self.challenge = kind(self._attempt)
        self.solved_ns = 0
        """When it was solved, since the run began."""
        self._picture = ClusterView()
        self._began_ns = 0

    def __call__(self, entry: Entry) -> None:
        """Take in one event."""
        self._began_ns = self._began_ns or entry.t_ns
        self._picture.apply(entry)
        event, challenge = entry.event, self.challenge
        if isinstance(event, FaultApplied | FaultReverted):
            self._attempt.apply(event)
        if not challenge.result and isinstance(event, challenge.watches):
            challenge.apply(entry, event, self._picture)
            if challenge.result:
                self.solved_ns = entry.t_ns - self._began_ns


def grade_script(kind: type[Challenge], path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:
    """Play the script in a file and judge it. Refusal for a file that is no solution of this challenge."""
    solution = read_solution(path, kind.field_of(seed))
    if solution.is_impossible:
        return _impossible(kind, solution, seed)
    judging = Judging(kind)
    played = play_script(solution.script, f"Challenge {kind.number}"[:80], home, world, judging)
    challenge = judging.challenge
    solved = bool(challenge.result) and not challenge.too_much and played.held
    what = played.failure or challenge.too_much or challenge.result or _open(challenge)
    return Grade(
        solved=solved,
        what=what,
        cost=challenge.cost,
        commands=solution.commands,
        time_ms=judging.solved_ns // 1_000_000 if solved else 0,
        runs=played.folders,
        text=solution.text,
    )


def _impossible(kind: type[Challenge], solution: Solution, seed: int) -> Grade:
    """Whether it is, without playing anything."""
    if kind.is_impossible(seed):
        return Grade(solved=True, what="impossible on this field, and that is right", commands=0, text=solution.text)
    return Grade(solved=False, what="it is possible on this field", commands=0)


def _open(challenge: Challenge) -> str:
    """The first step that did not come about."""
    missing = next(step.text for step in challenge.progress() if not step.is_done)
    return f"this did not come about: {missing}"
