"""All commands, by the name that keys, words and the mouse use."""

from __future__ import annotations

from collections.abc import Callable

from workbench.session.session import Session
from workbench.tui.answer import bad
from workbench.tui.commands.branching import BranchCommands
from workbench.tui.commands.classroom import ClassroomCommands
from workbench.tui.commands.console import ConsoleCommands
from workbench.tui.commands.context import Context, Group, Host, Said
from workbench.tui.commands.direction import DirectionCommands
from workbench.tui.commands.keeping import KeepingCommands
from workbench.tui.commands.leaving import LeavingCommands
from workbench.tui.commands.lesson import LessonCommands
from workbench.tui.commands.moments import MomentCommands
from workbench.tui.commands.nodes import NodeCommands
from workbench.tui.commands.otherwise import OtherwiseCommands
from workbench.tui.commands.touching import TouchCommands
from workbench.tui.commands.view import ViewCommands
from workbench.tui.commands.virtual_time import TimeCommands
from workbench.tui.commands.worlds import WorldCommands
from workbench.tui.input.line_editor import NEXT_LINE, lines_of
from workbench.tui.input.suggest import mistake
from workbench.tui.input.words import find_word, words_besides
from workbench.tui.modes import Typing
from workbench.tui.ui_state import UiState


class Commands:
    """What can be done with a session; knows no Textual."""

    def __init__(self, session: Session, ui: UiState, host: Host) -> None:
        self.ui = ui
        self.context = Context(session, ui, host)
        self.lesson = LessonCommands(self.context, self._call)
        self.time = TimeCommands(self.context)
        self.direction = DirectionCommands(self.context)
        self.moments = MomentCommands(self.context, self.time, self.direction)
        self.console = ConsoleCommands(self.context)
        self.branching = BranchCommands(self.context, self.time)
        self.worlds = WorldCommands(self.context)
        self.leaving = LeavingCommands(self.context, self.console)
        self.nodes = NodeCommands(self.context)
        self.view = ViewCommands(self.context, self.lesson, self.moments, self.console, self.branching, self._call)
        groups: tuple[Group, ...] = (
            self.lesson, self.time, self.direction, self.moments, self.console, self.branching, self.worlds,
            self.leaving, self.nodes, self.view, KeepingCommands(self.context),
            OtherwiseCommands(self.context, self.worlds), ClassroomCommands(self.context),
            TouchCommands(self.context, self.worlds),
        )  # fmt: skip
        self.by_name: dict[str, Callable[..., Said]] = {}
        for group in groups:
            assert not self.by_name.keys() & group.commands().keys(), "a command has one home"
            self.by_name |= group.commands()

    def _call(self, name: str, *arguments: object) -> Said:
        return self.by_name[name](*arguments)

    def run(self, name: str, *arguments: object) -> None:
        """Carry out a command and show its answer."""
        self.show(self.by_name[name](*arguments))

    def show(self, said: Said) -> None:
        """Put an answer on the answer row; without one what is there stays."""
        if said is not None:
            self.ui.answer = said

    def submit(self, line: str) -> None:
        """Carry out a line of the command bar; one that the grammar refuses stays open with the reason."""
        ui, text, offered = self.ui, line.strip(), self.ui.suggest(line)
        ui.mode = ui.at_rest
        lines = lines_of(text)
        if len(lines) > 1:
            ui.line.remember()
            self.context.host.spawn(self._one_after_the_other(lines))
        elif text.startswith("/"):
            self.show(self.moments.search(text[1:].strip()))
        elif text in ("q", "quit"):
            self.run("quit")
        elif text and not self._obey(text, offered):
            self._send(text, offered)

    async def _one_after_the_other(self, lines: list[str]) -> None:
        """Until one is refused: the bar stands open with it and those that follow, or the answer counts them."""
        ui = self.ui
        for place, line in enumerate(lines):
            if self._obey(line, ()):
                continue
            refusal, wrong = self.context.refusal(), mistake(line)
            if refusal is None and not wrong and await self.context.carry_out(line):
                continue
            if wrong:
                ui.line.open(f" {NEXT_LINE} ".join(lines[place:]))
                ui.mode = Typing((), wrong)
            else:
                why = ui.answer if refusal is None else refusal
                self.show(bad(f"{why.text}   line {place + 1} of {len(lines)}: those after it were not run"))
            return

    def _obey(self, text: str, offered: tuple[str, ...]) -> bool:
        """Carry out a word that means the screen; False when the text is a command of the cluster."""
        word_and_rest = find_word(text)
        if word_and_rest is None and len(offered) == 1 and mistake(text):
            word_and_rest = find_word(offered[0])
        if word_and_rest is None:
            return False
        self.ui.line.remember()
        word, rest = word_and_rest
        if rest and not word.takes:
            self.show(bad(f"{word.name} stands alone"))
        else:
            self.run(word.action, *((*word.arguments, rest) if word.takes else word.arguments))
        return True

    def _send(self, text: str, offered: tuple[str, ...]) -> None:
        ui, why = self.ui, self.context.takes_none
        wrong = words_besides(why, simulated=ui.seed is not None) if why else mistake(text)
        if wrong and len(offered) == 1 and not mistake(offered[0]):
            text, wrong = offered[0], ""
        if wrong:
            ui.mode = Typing(offered, wrong)
        else:
            ui.line.replace(text)
            self.run("send", text)
        ui.line.remember()
