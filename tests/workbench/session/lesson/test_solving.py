"""One way to do a task is played, whatever the learner has done already."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.lesson_world import Learner, learner
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.session.lesson.solving import NOT_DONE
from workbench.session.lesson.step_progress import FAILED, OPEN

FAR_LATER = float("inf")
"""By then each hint has come."""


async def at_the_task(at: Learner) -> None:
    while at.player.task is None:
        if at.player.options and at.player.own.answer < 0:
            at.choose("")
        await at.to_the_end_of_the_step()
        await at.enter()


async def test_what_the_learner_has_done_of_it_is_passed_over(tmp_path: Path) -> None:
    async with learner(tmp_path, steps_lesson(tmp_path / "lessons")) as at:
        await at_the_task(at)
        started, _ = await at.session.send("start 1")
        at.player.look_at_task(FAR_LATER)
        assert started and at.player.own.state == OPEN, "it is up, and not in the ISR yet"
        await at.to_the_end_of_the_step()
        assert at.player.is_done and at.player.own.failed[0] == "node 1 is running"


async def test_a_way_that_does_not_do_it_any_more_says_so(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path / "lessons", ("done when: isr orders-0 = 1,2", "done when: isr orders-0 = 1"))
    async with learner(tmp_path, lesson) as at:
        await at_the_task(at)
        at.player.look_at_task(FAR_LATER)
        await at.to_the_end_of_the_step()
        assert (at.player.own.state, at.player.own.seen) == (FAILED, NOT_DONE)
        assert NOT_DONE in at.page.status
