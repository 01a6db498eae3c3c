"""Opens the screen: on a new cluster, on a running one, on a recorded run, or the list of what there is."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cluster.trace.reader import TraceError
from workbench.commands.starting import Wanted, config_of, first_topic
from workbench.refusal import BAD_DATA, ENVIRONMENT, Refusal
from workbench.session.lesson_page import FREE_LAB
from workbench.session.safe_text import safe_text
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.ui_state import UiState

Connect = Callable[[], Awaitable[Any]]


def open_free_lab(wanted: Wanted) -> int:
    """Start a cluster with one topic and show it; the nodes end with the screen. Returns the exit code."""
    _need_terminal()
    config = config_of(wanted)

    async def connect() -> Any:
        from cluster.runtime.lab_client import launch_lab

        return await launch_lab(config)

    return _show_live(Session(Path(), None), connect, first_command=first_topic(wanted))


def open_running(run_folder: Path) -> int:
    """Show a run that is up; leaving the screen leaves it up. Returns the exit code."""
    _need_terminal()

    async def connect() -> Any:
        from cluster.runtime.lab_client import connect as connect_to

        return await connect_to(run_folder)

    return _show_live(Session(run_folder, None), connect)


def open_replay(run_folder: Path) -> int:
    """Show a recorded run; nothing can be sent. Returns the exit code."""
    _need_terminal()
    session = Session(run_folder, None)
    try:
        session.load()
    except (TraceError, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
    ui = UiState(session.recording, replay=True, title=session.recording.live.title or run_folder.name)
    session.recording.go_live()
    return WorkbenchApp(session, ui).run() or 0


def open_home() -> int:
    """Show lessons, the free lab and recorded runs; open the one chosen. Returns the exit code."""
    _need_terminal()
    from workbench.tui.home import HomeApp, carry_out

    choice = HomeApp().run()
    return carry_out(choice) if choice else 0


def _show_live(session: Session, connect: Connect, first_command: str = "") -> int:
    ui = UiState(session.recording, page=FREE_LAB, title="Free lab", starting=["Starting the nodes ..."])
    app = WorkbenchApp(session, ui, connect=connect, first_command=first_command)
    code = app.run() or 0
    if app.failure:
        raise Refusal(ENVIRONMENT, app.failure)
    return code


def _need_terminal() -> None:
    """The screen draws on a terminal or not at all."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") in (None, "", "dumb"):
        raise Refusal(ENVIRONMENT, "the screen needs a terminal; play, run, up and export work without one")
