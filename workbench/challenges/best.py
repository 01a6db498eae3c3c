"""The best that a learner has handed in for each challenge: its score, and the solution itself, to be graded again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench.challenges.catalogue import CHALLENGES, Listed
from workbench.course.progress import finished_missions, record_score, scores
from workbench.support.state_files import state_folder

if TYPE_CHECKING:
    from workbench.challenges.grade import Grade

KIND = "challenges"


@dataclass(frozen=True, slots=True)
class Best:
    """What is kept of one challenge."""

    cost: int
    commands: int
    time_ms: int
    seed: int
    world: str
    """simulated or processes."""
    digest: str
    what: str

    @property
    def score(self) -> tuple[int, int, int]:
        """Less is better."""
        return self.cost, self.commands, self.time_ms


def best_of(number: int, folder: Path | None = None) -> Best | None:
    """What was kept; None before, and when it is damaged."""
    kept = scores(KIND, folder).get(str(number))
    try:
        return None if kept is None else Best(**kept)
    except TypeError:
        return None


def kept_solution(number: int, folder: Path | None = None) -> Path:
    """Where the best solution of a challenge is kept."""
    return (folder or state_folder()) / KIND / f"{number:02d}.txt"


def keep(number: int, grade: Grade, seed: int, world: str, folder: Path | None = None) -> bool:
    """Keep a solution that is solved and better than what was kept; whether it was."""
    before = best_of(number, folder)
    if not grade.solved or (before is not None and not edited(number, folder) and before.score <= grade.score):
        return False
    path = kept_solution(number, folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(grade.text, "utf-8")
    kept = {"cost": grade.cost, "commands": grade.commands, "time_ms": grade.time_ms, "seed": seed, "world": world}
    record_score(KIND, str(number), kept | {"digest": _digest(grade.text), "what": grade.what}, folder)
    return True


def edited(number: int, folder: Path | None = None) -> str:
    """What is wrong with the solution that is kept; empty when nothing is, or nothing is kept."""
    best, path = best_of(number, folder), kept_solution(number, folder)
    if best is None:
        return ""
    try:
        same = _digest(path.read_text("utf-8")) == best.digest
    except (OSError, UnicodeDecodeError):
        return f"{path} cannot be read any more; hand the solution in again"
    return "" if same else f"{path} was changed after it was graded; hand it in again"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def best_said(listed: Listed, folder: Path | None = None) -> str:
    """The best so far, in a few words; empty before."""
    best = best_of(listed.number, folder)
    if best is not None:
        return "changed since it was graded" if edited(listed.number, folder) else score_said(best)
    return "solved on the screen" if f"challenge-{listed.number}" in finished_missions(folder) else ""


def score_said(score: Best | Grade) -> str:
    """As "8, then 1 command, 20.8 s", or "29.6 s refused" where settings are handed in and no commands."""
    if score.cost and not score.commands:
        return f"{score.cost / 1000:.1f} s refused"
    cost = f"{score.cost}, then " if score.cost else ""
    many = f"{score.commands} command" + ("" if score.commands == 1 else "s")
    return f"{cost}{many}, {score.time_ms / 1000:.1f} s"


class Offer(NamedTuple):
    """A challenge as the first screen lists it."""

    verb: str
    """challenge; empty for one that is played in a shell alone."""
    name: str
    text: str
    note: str
    """The best so far, or open."""
    kind: str
    """done, or empty while it is open."""
    about: str


def offers(folder: Path | None = None) -> list[Offer]:
    """All ten, in order."""
    return [_offer(listed, best_said(listed, folder)) for listed in CHALLENGES]


def _offer(listed: Listed, best: str) -> Offer:
    is_opened = listed.grade is None or listed.on_screen is not None
    how = "" if is_opened else f"\n\nworkbench challenge {listed.number} in a shell says more."
    about = f"{listed.task}\n\nGraded: {listed.graded}.{how}"
    text, verb = f"{listed.number:2}  {listed.title}", "challenge" if is_opened else ""
    return Offer(verb, str(listed.number), text, best or "open", "done" if best else "", about)
