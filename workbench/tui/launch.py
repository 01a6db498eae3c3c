"""Opens the screen: on a new cluster, on a running one, on a recorded run, or the list of what there is."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cluster.trace.reader import TraceError
from workbench.session.lesson_page import FREE_LAB
from workbench.session.safe_text import safe_text
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.ui_state import UiState

Connect = Callable[[], Awaitable[Any]]
NO_TERMINAL = "workbench: the screen needs a terminal; `workbench export` works without one"


def open_lab(config: Any, lesson: str | None = None) -> int:
    """Start a cluster and show it; the nodes stop with the screen. Returns the exit code."""

    async def connect() -> Any:
        from cluster.runtime.lab_client import launch_lab

        return await launch_lab(config, detached=False)

    return _show_live(Session(Path(), None), connect, lesson or "")


def open_replay(run_folder: Path) -> int:
    """Show a recorded run; nothing can be sent. Returns the exit code."""
    if not sys.stdout.isatty():
        print(NO_TERMINAL, file=sys.stderr)
        return 2
    session = Session(run_folder, None)
    try:
        session.load()
    except (TraceError, OSError) as error:
        print(f"workbench: cannot read the recording: {safe_text(str(error), 400)}", file=sys.stderr)
        return 1
    ui = UiState(session.recording, replay=True, title=session.recording.live.title or run_folder.name)
    session.recording.go_live()
    return WorkbenchApp(session, ui).run() or 0


def open_home() -> int:
    """Show lessons, the free lab and recorded runs; open the one chosen. Returns the exit code."""
    if not sys.stdout.isatty():
        print(NO_TERMINAL, file=sys.stderr)
        return 2
    from workbench.tui.home import HomeApp, carry_out

    choice = HomeApp().run()
    return carry_out(choice) if choice else 0


def _show_live(session: Session, connect: Connect, lesson: str) -> int:
    if not sys.stdout.isatty():
        print(NO_TERMINAL, file=sys.stderr)
        return 2
    ui = UiState(session.recording, page=FREE_LAB, title="Free lab", starting=["Starting the nodes ..."])
    app = WorkbenchApp(session, ui, connect=connect, lesson=lesson)
    code = app.run() or 0
    if app.failure:
        print(app.failure, file=sys.stderr)
        return 1
    return code
