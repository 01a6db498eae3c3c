"""The `export --svg` command: the screen of a recorded run as a picture."""

from __future__ import annotations

import re
from pathlib import Path

from cluster.trace.reader import TraceError
from workbench.session.lesson.page import REPLAY
from workbench.session.session import Session
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.layout import LEAST_HEIGHT, LEAST_WIDTH
from workbench.tui.drawing.svg import canvas_svg
from workbench.tui.theme.themes import chosen_theme
from workbench.tui.ui_state import UiState

MOST = 400
_SIZE = re.compile(r"([0-9]{1,3})x([0-9]{1,3})")


def write_picture(run: Path, file: str, at_s: float | None, size: str) -> int:
    """Draw the run at at_s seconds (None: at its end) into a new file. Returns the exit code."""
    width, height = columns_and_rows(size)
    ui = opened(run)
    if at_s is not None:
        ui.recording.seek_time(ui.recording.timeline.start_ns + round(at_s * 1e9))
    with new_file(file) as picture:
        picture.write(canvas_svg(draw_screen(width, height, ui), ui.title, chosen_theme()).encode())
    return 0


def opened(run: Path) -> UiState:
    """The whole run behind a screen, at its end. Refusal when it cannot be read."""
    session = Session(run, None)
    try:
        session.load()
    except (TraceError, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
    title = safe_text(session.recording.live.title or run.name, 80)
    return UiState(session.recording, replay=True, title=title, page=REPLAY)


def columns_and_rows(size: str) -> tuple[int, int]:
    parts = _SIZE.fullmatch(size)
    if parts is None or not (LEAST_WIDTH <= int(parts[1]) <= MOST and LEAST_HEIGHT <= int(parts[2]) <= MOST):
        allowed = f"COLUMNSxROWS from {LEAST_WIDTH}x{LEAST_HEIGHT} to {MOST}x{MOST}"
        raise Refusal(USAGE, f"--size: '{safe_text(size, 40)}'; allowed: {allowed}")
    return int(parts[1]), int(parts[2])
