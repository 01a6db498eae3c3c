"""The Textual app: one screen over one session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.app import App

from workbench.session.safe_text import safe_text
from workbench.session.session import Session
from workbench.tui.ui_state import UiState
from workbench.tui.workbench_screen import WorkbenchScreen


class WorkbenchApp(App[int]):
    """Shows one run, live or recorded."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "KRaft Workbench"

    def __init__(
        self,
        session: Session,
        ui: UiState,
        *,
        connect: Callable[[], Awaitable[Any]] | None = None,
        first_command: str = "",
    ) -> None:
        super().__init__()
        self.session = session
        self.ui = ui
        self.failure = ""
        """Why the lab could not be reached, for the terminal after the screen is gone."""
        self._connect = connect
        self._first_command = first_command

    def on_mount(self) -> None:
        """Straight to the workbench; the lab is reached beside it."""
        self.push_screen(WorkbenchScreen(self.session, self.ui))
        if self._connect is not None:
            self._reaching = asyncio.ensure_future(self._reach(self._connect))

    async def _reach(self, connect: Callable[[], Awaitable[Any]]) -> None:
        try:
            lab = await connect()
        except Exception as error:  # whatever it is, the terminal must come back with one line
            self.failure = f"cannot reach the lab: {safe_text(str(error), 400)}"
            self.exit(1)
            return
        self.session.attach(lab, Path(getattr(lab, "run_folder", self.session.run_folder)))
        self.ui.starting.clear()
        if self._first_command:
            done, text = await self.session.send(self._first_command)
            if not done:
                self.ui.answer = text, "bad"

    async def on_unmount(self) -> None:
        """Close the owner connection; an attached lab stops when nobody owns it."""
        close = getattr(self.session.lab, "close", None)
        if close is not None:
            done = close()
            if asyncio.iscoroutine(done):
                await done
