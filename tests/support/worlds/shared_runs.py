"""Runs to share: made as learners make them, in virtual time and without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.simulation.lab.headless import HeadlessLab
from tests.support.worlds.paced_world import Watched
from workbench.course.content import Question
from workbench.course.library import find_lesson
from workbench.runs.launch import launch_simulation
from workbench.session.branch import paced_launcher
from workbench.session.driver import Driver
from workbench.session.lesson.player import LessonPlayer
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab
from workbench.session.session import Session

TEN = (
    "topic orders replicas=3 min-isr=2", "produce orders 10 acks=all", "cut 1>2", "produce orders 5 acks=1",
    "kill leader(orders-0)", "pause controller", "load 20", "heal", "start 1", "isolate 3",
)  # fmt: skip


def lab_run(home: Path, commands: Sequence[str] = TEN, seconds: float = 1.0, seed: int = 7) -> Path:
    """A lab that somebody watched, with a command each so many seconds."""

    async def story() -> Path:
        world = Watched(home, seed)
        for command in commands:
            await world.send(command)
            world.seconds(seconds)
        await world.lab.close()
        return world.lab.run_folder

    return asyncio.run(story())


def plain_run(home: Path, title: str = "A lab") -> Path:
    """One that nobody did anything to."""
    lab = HeadlessLab(launch_simulation(home, ClusterSpec(seed=3, title=title)))
    lab.let_pass(500_000_000)
    asyncio.run(lab.close())
    return lab.run_folder


async def watched_lesson(
    home: Path, name: str, also: Sequence[str] = (), *, seed: int = 5, choose: Callable[[Question], str] = lambda _: "a"
) -> list[Path]:
    """The runs of a lesson whose questions were all answered.

    Args:
        also: what the learner does by the way, once the first step has run.
        choose: the letter, or the belief behind an option; empty for the right one.
    """
    pace, session, lesson = Pace(), Session(Path(), None), find_lesson(name)
    pace.set("max")
    session.driver = Driver(session.recording, pace)
    folders: list[Path] = []

    def take(lab: object) -> None:
        assert isinstance(lab, PacedLab)
        session.attach(lab, lab.run_folder)
        folders.append(lab.run_folder)

    player = LessonPlayer(
        lesson, paced_launcher(home, seed, pace, lesson.script), take, progress_folder=home, pace=pace
    )
    driving = asyncio.ensure_future(session.driver.run())
    try:
        while not player.is_last_page:
            await _take_step(player, choose)
            if player.has_cluster:
                pace.is_halted = False
                for command in also:
                    assert (await session.send(command))[0]
                also = ()
            assert player.turn(1) == ""
    finally:
        await player.close()
        driving.cancel()
    return folders


async def _take_step(player: LessonPlayer, choose: Callable[[Question], str]) -> None:
    if player.options and player.step.question is not None:
        chosen = choose(player.step.question)
        assert player.predict(
            next(letter for letter, option in player.options.items() if chosen in (letter, option.misconception))
        )
    if player.task is not None:
        player.begin_what_is_due()
        player.own.hints = len(player.task.hints)
    if player.step.do is not None:
        going_on = asyncio.ensure_future(_go_on(player))
        assert await player.run_step(), player.own.seen
        going_on.cancel()


async def _go_on(player: LessonPlayer) -> None:
    """From each moment at which the view is held."""
    while True:
        await asyncio.sleep(0)
        player.go_on()
