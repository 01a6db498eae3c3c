"""The main screen: a grid, a command bar, keys that change the UI state or send a command."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Coroutine
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input

from workbench.session.lesson_page import REPLAY
from workbench.session.session import Session
from workbench.tui.compose import draw_screen
from workbench.tui.grid import Grid
from workbench.tui.keys import BINDINGS
from workbench.tui.screen_actions import Actions
from workbench.tui.suggest import complete, suggest
from workbench.tui.ui_state import UiState

FPS_STEPS = (30, 15, 8, 4)
SLOW_SHARE = 0.5
"""Share of the frame budget that painting may take before the rate is halved."""


class WorkbenchScreen(Actions, Screen[None]):
    """Draws all, shows what changed, thirty times a second."""

    BINDINGS: ClassVar[list[BindingType]] = list(BINDINGS)
    CSS = """
    WorkbenchScreen { layers: base bar; background: #0f141c; }
    Grid { width: 100%; height: 100%; layer: base; background: #0f141c; }
    #bar { layer: bar; dock: bottom; offset-y: -1; display: none; height: 1; border: none; padding: 0 1;
           background: #24507a; color: #ffffff; }
    #bar.open { display: block; }
    """

    def __init__(self, session: Session, ui: UiState) -> None:
        super().__init__()
        self.session = session
        self.ui = ui
        self._grid = Grid(lambda width, height: draw_screen(width, height, ui))
        self._bar = Input(id="bar", compact=True, select_on_focus=False, max_length=400)
        self._frames = 0
        self._slow = 0
        self._tasks: set[asyncio.Task[None]] = set()
        if ui.replay:
            ui.page = REPLAY

    def compose(self) -> ComposeResult:
        """Grid below, bar above it."""
        yield self._grid
        yield self._bar

    def on_mount(self) -> None:
        """Start frames and, when live, following."""
        self._grid.focus()
        self._timer = self.set_interval(1 / self.ui.fps, self.tick)
        if not self.ui.replay:
            self.spawn(self.session.follower.run())
        gc.collect()
        gc.freeze()
        gc.disable()

    def on_unmount(self) -> None:
        """Leave nothing running and the collector as it was."""
        for task in self._tasks:
            task.cancel()
        gc.unfreeze()
        gc.enable()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine beside the screen."""
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def on_resize(self) -> None:
        """Draw at the new size at once."""
        self.tick()

    def tick(self) -> None:
        """One frame, a small garbage collection, and a slower rate on a slow terminal."""
        started = time.perf_counter()
        self.ui.error = self.session.follower.error
        self._grid.tick()
        self._frames += 1
        gc.collect(1 if self._frames % 30 == 0 else 0)
        self._adapt(time.perf_counter() - started)

    def _adapt(self, spent_s: float) -> None:
        self._slow = self._slow + 1 if spent_s > SLOW_SHARE / self.ui.fps else max(0, self._slow - 1)
        place = FPS_STEPS.index(self.ui.fps)
        if self._slow > 30 and place + 1 < len(FPS_STEPS):
            self._set_fps(FPS_STEPS[place + 1])
        elif self._slow == 0 and place and self._frames % 300 == 0:
            self._set_fps(FPS_STEPS[place - 1])

    def _set_fps(self, fps: int) -> None:
        self.ui.fps, self._slow = fps, 0
        self._timer.stop()
        self._timer = self.set_interval(1 / fps, self.tick)

    def open_bar(self, text: str) -> None:
        """Show the command bar with text typed in."""
        self.ui.typing = True
        self._bar.value = text
        self._bar.cursor_position = len(text)
        self._bar.add_class("open")
        self._bar.focus()
        self.ui.suggestions = suggest(text, self.ui.view)

    def close_bar(self) -> None:
        """Hide the command bar; keys act on the screen again."""
        self.ui.typing = False
        self._bar.remove_class("open")
        self._grid.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Suggestions follow the text."""
        self.ui.suggestions = suggest(event.value, self.ui.view)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search or send."""
        text = event.value.strip()
        self.close_bar()
        if text.startswith("/"):
            self.ui.events.set_filter("all" if text != "/" else "notable", self.ui.node, text[1:])
        elif text in ("q", "quit"):
            self.action_leave()
        elif text:
            self.action_send(text)

    def action_swap(self) -> None:
        """In the bar: take the first suggestion. Else: arrows act in the other pane."""
        if self.ui.typing:
            self._bar.value = complete(self._bar.value, self.ui.suggestions)
            self._bar.cursor_position = len(self._bar.value)
        else:
            self.ui.focus = "events" if self.ui.focus == "map" else "map"
