"""A host without a terminal, for commands."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from tests.support.screens.screen_app import RecordingLab
from tests.support.traces import story
from workbench.course.content import Lesson
from workbench.session.lesson.player import LessonPlayer
from workbench.session.session import Session
from workbench.tui.commands.commands import Commands
from workbench.tui.commands.dispatch import Dispatch
from workbench.tui.compose import draw_screen
from workbench.tui.ui_state import UiState


class BareHost:
    """Remembers what it was asked."""

    def __init__(self, size: tuple[int, int] = (160, 45)) -> None:
        self.size = size
        self.worn = "dark"
        self.can_start = False
        self.next_lesson: Lesson | None = None
        self.next_challenge = 0
        self.player: LessonPlayer | None = None
        self.left: int | None = None
        """Exit code it was left with."""
        self.analysed: list[Path] = []
        self.paced = 0
        self.begun: list[Coroutine[Any, Any, object]] = []

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        self.begun.append(work)

    def finish(self) -> None:
        """Run to its end all that was begun."""
        while self.begun:
            asyncio.run(self.begun.pop(0))

    def leave(self, code: int) -> None:
        self.left = code

    def wear(self, name: str) -> str:
        self.worn = name
        return f"theme {name}"

    def wear_next(self) -> str:
        return self.wear("light")

    def analyse(self, folder: Path, home: Path) -> None:
        self.analysed.append(folder)

    def pace_frames(self) -> None:
        self.paced += 1

    async def start(self, seed: int | None) -> None:
        raise AssertionError("it cannot start anything")

    def leave_lesson(self) -> None:
        self.player = None

    def watch_lab(self, lab: Any) -> None:
        raise AssertionError("no other lab comes")


class Bench:
    """Commands over a recording of a story, and a lab that remembers what it was sent."""

    def __init__(self, folder: Path, *, live: bool = True, size: tuple[int, int] = (160, 45)) -> None:
        self.lab, self.host = RecordingLab(), BareHost(size)
        self.session = Session(folder, self.lab if live else None)
        self.session.recording.extend(story.full_story())
        self.ui = UiState(self.session.recording, replay=not live, title="Elections")
        self.commands = Commands(self.session, self.ui, self.host)
        self.dispatch = Dispatch(self.commands)

    def press(self, *keys: str) -> None:
        """Type keys as a terminal names them; one character is also what it types."""
        for key in keys:
            self.dispatch.press(key, key if len(key) == 1 else " " if key == "space" else "")

    def drawn(self) -> str:
        """The screen as text."""
        return "\n".join(draw_screen(*self.host.size, self.ui).text_rows())

    @property
    def said(self) -> str:
        """What stands on the answer row."""
        return self.ui.answer.text
