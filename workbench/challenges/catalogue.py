"""The ten challenges, in order. What grades them is loaded when it is needed: the first screen only lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.challenges.challenge import Challenge
from workbench.challenges.elections import NoLeader, TwoLeaders
from workbench.challenges.groups import ReadTwice
from workbench.challenges.losses import LoseThree, LoseWithOneFault
from workbench.challenges.replicas import IsrFlaps, UnavailableButSafe

if TYPE_CHECKING:
    from workbench.challenges.grade import Grade
    from workbench.runs.launch import WorldChoice

GradeFile = Callable[[Path, int, Path, "WorldChoice"], "Grade"]
"""(the learner's file, seed, where runs are kept, world)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One challenge as it is listed."""

    number: int
    title: str
    task: str
    graded: str
    begin: Callable[[int], str]
    """What its solution begins with, or is made of, for a seed."""
    grade: GradeFile | None
    """None where another command grades."""
    on_screen: type[Challenge] | None = None
    """What is judged beside a living cluster; None for one that has a form of its own."""
    record: Callable[[int, Path], Path] | None = None
    """Makes the recording that it is about; None where there is none."""


def _script(kind: type[Challenge]) -> Listed:
    def grade(path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:
        from workbench.challenges.grade import grade_script

        return grade_script(kind, path, seed, home, world)

    return Listed(
        number=kind.number,
        title=kind.title,
        task=kind.task,
        graded=kind.graded,
        begin=kind.field_of,
        grade=grade,
        on_screen=kind,
    )


SCRIPTED = (LoseWithOneFault, LoseThree, TwoLeaders, NoLeader, UnavailableButSafe, IsrFlaps, ReadTwice)
HUNT = Listed(
    number=7,
    title="The bug hunt",
    task="A cluster runs with one bug that is not named. Find the rule that it breaks, with faults alone.",
    graded="a script that is red on the sealed cluster and green on the sound one",
    begin=lambda _seed: "workbench hunt",
    grade=None,
)


def _grade_night(path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:
    from workbench.challenges.night import grade

    return grade(path, seed, home, world)


def _begin_night(_seed: int) -> str:
    from workbench.challenges.night import begin

    return begin()


def _grade_detective(path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:
    from workbench.challenges.detective import grade

    return grade(path, seed, home, world)


def _record_detective(seed: int, home: Path) -> Path:
    from workbench.challenges.detective import record

    return record(seed, home)


NIGHT = Listed(
    number=8,
    title="Survive the night",
    task=(
        "The faults of a night are given. Choose the replication factor, min.insync.replicas, acks and unclean "
        "election, so that no acknowledged record is lost in any of 20 simulated nights."
    ),
    graded="nothing lost over 20 seeds, least time in which no write was acknowledged",
    begin=_begin_night,
    grade=_grade_night,
)
DETECTIVE = Listed(
    number=9,
    title="Detective",
    task=(
        "A recording has its faults hidden. Three times something was done to one node or one link: kill, pause, "
        "isolate or cut. Say what, where and when it began, one line each, such as: at 4.2s pause 2."
    ),
    graded="all three, each to 0.5 s, and nothing else",
    begin=lambda _seed: "at 4.2s pause 2\nat 12s isolate 101\nat 20.5s cut 1-3",
    grade=_grade_detective,
    record=_record_detective,
)
CHALLENGES: tuple[Listed, ...] = tuple(
    sorted((*map(_script, SCRIPTED), HUNT, NIGHT, DETECTIVE), key=lambda listed: listed.number)
)
