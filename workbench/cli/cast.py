"""The `export --cast` command: the screen of a recorded run as a film for any player of asciicasts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.cli.picture import columns_and_rows, opened
from workbench.session.director import SILENCE_MS
from workbench.support.new_file import new_file
from workbench.support.safe_text import safe_text
from workbench.telling.words import plural
from workbench.tui.compose import draw_screen
from workbench.tui.drawing import cast
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.theme.themes import chosen_theme
from workbench.tui.ui_state import UiState

FRAME_MS = 100
LAST_MS = 2_000
"""How long the last frame is shown."""


def write_cast(run: Path, file: str, size: str, speed: float) -> int:
    """Draw the whole run into a new file. Returns the exit code."""
    width, height = columns_and_rows(size)
    ui = opened(run)
    end_ms = 0
    with new_file(file) as film:
        first = ui.recording.entries[0].wall_ns if ui.recording.entries else 0
        film.write(cast.header(width, height, ui.title, first // 1_000_000_000).encode())
        for now_ms, text in lines_of(ui, width, height, speed):
            film.write(text.encode())
            end_ms = now_ms
    print(f"workbench: {safe_text(file, 200)}: {_what_it_shows(ui, end_ms / 1000, speed)}", file=sys.stderr)
    return 0


def _what_it_shows(ui: UiState, film_s: float, speed: float) -> str:
    """Length of run and film, and how much waiting was made short."""
    director = ui.director
    ran_s = ui.recording.seconds(ui.recording.timeline.end_ns)
    each_s = SILENCE_MS / 1000 / speed
    silent = plural(director.silences, "silence")
    cut = f"; {silent} of {director.silent_ns / 1e9:.1f} s in all, {each_s:g} s each" if director.silences else ""
    return f"{ran_s:.1f} s of the run in {film_s:.1f} s{cut}"


def lines_of(ui: UiState, width: int, height: int, speed: float) -> Iterator[tuple[int, str]]:
    """(time of the film in ms, lines of the file): a frame wherever the screen changes, marks after the frame that
    shows them. Each step of the run has its own time, a silence the same whatever its length.
    """
    recording, director, theme = ui.recording, ui.director, chosen_theme()
    marks = iter(recording.timeline.marks)
    coming = next(marks, None)
    before: Canvas | None = None
    now_ms = 0
    director.play_from(1, 0.0)
    while True:
        director.look(now_ms * speed, ui.present_ns)
        recording.seek(director.cursor)
        canvas = draw_screen(width, height, ui)
        if changes := cast.difference(canvas, before, theme):
            lines = [cast.output(now_ms * 1_000_000, changes)]
            before = canvas
            while coming is not None and coming.place < recording.cursor:
                lines.append(cast.mark(now_ms * 1_000_000, coming.text))
                coming = next(marks, None)
            yield now_ms, "".join(lines)
        if not director.is_playing:
            break
        now_ms += FRAME_MS
    now_ms += LAST_MS
    yield now_ms, cast.output(now_ms * 1_000_000, cast.END)
