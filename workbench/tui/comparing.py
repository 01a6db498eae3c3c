"""Opens the screen on a recorded run with another beside it, or prints what came of both."""

from __future__ import annotations

from pathlib import Path

from cluster.trace.reader import TraceError
from workbench.session.comparison import read_world, two_worlds
from workbench.session.comparison_lines import lines_of
from workbench.session.session import Session
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.drawing.canvas import ascii_text
from workbench.tui.modes import Loading
from workbench.tui.settings import Settings
from workbench.tui.terminal import glyphs
from workbench.tui.ui_state import UiState


def comparing_app(left: Path, right: Path, settings: Settings) -> WorkbenchApp:
    """The app over the first run, which shows both as soon as it is read."""
    session = Session(left, None)
    ui = UiState(session.recording, replay=True, title=safe_text(left.name, 80), mode=Loading("reading ..."))
    ui.glyphs = glyphs(settings.glyphs)
    app = WorkbenchApp(session, ui, settings=settings)
    app.once_read = lambda: app.commands.worlds.show_runs(left, right)
    return app


def print_comparison(left: Path, right: Path) -> int:
    """The same as lines; the exit code. Refusal when a run cannot be read."""
    try:
        worlds = two_worlds(lambda: read_world(left), lambda: read_world(right))
    except (TraceError, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
    try:
        print(ascii_text("\n".join(lines_of(worlds))))
    finally:
        worlds.close()
    return 0
