"""The analysis of the run on screen: made by the pipeline in a process of its own, shown in the terminal."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.spots import Pointed
from workbench.tui.screens.analysis.job import Analysis, Analyst
from workbench.tui.screens.analysis.views import VIEWS, Chosen, draw_analysis

TICK_S = 0.1


class AnalysisScreen(Screen[None]):
    """Progress at first, then views; escape goes back to the run."""

    def __init__(self, analyst: Analyst, run_folder: Path, out: Path, glyphs: str = "full") -> None:
        super().__init__()
        self._analyst = analyst
        self.job = Analysis(run_folder, out)
        self.chosen = Chosen()
        self._analysing: asyncio.Task[None] | None = None
        self._grid = Grid(
            lambda width, height: draw_analysis(width, height, self.job, self.chosen, glyphs), self._type, self._point
        )

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self._grid

    def on_mount(self) -> None:
        """Begin at once."""
        self._grid.focus()
        self.set_interval(TICK_S, self.tick)
        self._begin()

    def _begin(self) -> None:
        self.job = Analysis(self.job.folder, self.job.out)
        self._analysing = asyncio.ensure_future(self._analyst.analyse(self.job))

    async def on_unmount(self) -> None:
        """A pipeline that nobody waits for ends."""
        if self._analysing is not None:
            self._analysing.cancel()
            with suppress(asyncio.CancelledError):
                await self._analysing

    def on_resize(self) -> None:
        """Draw at the new size."""
        self.call_after_refresh(self.tick)

    def tick(self) -> None:
        """One frame."""
        if self.job.is_working:
            self.job.seconds = time.monotonic() - self.job.began_s
        self._grid.tick()

    def text_rows(self) -> list[str]:
        """What is on screen, for tests."""
        return self._grid.text_rows()

    def _point(self, pointed: Pointed) -> None:
        """A click on a tab chooses it, the wheel scrolls."""
        tab = next((spot.value[0] for spot in pointed.spots if spot.kind == "tab"), None)
        if pointed.what == "click" and isinstance(tab, int):
            self.chosen = Chosen(tab, self.chosen.log)
        elif pointed.what == "wheel":
            self.chosen.scroll = max(0, self.chosen.scroll + pointed.times)
        else:
            return
        self.tick()

    def _type(self, event: events.Key) -> bool:
        chosen = self.chosen
        views = {"right": 1, "tab": 1, "v": 1, "left": -1, "shift+tab": -1}
        scrolls = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10, "home": -(1 << 20), "end": 1 << 20}
        if event.key in ("escape", "q", "D"):
            self.dismiss()
            return True
        if event.key in ("ctrl+q", "ctrl+c"):
            return False
        if event.key in views:
            self.chosen = Chosen((chosen.view + views[event.key]) % len(VIEWS), chosen.log)
        elif event.key in ("t", "T"):
            chosen.log += 1 if event.key == "t" else -1
        elif event.key in scrolls:
            chosen.scroll = max(0, chosen.scroll + scrolls[event.key])
        elif event.character in ("<", ">"):
            chosen.across = max(0, chosen.across + (1 if event.character == ">" else -1))
        elif event.key == "r" and not self.job.is_working:
            self._begin()
        else:
            return True
        self.tick()
        return True
