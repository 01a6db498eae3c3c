"""Which mode takes a key, and what the key does there."""

from __future__ import annotations

from typing import assert_never

from workbench.tui.answer import info, warn
from workbench.tui.commands.commands import Commands
from workbench.tui.input.keys import (
    COMPARISON_KEYS,
    CONSOLE_IDS,
    CONSOLE_KEYS,
    LIST_KEYS,
    OPENING,
    OVERLAY_ACTIONS,
    TOUCH_KEYS,
)
from workbench.tui.input.line_editor import LINE_MAX, NEXT_LINE, lines_of
from workbench.tui.input.suggest import complete
from workbench.tui.modes import (
    AskingToLeave,
    Blank,
    Comparison,
    Ending,
    Faults,
    Help,
    Jump,
    Loading,
    Overlay,
    Palette,
    Starting,
    Terms,
    Touch,
    Tour,
    Typing,
    Verdicts,
    Watching,
    Why,
)
from workbench.tui.panes.reading import READING
from workbench.tui.panes.tour import STOPS

QUERY_MAX = 60
"""Characters that can be typed into the palette."""
DURING_TOUR = ("quit", "help", "cmd", "palette", "search")
"""What works at each stop of the tour: what follows is typed, so none of it may be taken for another key."""


class Dispatch:
    """Turns keys into commands. A key is carried out before the next is looked at."""

    def __init__(self, commands: Commands) -> None:
        self.commands, self.ui = commands, commands.ui

    def press(self, key: str, character: str = "") -> bool:
        """Carry out one key, with the printable character that it types; False when it stands for nothing."""
        ui, mode = self.ui, self.ui.mode
        if not self.commands.context.is_seen and not isinstance(mode, AskingToLeave | Help):
            return self._unseen(key)
        match mode:
            case Blank():
                ui.mode = mode.behind
            case AskingToLeave():
                self.commands.leaving.answer_leave(key, mode)
            case Starting() | Loading() | Ending():
                # While only progress is seen, what it names works and nothing is done behind it.
                if self._is_on(key, "quit") or isinstance(mode, Starting) and self._is_on(key, "enter"):
                    return self.perform(key)
            case Typing():
                self._edit(key, character, mode)
            case Palette():
                self._find(key, character, mode)
            case Tour():
                self._at_tour(key, mode)
            case Watching() | Help() | Why() | Verdicts() | Comparison() | Jump() | Faults() | Terms() | Touch():
                return self._seen(key, mode)
            case _:
                assert_never(mode)
        return True

    def _unseen(self, key: str) -> bool:
        """On a terminal too small or too slow only leaving and the help work: nobody sees what another key would do."""
        if self._is_on(key, "quit") or self._is_on(key, "help") and isinstance(self.ui.mode, Watching | Overlay):
            self.perform(key)
        return True

    def _is_on(self, key: str, name: str) -> bool:
        return self.ui.keyboard.is_on(name, key)

    def _seen(
        self, key: str, mode: Watching | Help | Why | Verdicts | Comparison | Jump | Faults | Terms | Touch
    ) -> bool:
        if isinstance(mode, Faults) and self._at_console(key) or isinstance(mode, Help) and self._at_help(key, mode):
            return True
        own = COMPARISON_KEYS if isinstance(mode, Comparison) else TOUCH_KEYS if isinstance(mode, Touch) else {}
        if key in own:
            name, arguments = own[key]
            self.commands.run(name, *arguments)
            return True
        if self.ui.presenting and key == "b" and not self._is_asked:  # an answer first: it must not hide what asks
            self.ui.mode = Blank(mode)
            return True
        if not isinstance(mode, Watching) and key in LIST_KEYS:
            self.commands.run("upward", LIST_KEYS[key])
            return True
        return self.perform(key)

    def _at_tour(self, key: str, tour: Tour) -> None:
        """On, back, or the end of it; nothing is done to a cluster that nobody sees whole, before the last stop."""
        if key in ("enter", "right", "down", "space", "n"):
            self.ui.mode = Tour(tour.stop + 1) if tour.stop + 1 < len(STOPS) else Watching()
        elif key in ("left", "up", "b"):
            self.ui.mode = Tour(max(0, tour.stop - 1))
        elif key == "escape":
            self.ui.mode = Watching()
        elif any(self._is_on(key, name) for name in DURING_TOUR) or tour.stop + 1 == len(STOPS):
            self.perform(key)
        else:
            self.ui.answer = info("first the tour: enter goes on, esc ends it")

    def _at_help(self, key: str, mode: Help) -> bool:
        """Carry out a key of the open help: another pane, or a search through all that is listed."""
        panes = tuple(READING)
        if key == "tab":
            now = panes.index(mode.pane or self.ui.zoom or self.ui.focus)
            self.ui.open(Help(panes[(now + 1) % len(panes)]))
        elif key == "slash":
            self.commands.run("palette")
        return key in ("tab", "slash")

    def _find(self, key: str, character: str, mode: Palette) -> None:
        """One key of the palette: what is typed narrows the list."""
        view = self.commands.view
        match key:
            case "escape" | "ctrl+p":
                self.commands.run("close")
            case "enter":
                self.commands.run("enter")
            case "up" | "down" | "pageup" | "pagedown":
                self.commands.run("upward", {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}[key])
            case "tab":
                choice = view.chosen(mode)
                if choice is not None and choice.name in ("type", "send"):
                    self.commands.run("type", *choice.arguments)
            case "backspace":
                view.look_up(mode.query[:-1])
            case "ctrl+u":
                view.look_up("")
            case _ if character:
                view.look_up((mode.query + character)[:QUERY_MAX])

    def _at_console(self, key: str) -> bool:
        """Carry out a key of the open console; false when it is none of its own."""
        name, arguments = CONSOLE_KEYS.get(key, ("", ()))
        if not name and any(self._is_on(key, each) for each in CONSOLE_IDS):
            name, arguments = self.ui.keyboard.actions[key]
        if name:
            self.commands.run(name, *arguments)
        return bool(name)

    @property
    def _is_asked(self) -> bool:
        """Whether b is one of the answers to the question in sight."""
        return self.ui.is_question_in_sight and len(self.ui.page.choices) > 1

    def perform(self, key: str) -> bool:
        """Do what a key stands for in the one table; false when it stands for nothing."""
        ui = self.ui
        name, arguments = ui.keyboard.actions.get(key, ("", ()))
        if not name:
            return False
        if ui.overlay is not None and (name not in OVERLAY_ACTIONS or ui.staged and name in OPENING):
            self.commands.run("close")
            if ui.overlay is not None:
                return True
        if key == "b" and self._is_on(key, "lesson.back") and self._is_asked:  # it goes back, and is an answer too
            name, arguments = "answer", (key,)
        if self._is_on(key, "lesson.next") and ui.events.search:  # it goes on in a lesson, and in a search
            name = "next_found"
        self.commands.run(name, *arguments)
        return True

    def _edit(self, key: str, character: str, mode: Typing) -> None:
        line = self.ui.line
        match key:
            case "escape":
                self.ui.mode = self.ui.at_rest
            case "enter":
                self.commands.submit(line.text)
            case "tab" | "shift+tab":
                self._complete(mode, 1 if key == "tab" else -1)
            case _ if line.press(key):
                self._changed()
            case _ if character:
                self.insert(character)

    def _complete(self, mode: Typing, direction: int) -> None:
        """What all suggestions share; where that adds nothing, one of them after the other."""
        line, offered = self.ui.line, mode.suggestions
        longer = complete(line.text, offered)
        if mode.chosen is None and (len(offered) < 2 or longer != line.text):
            line.replace(longer)
            self._changed()
        elif offered:
            first = 0 if direction > 0 else -1
            place = first if mode.chosen is None else mode.chosen + direction
            self.ui.mode = Typing(offered, chosen=place % len(offered))
            line.replace(offered[place % len(offered)])

    def paste(self, text: str) -> None:
        """As many whole lines as have room in the bar; text that has no bar to go into is not taken for keys."""
        lines, line = lines_of(text), self.ui.line
        if not isinstance(self.ui.mode, Typing):
            self.ui.answer = warn(self.ui.keyboard.said("pasted text goes into the command bar: {cmd} opens it"))
            return
        for place, each in enumerate(lines):
            typed = f" {NEXT_LINE} {each}" if place else each
            if len(line.text) + len(typed) > LINE_MAX:
                self.ui.mode = Typing((), f"{len(lines) - place} of {len(lines)} pasted lines have no room here")
                return
            self.insert(typed)

    def insert(self, typed: str) -> None:
        """At the caret of the open bar; a colon that is typed again before the line is the one that is there."""
        if isinstance(self.ui.mode, Typing):
            self.ui.line.insert(typed if self.ui.line.text else typed.lstrip(":"))
            self._changed()

    def _changed(self) -> None:
        self.ui.mode = Typing(self.ui.suggest(self.ui.line.text))
