"""One widget for the whole screen, or one for each pane: processor time of a frame, in Textual without a terminal.

The same pure functions draw both. What differs is who lays panes out, finds what changed and puts it together: our
canvas, or Textual's compositor. Processor time is measured, so that a busy machine changes little.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from itertools import chain, islice
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult

from benchmarks.report import line
from benchmarks.screen import COLUMNS, RATES, ROWS, beginning, of_record
from cluster.model.entry import Entry
from cluster.trace.reader import read_all
from cluster.trace.writer import TraceWriter
from workbench.session.recording import Recording
from workbench.tui.compose import DRAW, draw_screen, title_of
from workbench.tui.drawing.canvas import Canvas, Rect, panel
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.layout import arrange
from workbench.tui.drawing.spots import Pointed
from workbench.tui.ui_state import UiState

FRAMES, FPS = 150, 30
SIZE = (COLUMNS, ROWS)


class Grids(App[None]):
    """Some grids on a screen, each where it was told to be."""

    CSS = "Grid { position: absolute; }"

    def __init__(self, places: list[tuple[Rect, Grid]]) -> None:
        super().__init__()
        self.places = places

    def compose(self) -> ComposeResult:
        """Fixed places: this is what a layout would have come to."""
        for rect, grid in self.places:
            grid.styles.offset = rect.x, rect.y
            grid.styles.width, grid.styles.height = rect.width, rect.height
            yield grid


def no_key(_event: events.Key) -> bool:
    """Nobody types here."""
    return False


def no_mouse(_pointed: Pointed) -> None:
    """Nobody points here."""


def as_one(ui: UiState) -> list[tuple[Rect, Grid]]:
    """The screen as it is."""
    return [(Rect(0, 0, *SIZE), Grid(lambda width, height: draw_screen(width, height, ui), no_key, no_mouse))]


def as_panes(ui: UiState) -> list[tuple[Rect, Grid]]:
    """A widget for each pane; header, answer and keys are left out."""

    def grid_of(name: str) -> Grid:
        def draw(width: int, height: int) -> Canvas:
            canvas = Canvas(width, height)
            DRAW[name](panel(canvas, Rect(0, 0, width, height), *title_of(name, ui), focused=False), ui)
            return canvas

        return Grid(draw, no_key, no_mouse)

    return [(rect, grid_of(name)) for name, rect in arrange(*SIZE).items() if name in DRAW]


async def _milliseconds(entries: list[Entry], rate: int, *, panes: bool) -> float:
    """Processor time of a frame: new events taken in, drawn, put together."""
    recording = Recording()
    ui = UiState(recording, title="Benchmark")
    per_frame = rate // FPS
    recording.extend(entries[:per_frame])
    app = Grids(as_panes(ui) if panes else as_one(ui))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        began, due = time.process_time(), time.perf_counter()
        for frame in range(1, FRAMES):
            recording.extend(entries[frame * per_frame : (frame + 1) * per_frame])
            for _, grid in app.places:
                grid.tick()
            due += 1 / FPS
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
        return (time.process_time() - began) * 1000 / (FRAMES - 1)


def _entries(rate: int, folder: Path) -> list[Entry]:
    """As many as the frames take in, of the synthetic cluster."""
    writers: dict[int, TraceWriter] = {}
    for node, event in islice(chain(beginning(), *map(of_record, range(rate))), rate * FRAMES // FPS):
        if node not in writers:
            writers[node] = TraceWriter(folder / f"{node}-0.trace", "bench", node, 0)
        writers[node].write(event, trigger="bench")
    return list(read_all(folder))


def run() -> None:
    """Measure and print."""
    for rate in RATES:
        with tempfile.TemporaryDirectory(prefix="kwb-bench-") as folder:
            entries = _entries(rate, Path(folder))
        for name, panes in (("one widget", False), ("a widget for each pane", True)):
            line(f"{rate:,} events/s, {name}", asyncio.run(_milliseconds(entries, rate, panes=panes)), "ms a frame")
