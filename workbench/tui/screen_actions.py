"""The actions behind the keys. Each changes the UI state or sends one command."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from textual.screen import Screen

from workbench.session.describe import node_name
from workbench.session.event_list import FILTERS
from workbench.session.session import Session
from workbench.session.why import explain
from workbench.tui.layout import PANES
from workbench.tui.panes.cluster_map import rows_of_nodes
from workbench.tui.ui_state import UiState


class Actions(Screen[None]):
    """Mixed into the main screen, which owns session and state."""

    session: Session
    ui: UiState

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine beside the screen."""
        raise NotImplementedError

    def open_bar(self, text: str) -> None:
        """Show the command bar."""
        raise NotImplementedError

    def close_bar(self) -> None:
        """Hide the command bar."""
        raise NotImplementedError

    def action_help(self) -> None:
        """Keys and grammar."""
        self.ui.overlay, self.ui.overlay_scroll = ("" if self.ui.overlay == "help" else "help"), 0

    def action_type(self, text: str) -> None:
        """Open the command bar."""
        if self.ui.replay and text != "/":
            self.ui.answer = "a replay takes no commands", "warn"
            return
        self.open_bar(text + (str(self.ui.node) if text.startswith("fsync") and self.ui.node else ""))

    def action_hold(self) -> None:
        """Hold or follow the view; the cluster runs on."""
        if self.ui.recording.follows:
            self.ui.recording.pause()
        else:
            self.ui.recording.go_live()

    def action_freeze(self) -> None:
        """Freeze or thaw all nodes."""
        self.action_send("thaw" if self.ui.recording.live.frozen else "freeze")

    def action_step(self, count: int) -> None:
        """One event on or back."""
        self.ui.recording.step(count)

    def action_mark(self, direction: int) -> None:
        """Next or previous mark."""
        recording = self.ui.recording
        text = recording.next_mark() if direction > 0 else recording.previous_mark()
        self.ui.answer = (text, "info") if text else ("no more marks this way", "dim")

    def action_sideways(self, direction: int) -> None:
        """Select a node when live, scrub when held."""
        if self.ui.recording.follows and not self.ui.replay:
            self._select(direction)
        else:
            self.action_scrub(direction)

    def action_scrub(self, percent: int) -> None:
        """Along the whole run."""
        self.ui.recording.scrub(percent / 100)

    def action_start(self) -> None:
        """Before the first event."""
        self.ui.recording.seek(1)

    def action_live(self) -> None:
        """The newest event."""
        self.ui.recording.go_live()

    def action_upward(self, direction: int) -> None:
        """Scroll an overlay, or select a node or an event."""
        ui = self.ui
        if ui.overlay:
            ui.overlay_scroll = max(0, ui.overlay_scroll + direction)
        elif ui.focus == "events":
            ui.events.update(ui.recording)
            ui.events.move(ui.recording.cursor, direction)
        else:
            self._select(direction)

    def _select(self, direction: int) -> None:
        nodes = [node for row in rows_of_nodes(self.ui) for node in row]
        if nodes:
            place = nodes.index(self.ui.node) + direction if self.ui.node in nodes else 0
            self.ui.node = nodes[place % len(nodes)]

    def action_enter(self) -> None:
        """Do the lesson's step, or say why the selected event happened."""
        ui = self.ui
        if ui.overlay:
            self.action_close()
        elif ui.focus != "events" and ui.page.command and not ui.replay:
            self.open_bar(ui.page.command)
        else:
            ui.events.update(ui.recording)
            shown = ui.events.window(ui.recording.cursor, 1)
            index = ui.events.selected if ui.events.selected is not None else (shown[-1] if shown else None)
            if index is not None:
                ui.why, ui.overlay, ui.overlay_scroll = explain(ui.recording, index), "why", 0

    def action_close(self) -> None:
        """Close what is open, innermost first."""
        ui = self.ui
        if ui.typing:
            self.close_bar()
        elif ui.overlay:
            ui.overlay = ""
        elif ui.asks_quit:
            ui.asks_quit = False
        elif ui.zoom:
            ui.zoom = ""
        else:
            ui.events.selected, ui.answer = None, ("", "dim")

    def action_zoom(self, name: str) -> None:
        """One pane alone, or all again."""
        self.ui.zoom = "" if self.ui.zoom == name else name
        self.ui.main = name if name != "lesson" else self.ui.main
        if name in ("map", "events"):
            self.ui.focus = name

    def action_next_view(self) -> None:
        """The next large pane of a small screen."""
        if self.ui.zoom:
            self.ui.zoom = ""
        self.ui.main = PANES[(PANES.index(self.ui.main) + 1) % len(PANES)]
        self.ui.focus = "events" if self.ui.main == "events" else "map"

    def action_log(self, count: int) -> None:
        """Another log in the lanes."""
        self.ui.log_index = (self.ui.log_index + count) % len(self.ui.view.logs())

    def action_filter(self) -> None:
        """The next filter of the event list."""
        place = (FILTERS.index(self.ui.events.filter) + 1) % len(FILTERS)
        self.ui.events.set_filter(FILTERS[place], self.ui.node)

    def action_node(self, verb: str) -> None:
        """A fault on the selected node."""
        ui = self.ui
        if ui.asks_quit:
            return
        if not ui.node:
            self.action_type(f"{verb} ")
            return
        node = ui.recording.live.nodes.get(ui.node)
        if verb == "pause" and node is not None and node.process == "paused":
            verb = "resume"
        self.action_send(f"{verb} {ui.node}")

    def action_write(self) -> None:
        """One record to the shown partition."""
        tp = self.ui.partition
        if tp is None:
            self.action_type("topic orders replicas=3 min-isr=2")
        else:
            self.action_send(f"produce {tp} 1 acks=all")

    def action_send(self, command: str) -> None:
        """Send a command; the answer comes on the answer row."""
        if self.ui.replay:
            self.ui.answer = "a replay takes no commands", "warn"
            return
        self.ui.answer = f": {command}", "dim"
        self.spawn(self._send(command))

    async def _send(self, command: str) -> None:
        done, text = await self.session.send(command)
        self.ui.answer = f": {command}  \u2192  {text or 'done'}", "good" if done else "bad"

    def action_lesson(self) -> None:
        """Show the lesson alone, or all panes again."""
        self.ui.zoom = "" if self.ui.zoom == "lesson" else "lesson"

    def action_lesson_step(self, count: int) -> None:
        """Next or previous step of the lesson; answers the quit question with no."""
        if self.ui.asks_quit:
            self.ui.asks_quit = False

    def action_answer(self, letter: str) -> None:
        """Choose a prediction."""
        page = self.ui.page
        if page.question and not page.answered and "abcd".index(letter) < len(page.choices):
            page.answered = letter

    def action_picture(self) -> None:
        """Save the screen as SVG beside the run."""
        path = Path(self.app.save_screenshot(path=str(self.session.run_folder)))
        self.ui.answer = f"saved {path.name} in {self.session.run_folder.name}", "good"

    def action_leave(self) -> None:
        """Leave a replay at once; ask when nodes run."""
        if self.ui.replay or self.session.lab is None:
            self.app.exit(0)
        self.ui.asks_quit = True

    def on_key(self, event: object) -> None:
        """The y of the quit question."""
        if self.ui.asks_quit and getattr(event, "key", "") == "y":
            self.app.exit(0)

    def selected_name(self) -> str:
        """For tests and notes."""
        return node_name(self.ui.node)
