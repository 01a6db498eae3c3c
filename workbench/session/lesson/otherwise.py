"""When would a wrong answer be right? The other world of its option, played in a simulation beside the lesson."""

from __future__ import annotations

from pathlib import Path

from workbench.course.content import OtherWorld, Step
from workbench.course.other_world import PlayedWorld, play_other_world
from workbench.session.lesson.player import LessonPlayer
from workbench.support.platform import run_to_end

NO_OTHER_WORLD = "after a wrong answer this plays a world in which it would be right"
IN_NO_RUN = "no world makes this answer right: the reason beside it says why"


def world_of(player: LessonPlayer) -> OtherWorld | None:
    """A world in which the answer that was chosen, and was not right, would be; None without one."""
    question = player.step.question
    return next(iter(question.options[player.own.answer].would), None) if question and is_wrong(player) else None


def is_wrong(player: LessonPlayer) -> bool:
    """Whether the step on screen has run, and its question was answered otherwise than the run did."""
    own, asks = player.own, not player.is_last_page and player.step.question is not None
    return asks and own.told is not None and own.answer not in (-1, own.told.right)


def play_world(player: LessonPlayer, step: Step, world: OtherWorld, home: Path, seed: int) -> PlayedWorld:
    """From the beginning of the step's cluster to its end, as fast as it goes; for a thread of its own.

    seed: of the step's cluster. NotStarted when its cluster does not start.
    """
    from workbench.runs.launch import WorldChoice

    assert step.question is not None
    option = next(option for option in step.question.options if world in option.would)
    choice = WorldChoice(simulated=True, seed=seed)
    launch, slow = choice.launcher(home, player.slow), player.slow
    return run_to_end(play_other_world(player.lesson, step, option, world, launch, slow=slow, timing=player.timing))
