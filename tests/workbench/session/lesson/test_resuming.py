from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.lesson_world import learner
from tests.support.worlds.steps_lesson import SCRIPT, steps_lesson
from workbench.course.content import Lesson


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return steps_lesson(tmp_path / "lessons")


async def answer_and_leave(tmp_path: Path, lesson: Lesson) -> None:
    """The first step, the question answered wrong; left at the task."""
    async with learner(tmp_path, lesson) as at:
        while at.page.look_at:
            await at.enter()
        await at.until(lambda: not at.player.is_running)
        await at.enter()
        at.choose("dead-leads")
        await at.to_the_end_of_the_step()
        await at.enter()


async def test_a_lesson_that_was_left_goes_on_at_its_step_with_its_answers(tmp_path: Path, lesson: Lesson) -> None:
    await answer_and_leave(tmp_path, lesson)
    async with learner(tmp_path, lesson) as at:
        assert at.page.heading == "Your turn" and at.player.has_cluster
        state = at.player._seen.state
        assert state.node(1).process == "down", "what was done before was played again"
        assert at.player.turn(-1) == ""
        page = at.page
        assert page.verdict.startswith("You said") and [piece.kind for piece in page.whys] == ["wrong", "right", "key"]
        assert "Broker 2 leads. Changes: 1." in [piece.text for piece in page.after], "as it was told then"
        assert at.player.turn(1) == ""
        done, _ = await at.session.send("start 1")
        assert done
        await at.until(lambda: at.player.is_done)


async def test_a_command_that_was_refused_is_not_shown_as_done_later(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path / "lessons", script=SCRIPT.replace("kill 1\n", "kill 1\ntry kill 1\n", 1))
    await answer_and_leave(tmp_path, lesson)
    async with learner(tmp_path, lesson) as at:
        assert at.player.turn(-1) == ""
        (undone,) = (text for state, text in at.page.script if state == "undone")
        assert undone.startswith(": kill 1  \u2192  ")


async def test_a_step_with_a_cluster_of_its_own_needs_nothing_played_again(tmp_path: Path, lesson: Lesson) -> None:
    await answer_and_leave(tmp_path, lesson)
    async with learner(tmp_path, lesson) as at:
        await at.session.send("start 1")
        await at.until(lambda: at.player.is_done)
        await at.enter()
    async with learner(tmp_path, lesson) as at:
        assert at.page.heading == "Another shop" and not at.player.has_cluster
        at.choose("")
        await at.to_the_end_of_the_step()
        assert at.page.verdict.endswith("is right.")


async def test_an_answer_that_was_chosen_and_not_yet_run_is_still_chosen(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        while at.page.look_at:
            await at.enter()
        await at.until(lambda: not at.player.is_running)
        await at.enter()
        letter = at.choose("dead-leads")
    async with learner(tmp_path, lesson) as at:
        assert (at.page.answered, at.page.verdict) == (letter, "")
        assert at.player.why_not() == ""
