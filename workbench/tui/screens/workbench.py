"""The main screen: a grid, a command bar, keys that change the UI state or send a command."""

from __future__ import annotations

import gc
import sys
import time
from contextlib import suppress
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, clock_shift_ns, read_facts
from workbench.session.bootstrap import kcat_options, login_of, moved_ports
from workbench.session.hearing import Hearing, silent_words
from workbench.session.lesson.page import REPLAY
from workbench.session.live_verdicts import LiveVerdicts
from workbench.support.platform import in_background
from workbench.tui.answer import Answer, bad, expires_s, good, info
from workbench.tui.commands.commands import Commands
from workbench.tui.commands.dispatch import Dispatch
from workbench.tui.commands.mouse import Mouse
from workbench.tui.compose import draw_late, draw_screen
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.layout import WIDE, is_small
from workbench.tui.drawing.spots import Pointed
from workbench.tui.frame_rate import STEPS, FrameRate, Stillness
from workbench.tui.lateness import Lateness
from workbench.tui.modes import Help, Loading, Overlay, Starting, Watching
from workbench.tui.panes.progress import is_started
from workbench.tui.theme.themed import ThemedApp
from workbench.tui.toured import toured

SWITCH_S = 0.0005
"""How long the thread that reads the trace may keep keys and frames waiting for the interpreter."""
COLLECT_EVERY = 2
"""Frames that are drawn between two collections of garbage: each looks through the cells of the newest frame."""
CLOCK_STEP_NS = 100_000_000
"""The clock of a run in which nothing happens shows tenths of a second: it costs a row of the screen each time."""


