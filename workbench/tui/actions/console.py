"""The fault console: links as a table, several of them cut as one fault, the history as a script."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from cluster.lab import LEARNER, LECTURER
from cluster.model.events import FaultInjected
from workbench.session.describe.sentences import node_name
from workbench.session.history import Deed, NoScript, deeds_of, history_script
from workbench.support.safe_text import safe_text
from workbench.tui.actions.screen import Actions
from workbench.tui.drawing.svg import free_name
from workbench.tui.panes.fault_console import fault_on, nodes_of_console, staged_command

PAUSE_SECONDS_MAX = 5.0
"""Between two deeds of the past that are done once more: a room does not wait for what it has seen."""
FOUND_SECONDS = 3.0
POLL_SECONDS = 0.05
PROCESS_IDS = {"node.kill": "kill", "node.restart": "restart", "node.pause": "pause", "node.powerloss": "power-loss"}
"""What the console does to the process of its row, by the id of the key, and stays open."""
WHOLE_IDS = {"fault.undo": "undo", "net.heal": "heal"}


class ConsoleActions(Actions):
    """Mixed into the main screen."""

    _replaying: asyncio.Event | None = None
    """Set to stop the repetition that is under way."""

    def action_console(self) -> None:
        """Open or close the fault console, with the cursor on the selected node's row."""
        ui = self.ui
        if ui.overlay == "faults":
            ui.overlay, ui.staged = "", set()
            return
        nodes = nodes_of_console(ui)
        if not nodes:
            ui.answer = "no node has been heard of yet", "dim"
            return
        row = nodes.index(ui.node) if ui.node in nodes else min(ui.cell[0], len(nodes) - 1)
        column = min(ui.cell[1], len(nodes) - 1)
        ui.node = nodes[row]
        ui.cell = row, column if column != row else (column + 1) % len(nodes)
        ui.overlay, ui.overlay_scroll = "faults", 0

    def console_key(self, key: str) -> bool:
        """Carry out a key of the open console; false when it is none of its own."""
        match key:
            case "left" | "right":
                self.move_cell(0, 1 if key == "right" else -1)
            case "up" | "down":
                self.move_cell(1 if key == "down" else -1, 0)
            case "enter":
                self.toggle_cell()
            case "space":
                self._apply()
            case "backspace":
                self.ui.staged.clear()
            case "S":
                self._save()
            case "R":
                self._replay()
            case _:
                return self._usual_key(key)
        return True

    def _usual_key(self, key: str) -> bool:
        """A key that means here what it means elsewhere, and leaves the console open."""
        keyboard = self.ui.keyboard
        for name, verb in PROCESS_IDS.items():
            if keyboard.is_on(name, key):
                self.action_node(verb)
                return True
        for name, verb in WHOLE_IDS.items():
            if keyboard.is_on(name, key):
                self.action_send(verb)
                return True
        return False

    def move_cell(self, rows: int, columns: int) -> None:
        """The cursor, round the edges; its row is the selected node."""
        nodes = nodes_of_console(self.ui)
        if nodes:
            self.ui.cell = (self.ui.cell[0] + rows) % len(nodes), (self.ui.cell[1] + columns) % len(nodes)
            self.ui.node = nodes[self.ui.cell[0]]

    def toggle_cell(self) -> None:
        """Stage a link to be cut, or take it back; heal the fault that cuts it already."""
        ui = self.ui
        nodes = nodes_of_console(ui)
        if self.refuses() or max(ui.cell) >= len(nodes):
            return
        source, target = nodes[ui.cell[0]], nodes[ui.cell[1]]
        if source == target:
            ui.answer = f"{node_name(source)} has no link to itself", "dim"
            return
        fault = fault_on(ui, source, target)
        if fault is not None:
            self.action_send(f"heal {fault.fault_id}")
        else:
            ui.staged ^= {(source, target)}

    def _apply(self) -> None:
        if not self.ui.staged:
            self.ui.answer = "nothing is staged: enter marks a link", "warn"
            return
        command = staged_command(self.ui.staged)
        if not self.refuses():
            self.ui.staged = set()
            self.action_send(command)

    def _replay(self) -> None:
        """Do all that was done once more, with the same pauses; again: stop."""
        ui = self.ui
        if self._replaying is not None:
            self._replaying.set()
            return
        deeds = deeds_of(ui.recording.entries)
        if not deeds:
            ui.answer = "no fault yet that could be repeated", "dim"
        elif not self.refuses():
            self._replaying = asyncio.Event()
            self.spawn(self._do_again(deeds, self._replaying))

    async def _do_again(self, deeds: list[Deed], stopped: asyncio.Event) -> None:
        ui, numbers = self.ui, dict[int, int]()
        try:
            for place, deed in enumerate(deeds):
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), min(deed.after_s, PAUSE_SECONDS_MAX))
                if stopped.is_set() or self.session.lab is None:
                    ui.answer = f"stopped after {place} of {len(deeds)}", "warn"
                    return
                # What has ended by itself meanwhile, as a pause does with its process, need not be healed.
                if deed.heals >= 0 and numbers.get(deed.heals, 0) not in ui.recording.live.faults:
                    continue
                command = deed.command or f"heal {numbers[deed.heals]}"
                begun = len(ui.recording.entries)
                done, text = await self.session.send(command, LECTURER if ui.presenting else LEARNER)
                if not done:
                    ui.answer = f"stopped at {place + 1} of {len(deeds)}: {command}: {text}", "bad"
                    return
                stop = "R" if ui.overlay == "faults" else ui.keyboard.said("{fault.console}, then R,")
                ui.answer = f"{place + 1} of {len(deeds)}: {command}   {stop} stops", "info"
                if deed.command:
                    numbers[place] = await self._number_of(command, begun)
            ui.answer = f"all {len(deeds)} were done once more", "good"
        finally:
            self._replaying = None

    async def _number_of(self, command: str, begun: int) -> int:
        """The number of the fault that a command has just made; 0 when the trace does not tell in time."""
        recording, deadline = self.ui.recording, asyncio.get_running_loop().time() + FOUND_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            for entry in recording.entries[begun:]:
                if isinstance(entry.event, FaultInjected) and entry.event.command == command:
                    return entry.event.fault_id
            await asyncio.sleep(POLL_SECONDS)
        return 0

    def _save(self) -> None:
        """What was injected in this run, as a script that `workbench run` plays."""
        ui = self.ui
        folder = self.session.run_folder if self.session.run_folder.name else Path.cwd()
        path = free_name(folder, "faults", ".txt")
        try:
            path.write_text(history_script(ui.recording.entries, self.session.run_folder.name), "utf-8")
        except NoScript as error:
            ui.answer = str(error), "bad"
            return
        except OSError as error:
            ui.answer = f"cannot save {path.name}: {error.strerror}", "bad"
            return
        ui.answer = f"saved {safe_text(str(path), 200)}", "good"
