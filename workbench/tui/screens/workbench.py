"""The main screen: a grid, a command bar, keys that change the UI state or send a command."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, clock_shift_ns, read_facts
from workbench.session.bookmarks import Bookmarks
from workbench.session.bootstrap import kcat_options, login_of, moved_ports
from workbench.session.event_list import ALL, FILTERS
from workbench.session.hearing import Hearing, silent_words
from workbench.session.lesson.page import REPLAY
from workbench.session.lesson.player import LessonPlayer
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.session import Session
from workbench.tui.actions.mouse import MouseActions
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.layout import WIDE, is_small
from workbench.tui.input.suggest import complete, mistake, suggest
from workbench.tui.input.words import suggest_words, words_of_replay
from workbench.tui.panes.progress import is_started
from workbench.tui.screens.analysis.screen import AnalysisAction
from workbench.tui.ui_state import UiState

SWITCH_S = 0.0005
"""How long the thread that reads the trace may keep keys and frames waiting for the interpreter."""
FPS_STEPS = (30, 15, 8, 4)
CLOCK_STEP_NS = 100_000_000
"""The clock of a run in which nothing happens shows tenths of a second: it costs a row of the screen each time."""
LIST_KEYS = {"j": 1, "k": -1}
"""Down and up in what lies over the panes: whoever is used to these kills no node there."""
SLOW_SHARE = 0.5
"""Share of the frame budget that painting may take before the rate is halved."""


class WorkbenchScreen(AnalysisAction, MouseActions, Screen[None]):
    """Draws all, shows what changed, thirty times a second."""

    def __init__(self, session: Session, ui: UiState, player: LessonPlayer | None = None) -> None:
        super().__init__()
        self.session = session
        self.ui = ui
        self.player = player
        self._grid = Grid(lambda width, height: draw_screen(width, height, ui), self._type, self.point)
        self._verdicts = ui.verdicts = LiveVerdicts(session.recording)
        self.bookmarks = Bookmarks(session.recording)
        self._frames = 0
        self._slow = 0
        self._found_for = Path()
        """Run whose listeners for Kafka clients are known."""
        self._clock_of, self._shift_ns = Path(), 0
        """Run whose clock is shown, and what is between the machine's clock and that."""
        self._hearing = Hearing()
        self._has_offered = False
        """The pane of clients was put beside the map once."""
        self._tasks: set[asyncio.Task[None]] = set()
        if ui.replay:
            ui.page = REPLAY

    def compose(self) -> ComposeResult:
        """One widget shows everything."""
        yield self._grid

    def on_mount(self) -> None:
        """Start frames and, when live, following."""
        self._grid.focus()
        self._timer = self.set_interval(1 / self.ui.fps, self.tick)
        if not self.ui.replay:
            self.spawn(self.session.follower.run())
        if self.session.driver is not None:
            self.spawn(self.session.driver.run())
        self.spawn(self._verdicts.run())
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()
        gc.disable()

    def on_unmount(self) -> None:
        """Leave nothing running and the collector as it was."""
        for task in self._tasks:
            task.cancel()
        sys.setswitchinterval(self._switch_s)
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
        self.ui.error, self.ui.behind = self.session.error, self.session.follower.behind
        self._verdicts.is_complete = self.ui.replay and not self.ui.loading
        if self.ui.starting and is_started(self.ui):
            self.ui.starting = False
        self.show_page()
        self.look_for_break()
        self._tell_time()
        self._tell_silence()
        if self._frames % FPS_STEPS[0] == 0:
            self._look_for_clients()
            self.bookmarks.follow(self.session.run_folder)
        self._grid.tick()
        self._frames += 1
        gc.collect(1 if self._frames % 30 == 0 else 0)
        self._adapt(time.perf_counter() - started)

    def _tell_time(self) -> None:
        """Time passes in a run of processes although nothing happens; a simulated run has only what happened."""
        ui, folder = self.ui, self.session.run_folder
        if self.session.lab is None or ui.seed is not None or ui.replay or ui.ended or not folder.name:
            ui.now_ns = 0
            return
        if folder != self._clock_of:
            self._clock_of, self._shift_ns = folder, clock_shift_ns(folder)
        ui.now_ns = (time.monotonic_ns() + self._shift_ns) // CLOCK_STEP_NS * CLOCK_STEP_NS

    def _tell_silence(self) -> None:
        """Say when nothing is heard from the lab, and when it is heard again."""
        ui, before = self.ui, self.ui.silent_s
        ui.silent_s = self._hearing.silence_s(self.session.lab, time.monotonic())
        if ui.silent_s and not before:
            ui.answer = silent_words(ui.silent_s), "bad"
        elif before and not ui.silent_s and self.session.lab is not None:
            ui.answer = f"the lab is heard again, after {before} s", "good"

    def _look_for_clients(self) -> None:
        """Where Kafka clients may connect; and the pane of clients beside the map when the first ones are there."""
        ui, folder = self.ui, self.session.run_folder
        if self.session.lab is None or ui.seed is not None:
            ui.bootstrap, ui.moved_ports, self._found_for = (), "", Path()
        elif folder != self._found_for:
            ui.bootstrap, ui.moved_ports = (), ""
            with suppress(RunError):
                facts = read_facts(folder)
                ui.bootstrap = facts.bootstrap
                ui.kcat_options = kcat_options(login_of(folder, facts))
                if ui.bootstrap and self.session.owns_lab:  # of an older run nobody knows who had them then
                    self.spawn(self._tell_moved_ports(folder, facts))
            self._found_for = folder if ui.bootstrap else Path()
        if ui.has_clients and not self._has_offered:
            self._has_offered = True
            if not is_small(*self.app.size) and self.app.size.width < WIDE:
                ui.side = "clients"

    async def _tell_moved_ports(self, folder: Path, facts: RunFacts) -> None:
        """In the pane of clients, and once on the answer row when nothing else is said there."""
        told = await asyncio.to_thread(moved_ports, facts)
        if self.session.run_folder == folder:
            self.ui.moved_ports = told
            if told and not self.ui.answer[0] and not self.ui.lesson:
                self.ui.answer = told, "info"

    def _adapt(self, spent_s: float) -> None:
        self._slow = self._slow + 1 if spent_s > SLOW_SHARE / self.ui.fps else max(0, self._slow - 1)
        place = FPS_STEPS.index(self.ui.fps)
        if self._slow > 30 and place + 1 < len(FPS_STEPS):
            self._set_fps(FPS_STEPS[place + 1])
        elif self._slow == 0 and place > self._least_place and self._frames % 300 == 0:
            self._set_fps(FPS_STEPS[place - 1])

    @property
    def _least_place(self) -> int:
        """Before a room fewer frames do: what mirrors the screen has less to carry."""
        return 1 if self.ui.presenting else 0

    def pace_frames(self) -> None:
        """Draw as often as the mode wants."""
        self._set_fps(FPS_STEPS[self._least_place])

    def _set_fps(self, fps: int) -> None:
        self.ui.fps, self._slow = fps, 0
        self._timer.stop()
        self._timer = self.set_interval(1 / fps, self.tick)

    def open_bar(self, text: str) -> None:
        """Show the command bar with text typed in; keys go there at once."""
        self.ui.typing, self.ui.overlay = True, ""
        self.ui.line.open(text)
        self._changed()

    def close_bar(self) -> None:
        """Hide the command bar; keys act on the screen again."""
        self.ui.typing = False

    def _changed(self) -> None:
        self.ui.bar_error = ""
        ui, text = self.ui, self.ui.line.text
        words = suggest_words(text, simulated=ui.seed is not None, mode=ui.mode)
        ui.suggestions = words if ui.replay else (*suggest(text, ui.view), *words)

    def _type(self, event: events.Key) -> bool:
        """One key, carried out before the next is looked at: a key typed right after the colon belongs to the line."""
        if self.ui.blank:
            self.ui.blank = False
            return True
        if self.ui.asks_leave:
            self.answer_leave(event.key)
            return True
        if self.ui.starting or self.ui.loading or self.ui.ending:
            return self._type_at_progress(event.key)
        if not self.ui.typing and self.ui.overlay == "faults" and self.console_key(event.key):
            return True
        if not self.ui.typing:
            if self.ui.presenting and event.key == "b":
                self.ui.blank = True
                return True
            if self.ui.overlay and event.key in LIST_KEYS:
                self.action_upward(LIST_KEYS[event.key])
                return True
            return self.perform(event.key)
        line = self.ui.line
        if event.key == "escape":
            self.close_bar()
        elif event.key == "enter":
            self._submit(line.text.strip())
        elif event.key == "tab":
            line.replace(complete(line.text, self.ui.suggestions))
            self._changed()
        elif line.press(event.key):
            self._changed()
        elif event.character is not None and event.is_printable:
            self._insert(event.character)
        return True

    def _type_at_progress(self, key: str) -> bool:
        """While only progress is seen, what it names works and nothing is done behind it."""
        is_on = self.ui.keyboard.is_on
        if is_on("quit", key) or self.ui.starting and is_on("enter", key):
            return self.perform(key)
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the open bar, its first line only."""
        if self.ui.typing:
            self._insert(next(iter(event.text.strip().splitlines()), ""))  # terminals end pasted lines with \r

    def _insert(self, typed: str) -> None:
        """At the caret; a colon that is typed again before the line is the one that is there."""
        self.ui.line.insert(typed if self.ui.line.text else typed.lstrip(":"))
        self._changed()

    def _submit(self, text: str) -> None:
        """Search, quit or send; a line that the grammar refuses stays open with the reason."""
        ui = self.ui
        if text.startswith("/"):
            self.close_bar()
            ui.events.set_filter(ALL if text != "/" else FILTERS[0], ui.node, text[1:])
        elif text in ("q", "quit"):
            self.close_bar()
            self.ui.asks_leave = True  # nobody types a word by mistake
            self.action_leave()
        elif not text or self.obey(text):
            self.close_bar()
        else:
            wrong = words_of_replay(simulated=ui.seed is not None) if ui.replay else mistake(text)
            if wrong and len(ui.suggestions) == 1 and not mistake(ui.suggestions[0]):
                text, wrong = ui.suggestions[0], ""
            if wrong:
                ui.bar_error = wrong
                ui.line.remember()
                return
            ui.line.replace(text)
            ui.line.remember()
            self.close_bar()
            self.action_send(text)

    def action_swap(self) -> None:
        """Arrows act in the next pane."""
        panes = ("lesson", "map", "events") if self.ui.lesson else ("map", "events")
        place = panes.index(self.ui.focus) + 1 if self.ui.focus in panes else 0
        self.ui.focus = panes[place % len(panes)]
        if not self.shows(self.ui.focus):
            self.ui.main = self.ui.focus
            self.ui.zoom = self.ui.focus if self.ui.zoom else ""