class WorkbenchScreen(Screen[None]):
    """Draws all, shows what changed, thirty times a second."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.commands = commands
        self.session, self.ui = commands.context.session, commands.ui
        self._dispatch = Dispatch(commands)
        self._mouse = Mouse(commands, self._dispatch)
        self._grid = Grid(self._drawn, self._press, self._point)
        self._verdicts = self.ui.verdicts = LiveVerdicts(self.session.recording)
        self._frames = self._drawn_frames = 0
        self._rate, self._stillness, self._lateness = FrameRate(), Stillness(), Lateness()
        self._rests_s, self._is_awaited = 0.0, False
        """How long no frame is drawn after the last one, were it for a key; whether a key waits for its frame."""
        self._found_for = Path()
        """Run whose listeners for Kafka clients are known."""
        self._clock_of, self._shift_ns = Path(), 0
        """Run whose clock is shown, and what is between the machine's clock and that."""
        self._hearing = Hearing()
        self._answer_seen = Answer(), 0.0
        """What the answer row says, and since when."""
        self._has_selected = False
        """The leader of the quorum was selected once."""
        self._has_offered = False
        """The pane of clients was put beside the map once."""
        if self.ui.replay:
            self.ui.page = REPLAY

    def compose(self) -> ComposeResult:
        """One widget shows everything."""
        yield self._grid

    def shown_text(self) -> str:
        """Plain rows of the frame shown."""
        return "\n".join(self._grid.text_rows())

    def on_mount(self) -> None:
        """Start frames and, when live, following."""
        self._grid.focus()
        spawn = self.commands.context.host.spawn
        self.beat = self.set_interval(1 / self.ui.fps, self.tick)
        if not self.ui.replay:
            spawn(self.session.follower.run())
        if self.session.driver is not None:
            spawn(self.session.driver.run())
        spawn(self._verdicts.run())
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()
        gc.disable()

    def on_unmount(self) -> None:
        """Leave nothing running and the collector as it was."""
        sys.setswitchinterval(self._switch_s)
        gc.unfreeze()
        gc.enable()

    def on_resize(self) -> None:
        """Draw at the new size at once."""
        self._stillness.hurry()
        self.tick()

    def tick(self) -> None:
        """One frame, garbage after each second, and another rate when frames take long or stay unread."""
        started = time.perf_counter()
        follower = self.session.follower
        self.ui.error, self.ui.behind, share = self.session.error, follower.behind, follower.share_read
        self.ui.reading = f"{int(100 * share)} %" if share is not None and not self.ui.error else ""
        self._verdicts.waits = isinstance(self.ui.mode, Loading) or bool(self.ui.reading)
        self._verdicts.is_complete = self.ui.replay and not self._verdicts.waits
        if isinstance(self.ui.mode, Starting) and is_started(self.ui):
            self.ui.mode = Watching()
            self.commands.worlds.show_beside()
        if self.ui.wants_tour and isinstance(self.ui.mode, Watching) and is_started(self.ui):
            self.ui.wants_tour = False
            self.commands.run("tour")
            toured()
        self.commands.lesson.follow()
        self._follow_missions()
        self.commands.time.look_for_break()
        self._tell_time()
        self._tell_silence()
        self.commands.direction.direct(time.monotonic() * 1000)
        self.forget_old_answer(time.monotonic())
        if self._frames % STEPS[0] == 0:
            self._look_for_clients()
            self.commands.context.bookmarks.follow(self.session.run_folder)
        unread = self.app.unread if isinstance(self.app, ThemedApp) else 0
        self.ui.is_late = self._lateness.look(unread, time.monotonic())
        self._frames += 1
        if self._is_due():
            self._stillness.drew(self._grid.tick())
            self._collect()
        self.session.follower.is_calm = self._stillness.is_calm
        spent_s = time.perf_counter() - started
        self._rests_s = max(1 / STEPS[0], spent_s)
        if self._rate.after(spent_s, unread, highest=self._highest):
            self._pace()

    def _collect(self) -> None:
        """Small collections, each second one that is less small: what a frame left is looked at once for two frames."""
        self._drawn_frames += 1
        if self._drawn_frames % COLLECT_EVERY == 0:
            gc.collect(1 if self._drawn_frames % STEPS[0] == 0 else 0)

    def _drawn(self, width: int, height: int) -> Canvas:
        """A frame; to a terminal that is too slow one line says so."""
        if self.ui.is_late and not isinstance(self.ui.mode, Help):
            return draw_late(width, height, self.ui, self._grid.shown)
        return draw_screen(width, height, self.ui)

    def _is_due(self) -> bool:
        """Whether this frame is worth drawing; while something is typed or played slowly, each is."""
        ui, recording = self.ui, self.ui.recording
        if not isinstance(ui.mode, Watching) or ui.director.is_on:
            self._stillness.hurry()
        held_at = -1 if recording.follows else recording.cursor
        return self._stillness.is_due(ui.fps, len(recording.entries), len(recording.timeline.marks), held_at)

    def _follow_missions(self) -> None:
        """What came about; and who decides for the cluster is selected once there is one: missions begin with it."""
        ui = self.ui
        if ui.missions is None or not ui.shows_missions:
            return
        before = ui.missions.done_count
        ui.missions.follow(ui.recording, ui.recording.cursor if ui.director.is_on else None)
        if ui.missions.done_count != before:  # the link that was marked for it is no mark for the next one
            ui.marked = 0
        live = ui.recording.live
        leader = live.zookeeper.controller if live.zookeeper.is_used else live.quorum_leader
        if not self._has_selected and leader > 0:
            self._has_selected, ui.node = True, ui.node or leader

    def _tell_time(self) -> None:
        """Time passes in a run of processes although nothing happens; a simulated run has only what happened."""
        ui, folder = self.ui, self.session.run_folder
        is_past = ui.replay or ui.ended or ui.reading or ui.behind
        if self.session.lab is None or ui.seed is not None or is_past or not folder.name:
            ui.now_ns = 0
            return
        if folder != self._clock_of:
            self._clock_of, self._shift_ns = folder, clock_shift_ns(folder)
        ui.now_ns = (time.monotonic_ns() + self._shift_ns) // CLOCK_STEP_NS * CLOCK_STEP_NS

    def forget_old_answer(self, now_s: float) -> None:
        """What was said is not for ever; what is so still stays."""
        ui = self.ui
        if ui.answer != self._answer_seen[0]:
            self._answer_seen = ui.answer, now_s
        lasts = isinstance(ui.mode, Watching | Overlay) and not (ui.ended or ui.silent_s or ui.director.is_on)
        if lasts and ui.answer.text and now_s - self._answer_seen[1] > expires_s(ui.answer):
            ui.answer = Answer()

    def _tell_silence(self) -> None:
        """Say when nothing is heard from the lab, and when it is heard again."""
        ui, before = self.ui, self.ui.silent_s
        ui.silent_s = self._hearing.silence_s(self.session.lab, time.monotonic())
        if ui.silent_s and not before:
            ui.answer = bad(silent_words(ui.silent_s))
        elif before and not ui.silent_s and self.session.lab is not None:
            ui.answer = good(f"the lab is heard again, after {before} s")

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
                    self.commands.context.host.spawn(self._tell_moved_ports(folder, facts))
            self._found_for = folder if ui.bootstrap else Path()
        if ui.has_clients and not self._has_offered:
            self._has_offered = True
            if not is_small(*self.app.size) and self.app.size.width < WIDE:
                ui.side = "clients"

    async def _tell_moved_ports(self, folder: Path, facts: RunFacts) -> None:
        """In the pane of clients, and once on the answer row when nothing else is said there."""
        moved = await in_background(moved_ports, facts)
        if self.session.run_folder == folder:
            self.ui.moved_ports = moved
            if moved and not self.ui.answer.text and not self.ui.lesson:
                self.ui.answer = info(moved)

    @property
    def _highest(self) -> int:
        """Before a room fewer frames do: what mirrors the screen has less to carry."""
        return STEPS[1] if self.ui.presenting else STEPS[0]

    def pace_frames(self) -> None:
        """Draw as often as the mode wants."""
        self._rate.begin(self._highest)
        self._pace()

    def _pace(self) -> None:
        self.ui.fps, self.ui.slow_because = self._rate.fps, self._rate.because
        self.beat.stop()
        self.beat = self.set_interval(1 / self.ui.fps, self.tick)

    def _press(self, event: events.Key) -> bool:
        """One key of the grid."""
        self._answer_at_once()
        typed = event.character if event.character is not None and event.is_printable else ""
        return self._dispatch.press(event.key, typed)

    def _point(self, pointed: Pointed) -> None:
        """What the mouse does on the grid."""
        self._answer_at_once()
        self._mouse.point(pointed)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the open bar, several lines as commands that run one after the other."""
        self._answer_at_once()
        self._dispatch.paste(event.text)

    def _answer_at_once(self) -> None:
        """What a hand does is seen before the next frame of a slow rate; many keys have one frame."""
        self._stillness.hurry()
        if self.ui.fps < STEPS[0] and not self._is_awaited:
            self._is_awaited = True
            self.set_timer(self._rests_s, self._paint)

    def _paint(self) -> None:
        self._is_awaited = False
        self.tick()
