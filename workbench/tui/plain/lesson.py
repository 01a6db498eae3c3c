"""A lesson as lines: its text, the question, what happens, the answer; enter does a step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import monotonic
from typing import Any

from cluster.runtime.run.folder import RunError, read_facts
from cluster.scenario.runner import Launch, NotStarted
from cluster.trace.reader import TraceError
from workbench.course.content import Lesson
from workbench.course.glossary import read_glossary, terms_of
from workbench.course.other_world import in_words
from workbench.course.reading.question import misconceptions_in
from workbench.session.comparison import read_world, two_worlds
from workbench.session.comparison_lines import lines_of
from workbench.session.driver import Driver
from workbench.session.lesson.markdown import unmarked
from workbench.session.lesson.otherwise import IN_NO_RUN, NO_OTHER_WORLD, is_wrong, play_world, world_of
from workbench.session.lesson.page import NO_CHALLENGE, LessonPage
from workbench.session.lesson.pages import page_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.resuming import catch_up, missing_steps, take_up
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab
from workbench.session.session import Session
from workbench.support.places import home_of
from workbench.support.platform import in_background
from workbench.support.safe_text import safe_text
from workbench.tui.plain.console import Console, run_console, say, say_all
from workbench.tui.plain.page_lines import end_lines, held_lines, paragraphs, step_lines

LOOK_S = 0.1
HELP = (
    "enter: do the step, or go on; a b c d: predict; n, b: next step, step before; R: try a failed step again; "
    "o: after a wrong answer, a world in which it would be right; text: this step once more; terms: what its words "
    "mean; c: on the last page, its challenge; why, verdicts and every command of the cluster; quit"
)


def play_lesson(
    lesson: Lesson, launch: Launch, *, slow: float = 1.0, seed: int = 0, progress_folder: Path | None = None,
    pace: Pace | None = None,
) -> int:  # fmt: skip
    """Play it on clusters that launch starts, in virtual time when there is a pace. Returns the exit code."""
    session = Session(Path(), None)
    if pace is not None:
        session.driver = Driver(session.recording, pace)
    console = LessonConsole(session)
    console.player = LessonPlayer(
        lesson, launch, console.take_lab, slow=slow, seed=seed, progress_folder=progress_folder, pace=pace
    )
    take_up(console.player, progress_folder)
    return run_console(console.play())


class LessonConsole(Console):
    """Says the pages of a lesson between the events of its cluster."""

    player: LessonPlayer

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._tasks: list[asyncio.Task[Any]] = []
        self._hints = 0
        """Of the step on screen, said so far."""

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
        """From the first step, or where it was left, until quit."""
        self._tasks += self.begin()
        say(HELP)
        if missing_steps(self.player):
            say("taking up the lesson where you left it: its cluster is made again ...")
            await catch_up(self.player)
        await self._open()
        self._tasks.append(asyncio.ensure_future(self._watch_task()))
        try:
            await self.obey_lines(self._turn)
        finally:
            for task in self._tasks:
                task.cancel()
            await self.player.close()
        return 0

    @property
    def _page(self) -> LessonPage:
        folder = self.player.lesson.folder.parent
        return page_of(self.player, misconceptions_in(folder) if self.player.is_last_page else None)

    async def _turn(self, line: str) -> None:
        player, page = self.player, self._page
        if line in ("", "step"):
            await self._do()
        elif page.is_open and len(line) == 1 and player.predict(line):
            say(f"your prediction: {line}; enter does the step")
        elif line in ("n", "b"):
            await self._go(1 if line == "n" else -1)
        elif line == "R":
            await (self._run_step() if player.has_failed else self._nothing())
        elif line == "text":
            self._say_page()
        elif line == "o":
            await self._would()
        elif line == "c" and player.is_last_page:
            self._say_challenge()
        elif line == "terms":
            self._say_terms()
        elif line in ("help", "?"):
            say(HELP)
            await self.obey("help")
        else:
            await self.obey(line)

    def _say_challenge(self) -> None:
        number = self.player.lesson.challenge
        say(f"its challenge: workbench challenge {number}" if number else NO_CHALLENGE)

    async def _would(self) -> None:
        """Play the world in which the answer would be right, and say what came of both."""
        player, folder = self.player, self.session.run_folder
        world = world_of(player)
        if world is None:
            say(IN_NO_RUN if is_wrong(player) else NO_OTHER_WORLD)
            return
        if player.own.run:
            folder = folder.with_name(player.own.run)
        changes = safe_text(player.with_names(in_words(world)), 300)
        say(f"playing this once more in a simulation, with: {changes} ...")
        if isinstance(self.session.lab, PacedLab):
            self.session.lab.flush()
        try:
            seed = read_facts(folder).seed or 0
            played = await in_background(play_world, player, player.step, world, home_of(folder), seed)
            own = read_world(folder, "as it was")
            length_ns = max(own.length_ns, played.length_ns) if played.length_ns else 0
            worlds = two_worlds(lambda: own, lambda: read_world(played.run_folder, "where you are right", length_ns))
        except (NotStarted, RunError, TraceError, OSError) as error:
            say(f"it cannot be played: {safe_text(str(error), 300)}")
            return
        for line in lines_of(worlds):
            say(line)
        worlds.close()

    async def _nothing(self) -> None:
        say("nothing to try again")

    async def _do(self) -> None:
        player = self.player
        if player.go_on():
            await self._settled()
            return
        wrong = player.why_not()
        if player.is_last_page:
            say(f"the next lesson: workbench learn {player.lesson.next}" if player.lesson.next else "quit leaves")
        elif wrong:
            say(wrong)
        elif player.is_done:
            await self._go(1)
        else:
            await self._run_step()

    async def _go(self, count: int) -> None:
        refusal = self.player.turn(count)
        if refusal:
            say(refusal)
        else:
            await self._open()

    async def _open(self) -> None:
        """Say the step on screen; one that begins by itself is run."""
        self._hints = 0
        self._say_page()
        if self.player.begin_what_is_due():
            await self._run_step()

    async def _run_step(self) -> None:
        for _, text in self._page.script:
            say(text)
        self._tasks.append(asyncio.ensure_future(self.player.run_step()))
        await asyncio.sleep(0)
        await self._settled()

    async def _settled(self) -> None:
        """Until the step has run or the view is held; then what is to be seen, or how it ended."""
        player = self.player
        while player.is_running and not (player.held is not None and player.held.pane):
            player.changed.clear()
            await player.changed.wait()
        await asyncio.sleep(0)
        self.tell()
        page = self._page
        if page.look_at:
            say_all(held_lines(page))
        else:
            say_all(end_lines(page))
        say(f"[{page.button}]")

    async def _watch_task(self) -> None:
        """Say when the learner has done what a step asks for, and each hint as it comes."""
        player = self.player
        while True:
            await asyncio.sleep(LOOK_S)
            was_open = player.task is not None and not player.is_done
            player.look_at_task(monotonic())
            hints = player.task.hints[: player.own.hints] if player.task is not None and was_open else ()
            for hint in hints[self._hints :]:
                say_all(paragraphs(f"hint: {unmarked(player.tell(hint.text))}"))
            self._hints = max(self._hints, len(hints))
            if was_open and player.is_done and not player.is_running:
                say_all(end_lines(self._page))
                say(f"[{self._page.button}]")

    def _say_page(self) -> None:
        say_all(step_lines(self._page))
        if self.player.is_done:
            say_all(end_lines(self._page))
        say(f"[{self._page.button}]")

    def _say_terms(self) -> None:
        for term in terms_of(self.player.step, read_glossary(self.player.lesson.folder.parent)):
            short = f" ({term.short})" if term.short else ""
            say_all(paragraphs(safe_text(f"{term.name}{short}: {term.sentence}", 600)))
