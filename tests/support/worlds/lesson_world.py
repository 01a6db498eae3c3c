"""A lesson that is played in virtual time, as fast as it goes, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic

from cluster.lab import Lab
from workbench.course.content import Lesson
from workbench.session.branch import paced_launcher
from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.lesson.pages import page_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.resuming import catch_up, take_up
from workbench.session.pace import Pace
from workbench.session.session import Session

LIMIT_S = 60.0
SEED = 7


class Learner:
    """Presses enter and letters; waits for what comes of it."""

    def __init__(self, folder: Path, lesson: Lesson) -> None:
        self.pace = Pace()
        self.pace.set("max")
        self.session = Session(Path(), None)
        self.session.driver = Driver(self.session.recording, self.pace)
        self.state = folder / "state"
        launch = paced_launcher(folder / "home", SEED, self.pace, lesson.script)
        self.player = LessonPlayer(
            lesson, launch, self._take_lab, seed=SEED, progress_folder=self.state, pace=self.pace
        )
        self._tasks: list[asyncio.Task[bool]] = []

    def _take_lab(self, lab: Lab) -> None:
        self.session.attach(lab, lab.run_folder)

    @property
    def page(self) -> LessonPage:
        return page_of(self.player)

    async def until(self, reached: Callable[[], bool]) -> None:
        deadline = monotonic() + LIMIT_S
        while not reached():
            assert monotonic() < deadline, f"not reached: {self.page}"
            self.player.look_at_task(monotonic())
            await asyncio.sleep(0.002)  # a screen looks now and then too; the step runs beside, in this loop

    def begin(self) -> None:
        """Run the step on screen; it goes on beside."""
        self._tasks.append(asyncio.ensure_future(self.player.run_step()))

    async def settled(self) -> None:
        """Until the view is held, or the step has run."""
        await asyncio.sleep(0)
        await self.until(lambda: self.player.held is not None or not self.player.is_running)

    async def enter(self) -> None:
        """As the key: on from a hold point, or run, or the next step; then wait for what comes."""
        player = self.player
        if not player.go_on():
            assert player.why_not() == ""
            if player.is_done:
                assert player.turn(1) == ""
                if not player.begin_what_is_due():
                    return
            self.begin()
        await self.settled()

    async def to_the_end_of_the_step(self) -> None:
        """Enter until the step has run."""
        await self.enter()
        while self.page.look_at:
            await self.enter()
        await self.until(lambda: not self.player.is_running)

    def choose(self, belief: str) -> str:
        """Answer by the name of a misconception, empty for the right one. The letter."""
        letter = next(letter for letter, option in self.player.options.items() if option.misconception == belief)
        assert self.player.predict(letter)
        return letter


@asynccontextmanager
async def learner(folder: Path, lesson: Lesson) -> AsyncIterator[Learner]:
    """Plays from the first step, or from where it was left in this folder."""
    found = Learner(folder, lesson)
    take_up(found.player, found.state)
    driver = found.session.driver
    assert driver is not None
    living = asyncio.ensure_future(driver.run())
    try:
        await catch_up(found.player)
        if found.player.begin_what_is_due():
            found.begin()
            await found.settled()
        yield found
    finally:
        await found.player.close()
        living.cancel()
        with suppress(asyncio.CancelledError):
            await living
