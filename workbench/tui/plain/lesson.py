"""A lesson as lines: its text, the question, what happens, the answer; enter does a step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from textwrap import wrap
from typing import Any

from cluster.scenario.runner import Launch
from workbench.course.lesson import Lesson
from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.lesson.player import LessonPlayer
from workbench.session.pace import Pace
from workbench.session.session import Session
from workbench.tui.plain.console import Console, run_console, say

WIDTH = 78
HELP = (
    "enter: do the step, or go on; a b c d: predict; n, b: next step, step before; R: try a failed step again; "
    "text: this step once more; why, verdicts and every command of the cluster; quit"
)


def play_lesson(
    lesson: Lesson, launch: Launch, *, slow: float = 1.0, progress_folder: Path | None = None, pace: Pace | None = None
) -> int:
    """Play it on clusters that launch starts, in virtual time when there is a pace. Returns the exit code."""
    session = Session(Path(), None)
    if pace is not None:
        session.driver = Driver(session.recording, pace)
    console = LessonConsole(session)
    console.player = LessonPlayer(lesson, launch, console.take_lab, slow=slow, progress_folder=progress_folder)
    console.player.is_simulated = pace is not None
    return run_console(console.play())


class LessonConsole(Console):
    """Says the pages of a lesson between the events of its cluster."""

    player: LessonPlayer

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._tasks: list[asyncio.Task[None]] = []

    def take_lab(self, lab: Any) -> None:
        """The lesson has started a cluster."""
        self.session.attach(lab, lab.run_folder)
        self._tasks.append(asyncio.ensure_future(self._watch(lab)))

    async def _watch(self, lab: Any) -> None:
        await lab.ended()
        if self.session.lab is lab and not self.player.is_running:
            self.session.lab = None
            self.player.lab_has_ended()
            say(f"the lab has ended: {self.player.how_to_begin()}")

    async def play(self) -> int:
        """From the first step until quit."""
        self._tasks += self.begin()
        say(HELP)
        self._page()
        try:
            await self.obey_lines(self._turn)
        finally:
            for task in self._tasks:
                task.cancel()
            await self.player.close()
        return 0

    async def _turn(self, line: str) -> None:
        player, page = self.player, self.player.page()
        if line in ("", "step"):
            await self._do()
        elif page.is_open and len(line) == 1 and player.predict(line):
            say(f"your prediction: {line}; enter does the step")
        elif line in ("n", "b"):
            self._go(1 if line == "n" else -1)
        elif line == "R":
            await (self._run_step() if player.has_failed else self._nothing())
        elif line == "text":
            self._page()
        elif line in ("help", "?"):
            say(HELP)
            await self.obey("help")
        else:
            await self.obey(line)

    async def _nothing(self) -> None:
        say("nothing to try again")

    async def _do(self) -> None:
        wrong = self.player.why_not()
        if wrong:
            say(wrong)
        elif self.player.is_done:
            self._go(1)
        else:
            await self._run_step()

    def _go(self, count: int) -> None:
        said = self.player.turn(count)
        if said:
            say(said)
        else:
            self._page()

    async def _run_step(self) -> None:
        for _, text in self.player.page().script:
            say(text)
        await self.player.run_step()
        await asyncio.sleep(0)
        self.tell()
        page = self.player.page()
        for text in (page.status, page.verdict, page.reveal):
            _paragraphs(text)
        say(f"[{page.button}]")

    def _page(self) -> None:
        page = self.player.page()
        say(f"{page.title}, step {page.step} of {page.steps}: {page.heading}")
        _paragraphs(page.prose)
        _question(page)
        _paragraphs(page.reveal)
        say(f"[{page.button}]")


def _question(page: LessonPage) -> None:
    if page.question:
        _paragraphs(page.question)
        for letter, choice in zip("abcd", page.choices, strict=False):
            say(f"  {letter}: {choice}")


def _paragraphs(text: str) -> None:
    for line in text.split("\n"):
        for part in wrap(line, WIDTH) or ([""] if text else []):
            say(part)
