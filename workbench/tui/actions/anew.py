"""Beginning anew without leaving the terminal: the same lab once more, a lesson from its first step, another lesson."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol, cast

from workbench.course.lesson import Lesson, LessonError
from workbench.course.library import UnknownLesson, find_lesson
from workbench.runs.find import called
from workbench.session.lesson.player import STILL_RUNNING, LessonPlayer
from workbench.support.safe_text import safe_text
from workbench.tui.actions.console import ConsoleActions

SEED = re.compile(r"seed ([0-9]{1,18})")


class Starter(Protocol):
    """What is asked of the app that shows the screen."""

    next_lesson: Lesson | None

    @property
    def can_start(self) -> bool:
        """Whether this screen started the lab, and so can start another like it."""

    async def start(self, seed: int | None) -> None:
        """Start it; in a simulation perhaps with another seed."""


class AnewActions(ConsoleActions):
    """Mixed into the main screen."""

    def action_anew(self, text: str = "") -> None:
        """End this run, which stays as a recording, and begin the same anew."""
        ui, host = self.ui, cast(Starter, self.app)
        seed = SEED.fullmatch(text)
        if ui.starting or ui.ending or ui.loading:
            return
        if text and seed is None:
            ui.answer = "anew stands alone, or: anew seed 42", "bad"
        elif self.player is not None and seed is None:
            self._lesson_anew(self.player)
        elif self.player is not None or seed is not None and ui.seed is None:
            ui.answer = "a lesson goes by its own seeds" if self.player else "real processes have no seed", "warn"
        elif ui.replay or not host.can_start:
            ui.answer = "only a lab that began on this screen can begin anew", "warn"
        else:
            self._stop_repetition()
            ui.ending = "the nodes leave in order, then the same lab starts anew ..."
            self.spawn(self._lab_anew(int(seed[1]) if seed is not None else None))

    async def _lab_anew(self, seed: int | None) -> None:
        before = self.session.run_folder
        await self.session.end_lab()
        await self._let_go()
        self.ui.starting = True
        await cast(Starter, self.app).start(seed)
        self._say_begun("a new run of the same lab", before)

    def _lesson_anew(self, player: LessonPlayer) -> None:
        if player.is_running:
            self.ui.answer = STILL_RUNNING, "warn"
            return
        self._stop_repetition()
        self.ui.ending = "the cluster ends, then the lesson begins anew ..."
        self.spawn(self._first_step(player))

    async def _first_step(self, player: LessonPlayer) -> None:
        before = self.session.run_folder
        await player.begin_again()
        await self._let_go()
        self.ui.page_scroll = 0
        self._say_begun("the lesson from its first step", before)

    def _stop_repetition(self) -> None:
        """What is being done once more was meant for the run that ends."""
        if self._replaying is not None:
            self._replaying.set()

    async def _let_go(self) -> None:
        """Nothing of the run that is over stays on screen."""
        ui, close = self.ui, getattr(self.session.lab, "close", None)
        if close is not None and self.player is None:
            await close()
        self.session.detach()
        ui.node = ui.marked = ui.group_index = 0
        ui.log_index, ui.parent, ui.why, ui.overlay = None, None, [], ""
        ui.log_back = ui.rows_back = ui.group_back = ui.expected = 0
        ui.staged, ui.ended, ui.ending = set(), False, ""
        if ui.pace is not None:  # in halted time no node would ever come up
            ui.pace.is_halted = False

    def _say_begun(self, what: str, before: Path) -> None:
        kept = f"; the one before is a recording: workbench replay {called(before)}" if before.name else ""
        self.ui.answer = safe_text(what + kept, 300), "good"

    def action_open_lesson(self, text: str) -> None:
        """Leave what is on screen, as quit does, and open a lesson."""
        try:
            cast(Starter, self.app).next_lesson = find_lesson(text)
        except (UnknownLesson, LessonError) as error:
            self.ui.answer = safe_text(str(error), 400), "bad"
            return
        self.ui.asks_leave = True  # nobody types a word by mistake
        self.action_leave()
