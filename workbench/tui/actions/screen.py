"""The actions behind the keys. Each changes the UI state or sends one command."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from pathlib import Path
from typing import cast

from cluster.lab import LEARNER, LECTURER
from workbench.session.describe.sentences import node_name
from workbench.session.event_list import FILTERS
from workbench.session.views.cluster import disk_word, process_word
from workbench.session.why import explain
from workbench.support.safe_text import safe_text
from workbench.tui.actions.leave import LeaveActions
from workbench.tui.compose import draw_screen, places_of
from workbench.tui.drawing.layout import PANES, is_small
from workbench.tui.drawing.svg import canvas_svg, free_name
from workbench.tui.input.keys import OVERLAY_ACTIONS
from workbench.tui.input.words import find_word
from workbench.tui.panes.cluster_map import rows_of_nodes
from workbench.tui.theme.themed import ThemedApp

LOOKS, LOOK_S = 20, 0.05
"""How often, and after what time each, a fault is looked for that a command may have made."""


class Actions(LeaveActions):
    """Mixed into the main screen, which owns session and state."""

    @abstractmethod
    def open_bar(self, text: str) -> None:
        """Show the command bar."""

    @abstractmethod
    def pace_frames(self) -> None:
        """Draw as often as the mode wants."""

    @abstractmethod
    def close_bar(self) -> None:
        """Hide the command bar."""

    def perform(self, key: str) -> bool:
        """Do what a key stands for; false when it stands for nothing."""
        name, arguments = self.ui.keyboard.actions.get(key, ("", ()))
        if name and self.ui.overlay and name not in OVERLAY_ACTIONS:
            self.action_close()
        if name and self.is_answer(key):
            name, arguments = "answer", (key,)
        if name:
            getattr(self, f"action_{name}")(*arguments)
        return bool(name)

    def action_help(self) -> None:
        """Keys and grammar."""
        self.ui.overlay, self.ui.overlay_scroll = ("" if self.ui.overlay == "help" else "help"), 0

    def action_type(self, text: str) -> None:
        """Open the command bar."""
        if self.ui.replay and text and not find_word(text) and not text.startswith("/"):
            self.ui.answer = "a replay takes no commands", "warn"
            return
        self.open_bar(text)

    def action_disk(self) -> None:
        """The disk commands, with the selected node filled in."""
        node = self.ui.recording.live.nodes.get(self.ui.node)
        trouble = disk_word(node) if node is not None else ""
        if trouble:
            self.action_type(f"{'disk-ok' if trouble in ('FULL', 'MISREADS') else 'fsync ok'} {self.ui.node}")
        else:
            self.action_type(f"fsync lie {self.ui.node}" if self.ui.node else "fsync ")

    def action_client_fault(self) -> None:
        """What may stand between a broker and its Kafka clients, with the selected node filled in."""
        ui = self.ui
        node = ui.recording.live.nodes.get(ui.node)
        if node is not None and "broker" not in node.roles:
            ui.answer = f"no Kafka client talks to {node_name(ui.node)}: choose a broker", "warn"
        elif node is not None and ui.recording.live.client_fault(ui.node):
            self.action_type(f"client ok {ui.node}")
        else:
            self.action_type(f"client drop-responses {ui.node} 50%" if ui.node else "client ")

    def action_hold(self) -> None:
        """Hold or follow the view; the cluster runs on."""
        if self.ui.recording.follows:
            self.ui.recording.pause()
        else:
            self.ui.recording.go_live()

    def action_freeze(self) -> None:
        """Freeze or thaw all nodes."""
        self.action_send("thaw" if self.ui.recording.live.is_frozen else "freeze")

    def action_step(self, count: int) -> None:
        """One event on or back; on from the newest one while time is halted: the simulation's next."""
        if count < 0 or not self.goes_beyond("event"):
            self.ui.recording.step(count)

    def action_mark(self, direction: int) -> None:
        """Next or previous mark."""
        recording = self.ui.recording
        if direction > 0 and self.goes_beyond("mark"):
            return
        text = recording.next_mark() if direction > 0 else recording.previous_mark()
        self.ui.answer = (text, "info") if text else ("no more marks this way", "dim")

    def action_sideways(self, direction: int) -> None:
        """Turn the lesson's pages, select a node when live, scrub when held."""
        if self.ui.focus == "lesson":
            self.action_lesson_step(direction)
        elif self.ui.recording.follows and not self.ui.replay:
            self.select(direction)
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
        self.ui.events.selected = None
        self.ui.log_back = self.ui.rows_back = self.ui.group_back = 0

    def action_upward(self, direction: int) -> None:
        """Scroll an overlay, or select a node or an event."""
        ui = self.ui
        if ui.overlay:
            ui.overlay_scroll = max(0, ui.overlay_scroll + direction)
        elif ui.focus == "lesson":
            ui.page_scroll = max(0, ui.page_scroll + direction)
        elif ui.focus == "events":
            ui.events.update(ui.recording)
            ui.events.move(ui.recording.cursor, direction)
        else:
            self.select(1 if direction > 0 else -1)

    def select(self, direction: int) -> None:
        """The next node, or the one before."""
        nodes = [node for row in rows_of_nodes(self.ui) for node in row]
        if nodes:
            place = nodes.index(self.ui.node) + direction if self.ui.node in nodes else 0
            self.ui.node = nodes[place % len(nodes)]
            if not self.shows("map"):
                known = self.ui.view.nodes[self.ui.node]
                text = f"{process_word(known)} {safe_text(known.quorum_role, 20)}".rstrip()
                self.ui.answer = f"{node_name(self.ui.node)} selected: {text}", "dim"

    def action_enter(self) -> None:
        """Do the lesson's step, or say why the selected event happened."""
        ui = self.ui
        if ui.starting:
            ui.starting = False
        elif ui.overlay == "verdicts":
            self.show_broken()
        elif ui.overlay == "jump":
            self.jump_there()
        elif ui.overlay:
            self.action_close()
        elif ui.focus != "events" and ui.lesson:
            self.action_do()
        else:
            ui.events.update(ui.recording)
            shown = ui.events.window(ui.recording.cursor, 1)
            index = ui.events.selected if ui.events.selected is not None else (shown[-1] if shown else None)
            if index is not None:
                self.show_why(index)

    def show_why(self, index: int) -> None:
        """Why the event at an index happened."""
        self.ui.why, self.ui.overlay, self.ui.overlay_scroll = explain(self.ui.recording, index), "why", 0

    def action_present(self) -> None:
        """Before a room, or back."""
        ui = self.ui
        ui.presenting = not ui.presenting
        ui.answers_shown, ui.pointer = False, None
        self.pace_frames()

    def action_answers(self) -> None:
        """Before a room: show or hide what is right."""
        if self.ui.presenting:
            self.ui.answers_shown, self.ui.page_scroll = not self.ui.answers_shown, -1
        else:
            self.ui.answer = self.ui.keyboard.said("answers are hidden in presenter mode only: {presenter.mode}"), "dim"

    def action_close(self) -> None:
        """Close what is open, innermost first."""
        ui = self.ui
        if ui.typing:
            self.close_bar()
        elif ui.overlay:
            ui.overlay, ui.staged = "", set()
        elif ui.zoom:
            ui.zoom = ""
        else:
            ui.events.selected, ui.answer = None, ("", "dim")

    def action_number(self, number: int) -> None:
        """Predict while a question is open, else one pane alone."""
        page = self.ui.page
        if self.ui.lesson and page.is_open and self.ui.focus == "lesson" and number <= len(page.choices):
            self.action_answer("abcd"[number - 1])
        else:
            self.action_zoom(PANES[number - 1])

    def action_zoom(self, name: str) -> None:
        """One pane alone, or all again."""
        self.ui.zoom = "" if self.ui.zoom == name else name
        self.ui.main = name if name != "lesson" else self.ui.main
        if name in ("map", "events") or name == "lesson" and self.ui.lesson:
            self.ui.focus = name

    def action_clients(self) -> None:
        """Clients and groups in the quorum's place, then alone, then away."""
        ui = self.ui
        if is_small(*self.app.size):
            self.action_zoom("clients")
        elif ui.zoom == "clients":
            ui.zoom, ui.side = "", "quorum"
        elif ui.side == "clients":
            ui.zoom = "clients"
        else:
            ui.zoom, ui.side = "", "clients"

    def action_group(self, count: int) -> None:
        """Another consumer group."""
        if not self.ui.view.groups:
            self.ui.answer = "no consumer group has been heard of yet", "dim"
        self.ui.group_index = self.ui.group_place + count
        self.ui.group_back = 0

    def shows(self, name: str) -> bool:
        """Whether a pane is on screen now."""
        return name in places_of(*self.app.size, self.ui)

    def action_next_view(self) -> None:
        """The next large pane of a small screen; on a large one the next pane alone, at last all again."""
        ui = self.ui
        if is_small(*self.app.size):
            ui.zoom, ui.main = "", PANES[(PANES.index(ui.main) + 1) % len(PANES)]
        else:
            order = ("", *PANES)
            ui.zoom = order[(order.index(ui.zoom) + 1) % len(order)]
        chosen = ui.zoom or ui.main
        ui.focus = chosen if chosen == "events" or chosen == "lesson" and ui.lesson else "map"

    def action_log(self, count: int) -> None:
        """Another log in the lanes."""
        self.ui.log_back = 0
        self.ui.log_index = (self.ui.log_place + count) % len(self.ui.view.shown_logs())

    def action_filter(self) -> None:
        """The next filter of the event list."""
        place = (FILTERS.index(self.ui.events.filter) + 1) % len(FILTERS)
        self.ui.events.set_filter(FILTERS[place], self.ui.node)

    def action_node(self, verb: str) -> None:
        """A fault on the selected node; without one the command bar asks which."""
        ui = self.ui
        if not ui.node:
            self.action_type(f"{verb} ")
            return
        node = ui.recording.live.nodes.get(ui.node)
        if verb == "pause" and node is not None and node.process == "paused":
            verb = "resume"
        self.action_send(f"{verb} {ui.node}")

    def action_mark_node(self) -> None:
        """One end of a link; the selected node is the other."""
        ui = self.ui
        if self.refuses():
            return
        if not ui.node:
            ui.answer = ui.keyboard.said(f"select a node first: {ui.how_to_select}"), "warn"
            return
        ui.marked = 0 if ui.marked == ui.node else ui.node
        if ui.marked:
            then = ui.keyboard.said("{net.cut.one} {net.cut.both} or {net.delay}")
            ui.answer = f"link from {node_name(ui.marked)}: select the other node, then {then}", "info"

    def action_link(self, sign: str) -> None:
        """Cut the selected link one way (>) or both ways (-); heal it when it is cut so already."""
        link = self._link(sign)
        if not link:
            return
        one, other = self.ui.marked, self.ui.node
        ways = {(one, other), (other, one)} if sign == "-" else {(one, other)}
        faults = self.ui.recording.live.faults.values()
        fault = next((item for item in faults if item.kind == "Cut" and set(item.links) == ways), None)
        self.action_send(f"cut {link}" if fault is None else f"heal {fault.fault_id}")

    def action_delay(self) -> None:
        """Delay the selected link, after a look at the command."""
        link = self._link("-")
        if link:
            self.action_type(f"delay {link} 200ms")

    def _link(self, sign: str) -> str:
        ui = self.ui
        if self.refuses():
            return ""
        if not ui.marked or not ui.node or ui.marked == ui.node:
            ui.answer = ui.keyboard.said("a link has two ends: {net.mark} marks one node, then select another"), "warn"
            return ""
        return f"{ui.marked}{sign}{ui.node}"

    def action_write(self) -> None:
        """One record to the shown partition."""
        tp = self.ui.partition
        if tp is None:
            self.action_type("topic orders replicas=3 min-isr=2")
        else:
            self.action_send(f"produce {tp} 1 acks=all")

    def refuses(self) -> bool:
        """Say so when nothing can be sent."""
        if self.ui.replay:
            self.ui.answer = "a replay takes no commands", "warn"
        elif self.session.lab is None:
            self.ui.answer = "the lab has ended" if self.ui.ended else "no cluster runs yet", "warn"
        else:
            return False
        return True

    def action_send(self, command: str) -> None:
        """Send a command; the answer comes on the answer row."""
        if self.refuses():
            return
        waits = ""
        if self.ui.pace is not None and self.ui.pace.is_halted:
            waits = self.ui.keyboard.said("   time is halted: {time.halt} lets it go")
        if self.ui.silent_s:
            waits = f"   waits for the lab, silent for {self.ui.silent_s} s"
        self.ui.answer = f": {command}{waits}", "dim"
        self.spawn(self._send(command))

    async def _send(self, command: str) -> None:
        faults = self.ui.recording.live.faults
        before = set(faults)
        done, text = await self.session.send(command, LECTURER if self.ui.presenting else LEARNER)
        answer = self.ui.answer = f": {command}  \u2192  {text or 'done'}", "good" if done else "bad"
        for _ in range(LOOKS if done else 0):
            await asyncio.sleep(LOOK_S)
            if not set(faults) <= before:
                self._offer_undo(answer)
                return

    def _offer_undo(self, answer: tuple[str, str]) -> None:
        """A fault has come into force: say which key takes it back, unless something else is said by now."""
        key = self.ui.keyboard.first("fault.undo")
        if key != "-" and self.ui.answer == answer:
            self.ui.answer = f"{answer[0]} ({key} undoes it)", answer[1]

    def action_picture(self) -> None:
        """Save the screen as SVG beside the run."""
        folder = self.session.run_folder if self.session.run_folder.name else Path.cwd()
        width, height = self.app.size
        path = free_name(folder, "screen", ".svg")
        try:
            path.write_text(
                canvas_svg(draw_screen(width, height, self.ui), self.ui.title, cast(ThemedApp[int], self.app).worn),
                "utf-8",
            )
        except OSError as error:
            self.ui.answer = f"cannot save {path.name}: {error.strerror}", "bad"
            return
        self.ui.answer = f"saved {safe_text(str(path), 200)}", "good"

    def action_theme(self, name: str = "") -> None:
        """Other colours: those of a name, else the next."""
        app = cast(ThemedApp[int], self.app)
        if self.ui.glyphs != "full":
            self.ui.answer = (
                "no colours here: --ascii or glyphs is set, or NO_COLOR, or this terminal has no UTF-8",
                "warn",
            )
        else:
            self.ui.answer = safe_text(app.wear(name) if name else app.wear_next(), 200), "dim"

    def selected_name(self) -> str:
        """For tests and notes."""
        return node_name(self.ui.node)
