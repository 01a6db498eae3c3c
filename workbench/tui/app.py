"""The Textual app: one screen over one session."""

from __future__ import annotations

import asyncio
import os
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from cluster.trace.reader import TraceError
from workbench.course.content import Lesson
from workbench.session.lesson.page import KEYS
from workbench.session.lesson.player import LessonPlayer
from workbench.session.session import Session
from workbench.support.refusal import BAD_DATA, INTERRUPTED
from workbench.support.safe_text import safe_text
from workbench.tui.answer import Answer, bad, dim, info
from workbench.tui.commands.commands import Commands
from workbench.tui.modes import Ending, Loading, Starting, Watching, Why
from workbench.tui.screens.workbench import WorkbenchScreen
from workbench.tui.settings import Settings
from workbench.tui.theme.themed import ThemedApp
from workbench.tui.ui_state import UiState

if TYPE_CHECKING:
    from workbench.tui.screens.analysis.job import Analyst

Connect = Callable[..., Awaitable[Any]]
"""Starts or reaches the lab; one that starts a simulated lab takes another seed."""


class WorkbenchApp(ThemedApp[int]):
    """Shows one run, live or recorded."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "KRaft Workbench"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    def __init__(
        self,
        session: Session,
        ui: UiState,
        *,
        connect: Connect | None = None,
        player: LessonPlayer | None = None,
        first_commands: tuple[str, ...] = (),
        settings: Settings | None = None,
    ) -> None:
        settings = settings or Settings()
        super().__init__(settings.theme, mouse=settings.mouse)
        self.session = session
        self.ui = ui
        self.ui.keyboard, self.ui.directs = settings.keyboard(), settings.direct
        self.ui.is_still, self.ui.watches = not settings.motion, session.watches
        self.failure = ""
        """Why the lab could not be reached, for the terminal after the screen is gone."""
        self.next_lesson: Lesson | None = None
        """What to open once this screen is left."""
        self.next_challenge = 0
        """Number of the challenge to open instead; 0 for none."""
        self.can_connect_again = True
        """Whether connecting once more would give another lab like this one."""
        self.once_read: Callable[[], None] = lambda: None
        """What to do once a recording is read whole."""
        self._connect = connect
        self._first_page = ui.page
        self.player = player
        """Of the lesson on screen; None when there is none."""
        if player is not None:
            player.keys = {name: self.ui.keyboard.sign(name) for name in KEYS}
        self._first_commands = first_commands
        self._refused = settings.refused
        self.commands = Commands(session, ui, self)
        self._shown = WorkbenchScreen(self.commands)
        self._tasks: set[asyncio.Task[object]] = set()
        self._analyst: Analyst | None = None
        """What makes tables with Spark, once they were asked for."""

    def on_mount(self) -> None:
        """Straight to the workbench; the lab is reached beside it."""
        self.push_screen(self._shown)
        if isinstance(self.ui.mode, Loading):
            self.spawn(self._load())
        self.commands.lesson.take_up()
        self._tell_refused()
        if self._connect is not None:
            self.spawn(self._reach(self._connect))

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine beside the screen."""
        task: asyncio.Task[object] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def leave(self, code: int) -> None:
        """Close the screen."""
        self.exit(code)

    def analyse(self, folder: Path, home: Path) -> None:
        """Show tables and figures of a run on a screen of their own."""
        from workbench.tui.screens.analysis.job import Analyst
        from workbench.tui.screens.analysis.screen import AnalysisScreen

        self._analyst = self._analyst or Analyst()
        self.push_screen(AnalysisScreen(self._analyst, folder, home, self.ui.glyphs))

    def pace_frames(self) -> None:
        """Draw as often as the mode wants."""
        self._shown.pace_frames()

    async def _load(self) -> None:
        """Read the recording while what is read of it is shown; a damaged one ends the screen with one line."""

        def tell(share: float) -> None:
            if isinstance(self.ui.mode, Loading):
                self.ui.mode = Watching()
            self.ui.title = safe_text(self.session.recording.live.title, 80) or self.ui.title
            recording = self.session.recording
            if recording.follows and (recording.timeline.marks or share == 1.0):
                self.open_at_first_mark()

        try:
            await self.session.load_beside(tell)
        except (TraceError, OSError) as error:
            self.failure = f"cannot read the recording: {safe_text(str(error), 400)}"
            self.exit(BAD_DATA)
            return
        tell(1.0)
        self.once_read()

    def open_at_first_mark(self) -> None:
        """A recorded run waits where something happens first, to be played from there."""
        recording = self.session.recording
        recording.seek(recording.timeline.marks[0].place + 1 if recording.timeline.marks else 1)
        self.ui.answer = info(self.ui.keyboard.said("\u25b8 {view.pause} plays from here, one step after the other"))

    @property
    def can_start(self) -> bool:
        """Whether this screen started the lab, and so can start another like it."""
        return self._connect is not None and self.can_connect_again and self.session.owns_lab

    async def start(self, seed: int | None) -> None:
        """The lab of this screen once more; a simulated one with the seed on screen, or another."""
        assert self._connect is not None, "who starts it anew has looked"
        self.ui.page, self.ui.answer = self._first_page, Answer()
        await self._reach(self._connect, self.ui.seed if seed is None else seed)

    async def _reach(self, connect: Connect, seed: int | None = None) -> None:
        try:
            lab = await (connect() if seed is None else connect(seed))
        except Exception as error:  # whatever it is, the terminal must come back with one line
            self.failure = f"cannot reach the lab: {safe_text(str(error), 400)}"
            self.exit(1)
            return
        self.session.attach(lab, Path(getattr(lab, "run_folder", self.session.run_folder)))
        if self.ui.seed is not None:
            self.ui.seed = lab.facts.seed
        self.watch_lab(lab)
        for command in self._first_commands:
            await self._begin_with(command)
        self._tell_refused()

    def _tell_refused(self) -> None:
        """What the user set and may not, once there is something to see beside it."""
        if self._refused:
            more = f" (and {len(self._refused) - 1} more)" if len(self._refused) > 1 else ""
            self.ui.answer = bad(f"{self._refused[0]}{more}; the rest of the settings holds")

    async def _begin_with(self, command: str) -> None:
        """One of the lab's first commands; with slow timers it waits long, so say for what."""
        waits = self.ui.answer = dim(f": {command}   waits until the brokers have registered with the controller")
        done, text = await self.session.send(command)
        if not done:
            self.ui.answer = bad(text)
        elif self.ui.answer == waits:
            self.ui.answer = Answer()

    def watch_lab(self, lab: Any) -> None:
        """How many nodes to expect, and what to say when the lab is gone."""
        if isinstance(self.ui.mode, Why):  # of the run before
            self.ui.mode = Watching()
        if self.ui.ended:
            self.ui.ended, self.ui.answer = False, Answer()
        facts = getattr(lab, "facts", None)
        self.ui.expected = len(facts.nodes) if facts is not None else 0
        if hasattr(lab, "ended"):
            self.spawn(self._say_when_ended(lab))

    async def _say_when_ended(self, lab: Any) -> None:
        await lab.ended()
        while self.player is not None and self.player.is_running:  # noqa: ASYNC110  # the step may start another lab
            await asyncio.sleep(0.1)
        if self.session.lab is not lab or isinstance(self.ui.mode, Ending):
            return
        why = safe_text(str(getattr(lab, "failure", "")), 400)
        self.session.lab = None
        if isinstance(self.ui.mode, Starting) and why:
            self.failure = why
            self.exit(1)
            return
        self.ui.ended = True
        what_now = self.ui.keyboard.said("This is its recording, {quit} leaves")
        if self.can_start:
            what_now = self.ui.keyboard.said("This is its recording; {cmd}anew starts the same anew, {quit} leaves")
        if self.player is not None:
            self.player.lab_has_ended()
            what_now = self.player.how_to_begin()
        self.ui.answer = bad(f"the lab has ended: {why or 'its process is gone'}. {what_now}")

    def leave_lesson(self) -> None:
        """The lab on screen is no lesson's any more."""
        if self.player is not None and self.player.on_screen is not None:
            self.player.on_screen.gone()
        self.player = None

    async def action_leave(self) -> None:
        """As q, on the screen that asks."""
        if self.screen is not self._shown:
            self.pop_screen()
        self.commands.run("leave")

    def leave_at_once(self) -> None:
        """A cluster of ours ends with us."""
        self.exit(INTERRUPTED)

    def _print_error_renderables(self) -> None:
        """A mistake of ours is one line; the traceback goes to a file."""
        if self._exit_renderables and self._exception is not None:
            folder = self.session.run_folder if self.session.run_folder.name else Path(tempfile.gettempdir())
            path = folder / f"screen-crash-{os.getpid()}.txt"
            with suppress(OSError):
                path.write_text("".join(traceback.format_exception(self._exception)), "utf-8")
            what = safe_text(f"{type(self._exception).__name__}: {self._exception}", 200)
            self.failure = f"the screen made a mistake: {what}; see {safe_text(str(path), 200)}"
        self._exit_renderables.clear()

    async def on_unmount(self) -> None:
        """Close the owner connection; a lab of ours ends when nobody owns it."""
        for task in self._tasks:
            task.cancel()
        self.ui.leave_class()
        if self._analyst is not None:
            await self._analyst.end()
        if self.player is not None:
            await self.player.close()
            return
        close = getattr(self.session.lab, "close", None)
        if close is not None:
            done = close()
            if asyncio.iscoroutine(done):
                await done
