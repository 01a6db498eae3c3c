"""Plays one way to do the task of a learner's step, whatever of it the learner has done already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cluster.scenario.runner import ScriptRunner
from cluster.scenario.script import Do, Section
from workbench.session.lesson.step_progress import StepProgress

NOT_DONE = "the task is still not done"


async def solve(runner: ScriptRunner, section: Section, own: StepProgress, is_done: Callable[[], bool]) -> bool:
    """Whether the task is done in the end.

    The script knows the cluster as the step found it, and the learner has acted since. So a command that is refused is
    passed over, and an expectation is only waited for.
    """
    way = replace(
        section, steps=tuple(replace(one, may_fail=True) if isinstance(one, Do) else one for one in section.steps)
    )
    own.place = 0
    while own.place < len(way.steps):
        place = await runner.play(way, own.place)
        if place < len(way.steps) and is_done():
            break
        own.place = place + (place < len(way.steps))
    if await runner.comes_true(is_done):
        own.place, own.seen = len(way.steps), ""
        return True
    own.place, own.seen = 0, NOT_DONE
    return False
