"""The program's half of a tab: shows what the page asks for, and tells the page what it has to know."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from cluster.scenario.script import ScriptError
from workbench.course.incidents import UnknownIncident
from workbench.course.lesson_error import LessonError
from workbench.course.library import UnknownLesson
from workbench.support.places import usable_home
from workbench.support.platform import in_background
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.settings import read_settings
from workbench.web.archive import forget_all, pack_all, take_in
from workbench.web.beside import Beside
from workbench.web.driver import TabDriver
from workbench.web.links import Link, Opened, next_link, open_link, read_link

MISTAKES = (Refusal, ScriptError, UnknownLesson, UnknownIncident, LessonError)
"""Of whoever wrote the link or the file: one sentence each."""
SENTENCE_MAX = 600


class FromPage(Protocol):
    """Bytes of JavaScript: they are none of Python's until they are copied."""

    def to_bytes(self) -> bytes:
        """The same bytes, held by Python."""
        ...


class Tab:
    """One page with one screen."""

    def __init__(self, tell: Callable[[str, Any], None], home: str, size: tuple[int, int]) -> None:
        self.tell, self.driver = tell, TabDriver
        self._home = Path(home)
        """Of all that is kept: runs, progress, settings."""
        TabDriver.draw = lambda data: tell("screen", data)
        TabDriver.size = size
        self.beside: Beside | None = None
        """Of the app that is shown."""
        self._text_beside = False

    async def show(self, text: str) -> None:
        """What a link opens, and what is chosen there next, until it is left; then the page is told how it ended."""
        try:
            link: Link | None = read_link(text)
            while link is not None:
                opened = await in_background(open_link, link, usable_home(), read_settings())
                await self._run(opened)
                self.tell("keep", "")
                link = next_link(opened.app)
        except MISTAKES as mistake:
            self.tell("failed", safe_text(str(mistake), SENTENCE_MAX))
        except Exception:
            self.tell("failed", f"the program made a mistake: {traceback.format_exc(limit=-3)}")
        else:
            self.tell("ended", "You have left it. What was played is recorded.")

    async def _run(self, opened: Opened) -> None:
        """Refusal when the app could not do what it is for."""
        telling = asyncio.ensure_future(self._tell_beside(opened.app))
        try:
            with opened.within:
                await opened.app.run_async(mouse=True, size=TabDriver.size)
        finally:
            if telling.done():
                telling.result()  # the words beside the screen would be old ones
            telling.cancel()
            self.beside = None
        if failure := getattr(opened.app, "failure", ""):
            raise Refusal(ENVIRONMENT, failure)

    def stand_beside(self, is_shown: bool) -> None:  # noqa: FBT001  # a message has no names
        """Whether the page shows the words beside the screen."""
        self._text_beside = is_shown
        if self.beside is not None:
            self.beside.stand_beside(is_shown)

    async def _tell_beside(self, app: Any) -> None:
        if isinstance(app, WorkbenchApp):
            self.beside = Beside(app, self.tell)
            self.beside.stand_beside(self._text_beside)
            await self.beside.run()

    def pack(self) -> bytes:
        """All that is kept, as one file."""
        return pack_all(self._home)

    def unpack(self, data: FromPage) -> str:
        """Take in such a file, or that of one run; tells what came in, or why nothing did."""
        try:
            return take_in(data.to_bytes(), self._home)
        except Refusal as refusal:
            return str(refusal)

    def forget(self) -> None:
        """Delete all that is kept."""
        forget_all(self._home)
