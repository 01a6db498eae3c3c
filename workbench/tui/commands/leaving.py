"""Commands that end a run: leave the screen, begin the same anew, open another lesson."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.course.lesson_error import LessonError
from workbench.runs.find import called
from workbench.session.lesson.player import STILL_RUNNING, LessonPlayer
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad, good, warn
from workbench.tui.commands.console import ConsoleCommands
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.modes import AskingToLeave, Ending, Loading, Starting, Watching

SEED = re.compile(r"seed ([0-9]{1,18})")


class LeavingCommands(Group):
    """A cluster of processes ends only after a question; a simulated run comes again from its recording."""

    def __init__(self, context: Context, console: ConsoleCommands) -> None:
        super().__init__(context)
        self._console = console

    @command
    def leave(self) -> None:
        """Leave; a cluster of ours is ended first, step by step on the screen."""
        ui, player = self.ui, self.host.player
        mode = ui.mode
        if isinstance(mode, Ending | Loading) or self.session.lab is None or not self.session.owns_lab:
            self.host.leave(0)
        elif isinstance(mode, AskingToLeave | Starting) or self.session.driver or player and player.is_finished:
            self._end_and_leave()
        else:
            ui.mode = AskingToLeave(mode)  # asked on the answer row, over whatever comes in meanwhile

    def _end_and_leave(self) -> None:
        if self.session.lab is None or not self.session.owns_lab:
            self.host.leave(0)
            return
        self.ui.mode = Ending("the nodes leave in order ...")
        self.host.spawn(self._end())

    def answer_leave(self, key: str, asking: AskingToLeave) -> None:
        """The key after the question: another one than its answers does nothing else, were it an n for no."""
        if key in ("ctrl+q", "ctrl+c") or self.ui.keyboard.is_on("quit", key):
            self.leave()
            return
        self.ui.mode = asking.behind
        if key == "y" and self.host.player is None:
            self.host.spawn(self._stay())

    async def _stay(self) -> None:
        """The cluster outlives its screen."""
        try:
            await self.session.keep_lab()
        except (OSError, EOFError) as error:
            self.ui.answer = bad(f"it cannot be left running: {safe_text(str(error), 200)}")
            return
        self.host.leave(0)

    async def _end(self) -> None:
        await self.session.end_lab()
        self.ui.mode = Ending("the run has ended")
        self.host.leave(0)

    @command
    def quit(self) -> None:
        """Leave without a question: nobody types a word by mistake."""
        self._end_and_leave()

    @command
    def open_lesson(self, text: str) -> Said:
        """Leave what is on screen, as quit does, and open a lesson."""
        from workbench.course.library import UnknownLesson, find_lesson

        try:
            self.host.next_lesson = find_lesson(text)
        except (UnknownLesson, LessonError) as error:
            return bad(safe_text(str(error), 400))
        self._end_and_leave()
        return None

    @command
    def anew(self, text: str = "") -> Said:
        """End this run, which stays as a recording, and begin the same anew."""
        ui, player, seed = self.ui, self.host.player, SEED.fullmatch(text)
        if isinstance(ui.mode, Starting | Ending | Loading):
            return None
        if text and seed is None:
            return bad("anew stands alone, or: anew seed 42")
        if player is not None and seed is None:
            return self._lesson_anew(player)
        if seed is not None and (player is not None or ui.seed is None):
            return warn("a lesson goes by its own seeds" if player else "real processes have no seed")
        if ui.replay or not self.host.can_start:
            return warn("only a lab that began on this screen can begin anew")
        self._console.stop_repetition()
        ui.mode = Ending("the nodes leave in order, then the same lab starts anew ...")
        self.host.spawn(self._lab_anew(int(seed[1]) if seed is not None else None))
        return None

    async def _lab_anew(self, seed: int | None) -> None:
        before = self.session.run_folder
        await self.session.end_lab()
        await self._let_go()
        self.ui.mode = Starting()
        await self.host.start(seed)
        self._say_begun("a new run of the same lab", before)

    def _lesson_anew(self, player: LessonPlayer) -> Said:
        if player.is_running:
            return warn(STILL_RUNNING)
        self._console.stop_repetition()
        self.ui.mode = Ending("the cluster ends, then the lesson begins anew ...")
        self.host.spawn(self._first_step(player))
        return None

    async def _first_step(self, player: LessonPlayer) -> None:
        before = self.session.run_folder
        await player.begin_again()
        await self._let_go()
        self.ui.page_scroll = 0
        self._say_begun("the lesson from its first step", before)

    async def _let_go(self) -> None:
        """Nothing of the run that is over stays on screen."""
        ui, close = self.ui, getattr(self.session.lab, "close", None)
        if close is not None and self.host.player is None:
            await close()
        self.session.detach()
        ui.node = ui.marked = ui.group_index = 0
        ui.drop_worlds()
        ui.log_index, ui.mode = None, Watching()
        ui.log_back = ui.rows_back = ui.group_back = ui.expected = 0
        ui.ended = False
        if ui.pace is not None:  # in halted time no node would ever come up
            ui.pace.is_halted = False

    def _say_begun(self, what: str, before: Path) -> None:
        kept = f"; the one before is a recording: workbench replay {called(before)}" if before.name else ""
        self.ui.answer = good(safe_text(what + kept, 300))
