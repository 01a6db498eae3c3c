"""What stands beside the screen: the words of a lesson, keys as buttons, and what happens in the words of --plain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from workbench.session.lesson.markdown import stretches
from workbench.session.lesson.page import LessonPage, Piece
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.input.keyboard import readable
from workbench.tui.panes.lesson import MARKS
from workbench.tui.panes.status import keys_now
from workbench.tui.plain.lines import Headlines
from workbench.tui.plain.page_lines import end_lines, held_lines, step_lines
from workbench.tui.ui_state import UiState

Tell = Callable[[str, str], None]
"""(kind of the message, its text)."""
LOOK_S = 0.2
COMMAND_MAX = 400
ALWAYS = {"up": "\u2191", "down": "\u2193", "left": "\u2190", "right": "\u2192", "enter": "enter", "escape": "esc"}
"""Keys that have a button whatever is shown, and what stands on it."""
SENT = {
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "enter": "\r", "escape": "\x1b",
    "tab": "\t", "space": " ", "home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
}  # fmt: skip
"""What a terminal sends for a key that is no character."""
PRESSED = {"do": (), "next": (1,), "back": (-1,), "retry": (), "would": (), "terms": (), "challenge": ("c",)}
COMMAND = {"next": "lesson_step", "back": "lesson_step", "challenge": "answer"}
"""The buttons of a lesson: what follows the command that each is, and its name where it has another."""


class Beside:
    """Looks at an app and tells the page what is new; carries out what the buttons of the page ask for."""

    def __init__(self, app: WorkbenchApp, tell: Tell) -> None:
        self.app, self._tell = app, tell
        self._headlines = Headlines(app.session.recording)
        self._page = LessonPage(title="")
        self._told = ""
        self._answer = ""

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Tell what is new since the last look."""
        for line in (*self._headlines.new_lines(), *self._new_words()):
            self._tell("say", line)
        words = json.dumps(self.words())
        if words != self._told:
            self._told = words
            self._tell("lesson", words)

    def _new_words(self) -> Iterator[str]:
        """Of the lesson, as `workbench learn --plain` says them; and the answer to a command."""
        before, page = self._page, self.app.ui.page
        self._page = page
        if self.app.player is not None:
            if page.step != before.step:
                yield from step_lines(page)
            elif page.look_at and page.held != before.held:
                yield from held_lines(page)
            if (page.verdict, page.after, page.status) != (before.verdict, before.after, before.status):
                yield from end_lines(page)
            if page.button != before.button and page.button:
                yield f"[{page.button}]"
        answer = self.app.ui.answer.text
        if answer and answer != self._answer:
            yield safe_text(answer)
        self._answer = answer

    def press(self, name: str) -> None:
        """A button of the lesson: a letter answers, whatever part of the page the screen shows."""
        app = self.app
        if app.player is not None and name in app.player.options and app.ui.page.is_open:
            app.player.predict(name)
            app.commands.lesson.show_page()
        elif app.player is not None and name in PRESSED:
            app.commands.run(COMMAND.get(name, name), *PRESSED[name])

    def command(self, line: str) -> None:
        """A line that was typed beside the screen, as if it were typed into the command bar."""
        self.app.commands.submit(safe_text(line, COMMAND_MAX))

    def stand_beside(self, is_shown: bool) -> None:  # noqa: FBT001  # a message has no names
        """Whether the page shows the text of the lesson: the screen then leaves its room to the cluster."""
        ui = self.app.ui
        ui.text_beside = is_shown
        if is_shown and ui.main == "lesson":
            ui.main = "logs"

    def words(self) -> dict[str, Any]:
        """All that the page shows beside the screen; each text is text, none is markup."""
        ui = self.app.ui
        page = ui.page
        return {
            "lesson": self.app.player is not None,
            "title": page.title,
            "place": page.place if page.steps else "",
            "heading": page.heading,
            "before": [*_prose(ui), *map(_piece, page.before)],
            "task": [_piece(piece) for piece in page.task],
            "question": page.question,
            "choices": [_choice(page, *choice) for choice in zip("abcd", page.choices, strict=False)],
            "verdict": page.verdict,
            "after": [_piece(piece) for piece in (*page.whys, *page.after)],
            "script": [f"{MARKS[state][0]} {text}" for state, text in page.script],
            "status": page.status,
            "held": f"held {page.held}, {page.look_at}" if page.look_at else "",
            "look": _stretches(page.look) if page.look_at else [],
            "buttons": self._buttons(),
            "keys": _keys(ui),
        }

    def _buttons(self) -> list[tuple[str, str]]:
        """Name and words of each button that does something now, the one that goes on first.

        The page itself turns to the question.
        """
        player, page = self.app.player, self.app.ui.page
        if player is None:
            return []
        buttons = []
        if player.is_last_page:
            if player.lesson.next:
                buttons.append(("do", "next lesson"))
            if player.lesson.challenge:
                buttons.append(("challenge", f"challenge {player.lesson.challenge}"))
        elif page.has_failed:
            buttons += [("retry", "try again"), ("next", "skip this step")]
        elif player.needs_answer and not page.look_at:
            buttons.append(("question", "to the question"))
        elif page.button and (page.look_at or not player.why_not()):
            buttons.append(("do", page.button.rpartition(": ")[2]))
        if any(piece.kind == "key" for piece in page.whys):
            buttons.append(("would", "when would your answer be right?"))
        if page.step > 1:
            buttons.append(("back", "back"))
        return [*buttons, ("terms", "terms")] if not player.is_last_page else buttons


def _prose(ui: UiState) -> list[dict[str, Any]]:
    """Of a page without pieces."""
    prose = ui.keyboard.said(ui.page.prose) if ui.page.names_keys else ui.page.prose
    return [_piece(Piece("prose", prose))] if prose else []


def _piece(piece: Piece) -> dict[str, Any]:
    return {"kind": piece.kind, "text": [[piece.text, ""]] if piece.kind == "figure" else _stretches(piece.text)}


def _stretches(text: str) -> list[list[str]]:
    return [[stretch.text, stretch.stress] for stretch in stretches(text)]


def _choice(page: LessonPage, letter: str, text: str) -> dict[str, str]:
    state = "right" if letter == page.right else "chosen" if letter == page.answered else ""
    return {"letter": letter, "text": text, "state": state}


def _keys(ui: UiState) -> list[list[str]]:
    """(what stands on the button, what it does, what the terminal sends) of each key that works now."""
    keys = {name: [sign, "", SENT[name]] for name, sign in ALWAYS.items()}
    for item in keys_now(ui, small=True):
        for key, _, _ in item.keys:
            name = key.partition(",")[0]
            if name not in keys and (data := sent(name)):
                keys[name] = [readable(name), item.short, data]
    return [*keys.values()]


def sent(key: str) -> str:
    """What a terminal sends for Textual's name of a key; empty where it is not known."""
    sign = readable(key)
    if len(sign) == 1:
        return sign
    if key.startswith("ctrl+") and len(key) == len("ctrl+") + 1:
        return chr(ord(key[-1]) & 0x1F)
    return SENT.get(key, "")
