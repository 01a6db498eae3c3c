"""The fault console: links as a table, several of them cut as one fault, the history as a script."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cluster.model.events import FaultInjected
from workbench.session.history import Deed, NoScript, deeds_of, history_script
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name
from workbench.tui.answer import bad, dim, good, info, warn
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.drawing.svg import free_name
from workbench.tui.modes import Faults, Watching
from workbench.tui.panes.fault_console import fault_on, nodes_of_console, staged_command

PAUSE_SECONDS_MAX = 5.0
"""Between two deeds of the past that are done once more: a room does not wait for what it has seen."""
FOUND_SECONDS = 3.0
POLL_SECONDS = 0.05


class ConsoleCommands(Group):
    """The keys of the open console that mean something else there stand in CONSOLE_KEYS."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._repeating: asyncio.Event | None = None
        """Set to stop the repetition that is under way."""

    @command
    def console(self) -> Said:
        """Open or close the fault console, with the cursor on the selected node's row."""
        ui = self.ui
        nodes = nodes_of_console(ui)
        if not nodes:
            return dim("no node has been heard of yet")
        if isinstance(ui.mode, Faults):
            return self.close_console(ui.mode)
        row = nodes.index(ui.node) if ui.node in nodes else min(ui.cell[0], len(nodes) - 1)
        column = min(ui.cell[1], len(nodes) - 1)
        ui.node = nodes[row]
        ui.cell = row, column if column != row else (column + 1) % len(nodes)
        ui.toggle(Faults())
        return None

    def close_console(self, mode: Faults) -> Said:
        """Close it; once it was said, with all that is staged and not cut."""
        if mode.staged and not mode.is_warned:
            self.ui.mode = replace(mode, is_warned=True)
            count = f"{len(mode.staged)} cut{'s are' if len(mode.staged) > 1 else ' is'}"
            return warn(f"{count} staged and not applied: space applies, the same key again drops them")
        self.ui.mode = Watching()
        return dim(f"not applied: {staged_command(mode.staged)}") if mode.staged else None

    @command
    def move_cell(self, rows: int, columns: int) -> None:
        """The cursor, round the edges; its row is the selected node."""
        nodes = nodes_of_console(self.ui)
        if nodes:
            self.ui.cell = (self.ui.cell[0] + rows) % len(nodes), (self.ui.cell[1] + columns) % len(nodes)
            self.ui.node = nodes[self.ui.cell[0]]

    @command
    def toggle_cell(self) -> Said:
        """Stage a link to be cut, or take it back; heal the fault that cuts it already."""
        ui, nodes, refusal = self.ui, nodes_of_console(self.ui), self.context.refusal()
        if refusal is not None or max(ui.cell) >= len(nodes):
            return refusal
        source, target = nodes[ui.cell[0]], nodes[ui.cell[1]]
        if source == target:
            return dim(f"{node_name(source)} has no link to itself")
        fault = fault_on(ui, source, target)
        if fault is not None:
            return self.context.send(f"heal {fault.fault_id}")
        ui.mode = Faults(ui.staged ^ {(source, target)})
        return None

    @command
    def apply_staged(self) -> Said:
        """Cut all staged links as one fault."""
        if not self.ui.staged:
            return warn("nothing is staged: enter marks a link")
        answer = self.context.send(staged_command(self.ui.staged))
        if self.context.refusal() is None:
            self.ui.mode = Faults()
        return answer

    @command
    def clear_staged(self) -> None:
        """Take back all that is staged."""
        self.ui.mode = Faults()

    @command
    def repeat(self) -> Said:
        """Do all that was done once more, with the same pauses; again: stop."""
        if self._repeating is not None:
            self._repeating.set()
            return None
        deeds = deeds_of(self.ui.recording.entries)
        if not deeds:
            return dim("no fault yet that could be repeated")
        refusal = self.context.refusal()
        if refusal is None:
            self._repeating = asyncio.Event()
            self.host.spawn(self._do_again(deeds, self._repeating))
        return refusal

    def stop_repetition(self) -> None:
        """What is being done once more was meant for the run that ends."""
        if self._repeating is not None:
            self._repeating.set()

    async def _do_again(self, deeds: list[Deed], stopped: asyncio.Event) -> None:
        ui, numbers = self.ui, dict[int, int]()
        try:
            for place, deed in enumerate(deeds):
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), min(deed.after_s, PAUSE_SECONDS_MAX))
                if stopped.is_set() or self.session.lab is None:
                    ui.answer = warn(f"stopped after {place} of {len(deeds)}")
                    return
                # What has ended by itself meanwhile, as a pause does with its process, need not be healed.
                if deed.heals >= 0 and numbers.get(deed.heals, 0) not in ui.recording.live.faults:
                    continue
                text = deed.command or f"heal {numbers[deed.heals]}"
                begun = len(ui.recording.entries)
                done, result = await self.session.send(text, self.context.sender)
                if not done:
                    ui.answer = bad(f"stopped at {place + 1} of {len(deeds)}: {text}: {result}")
                    return
                stop = "R" if isinstance(ui.mode, Faults) else ui.keyboard.said("{fault.console}, then R,")
                ui.answer = info(f"{place + 1} of {len(deeds)}: {text}   {stop} stops")
                if deed.command:
                    numbers[place] = await self._number_of(text, begun)
            ui.answer = good(f"all {len(deeds)} were done once more")
        finally:
            self._repeating = None

    async def _number_of(self, text: str, begun: int) -> int:
        """The number of the fault that a command has just made; 0 when the trace does not tell in time."""
        recording, deadline = self.ui.recording, asyncio.get_running_loop().time() + FOUND_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            for entry in recording.entries[begun:]:
                if isinstance(entry.event, FaultInjected) and entry.event.command == text:
                    return entry.event.fault_id
            await asyncio.sleep(POLL_SECONDS)
        return 0

    @command
    def save_script(self) -> Said:
        """What was injected in this run, as a script that `workbench run` plays."""
        folder = self.session.run_folder if self.session.run_folder.name else Path.cwd()
        path = free_name(folder, "faults", ".txt")
        try:
            path.write_text(history_script(self.ui.recording.entries, self.session.run_folder.name), "utf-8")
        except NoScript as error:
            return bad(str(error))
        except OSError as error:
            return bad(f"cannot save {path.name}: {error.strerror}")
        return good(f"saved {safe_text(str(path), 200)}")
