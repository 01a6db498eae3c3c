"""The `export --cast` command: the screen of a recorded run as a film for any player of asciicasts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.cli.picture import columns_and_rows, opened
from workbench.session.playback import moments, notable_times, stretches
from workbench.support.new_file import new_file
from workbench.support.safe_text import safe_text
from workbench.tui.compose import draw_screen
from workbench.tui.drawing import cast
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.theme.themes import chosen_theme
from workbench.tui.ui_state import UiState

STEP_NS = 100_000_000
"""Ten frames a second."""
LAST_NS = 2_000_000_000
"""How long the last frame is shown."""


def write_cast(run: Path, file: str, size: str, speed: float) -> int:
    """Draw the whole run into a new file. Returns the exit code."""
    width, height = columns_and_rows(size)
    ui = opened(run)
    end_ns = 0
    with new_file(file) as film:
        first = ui.recording.entries[0].wall_ns if ui.recording.entries else 0
        film.write(cast.header(width, height, ui.title, first // 1_000_000_000).encode())
        for now_ns, text in lines_of(ui, width, height, speed):
            film.write(text.encode())
            end_ns = now_ns
    ran_s = ui.recording.seconds(ui.recording.timeline.end_ns)
    print(f"workbench: {safe_text(file, 200)}: {ran_s:.1f} s of the run in {end_ns / 1e9:.1f} s", file=sys.stderr)
    return 0


def lines_of(ui: UiState, width: int, height: int, speed: float) -> Iterator[tuple[int, str]]:
    """(time of the film in ns, lines of the file): a frame wherever the screen changes, marks after the frame that
    shows them.
    """
    recording, theme = ui.recording, chosen_theme()
    timeline = recording.timeline
    shown = stretches(notable_times(recording), timeline.start_ns, timeline.end_ns)
    marks = iter(timeline.marks)
    coming = next(marks, None)
    before: Canvas | None = None
    now_ns = cursor = 0
    for now_ns, run_ns in moments(shown, STEP_NS, speed):
        recording.seek_time(run_ns)
        if before is not None and recording.cursor == cursor:
            continue
        cursor = recording.cursor
        canvas = draw_screen(width, height, ui)
        lines = [cast.output(now_ns, cast.difference(canvas, before, theme))]
        before = canvas
        while coming is not None and coming.place < cursor:
            lines.append(cast.mark(now_ns, coming.text))
            coming = next(marks, None)
        yield now_ns, "".join(lines)
    now_ns += LAST_NS
    yield now_ns, cast.output(now_ns, cast.END)
