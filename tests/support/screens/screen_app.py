"""The app over a recording of a story, and a lab that remembers its commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from textual.pilot import Pilot

from cluster.lab import LEARNER, Answer
from tests.support.traces import story
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.workbench import WorkbenchScreen
from workbench.tui.ui_state import UiState

LIMIT_S = 60.0


class RecordingLab:
    """Remembers commands."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.left = self.stays = False

    @property
    def run_folder(self) -> Path:
        raise AssertionError("nobody asks where it writes")

    async def close(self) -> None:
        """Nothing to let go of."""

    async def stay(self) -> None:
        self.stays = True

    async def leave(self, *, in_order: bool) -> None:
        self.left = in_order

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        self.commands.append(text)
        return Answer(True, f"did {text}")


def made(tmp_path: Path, *, live: bool) -> tuple[WorkbenchApp, RecordingLab]:
    lab = RecordingLab()
    session = Session(tmp_path, lab if live else None)
    session.recording.extend(story.full_story())
    ui = UiState(session.recording, replay=not live, title="Elections")
    return WorkbenchApp(session, ui), lab


def rows(app: WorkbenchApp) -> str:
    screen = app.screen
    assert isinstance(screen, WorkbenchScreen)
    screen.tick()
    return "\n".join(screen._grid.text_rows())


async def until(pilot: Pilot[int], reached: Callable[[], bool]) -> None:
    """Let the app go on until it is so."""
    deadline = monotonic() + LIMIT_S
    while not reached():
        assert monotonic() < deadline, "not reached"
        await pilot.pause(0.01)


async def shows(pilot: Pilot[int], app: WorkbenchApp, *wanted: str) -> str:
    """The screen once it holds all of them."""
    deadline = monotonic() + LIMIT_S
    while not all(item in (shown := rows(app)) for item in wanted):
        assert monotonic() < deadline, f"{wanted} did not appear:\n{shown}"
        await pilot.pause(0.02)
    return shown
