"""What all commands share: the state of the screen, the session, the host that shows them, and the way to send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cluster.lab import LEARNER, LECTURER
from workbench.course.content import Lesson
from workbench.session.bookmarks import Bookmarks
from workbench.session.lesson.player import LessonPlayer
from workbench.session.session import NO_COMMANDS, ONLY_WATCHES, Session
from workbench.telling.words import with_node_names
from workbench.tui.answer import Answer, bad, dim, good, warn
from workbench.tui.drawing.layout import fits
from workbench.tui.input.words import find_word
from workbench.tui.modes import Typing
from workbench.tui.ui_state import UiState

LOOKS, LOOK_S = 20, 0.05
"""How often, and after what time each, a fault is looked for that a command may have made."""
Said = Answer | None
"""What a command returns: the answer to show; None leaves the one that is there."""
Method = TypeVar("Method", bound=Callable[..., Said])


class Host(Protocol):
    """What commands ask of whatever shows the screen."""

    next_lesson: Lesson | None
    next_challenge: int
    """To open once the screen is left; 0 for none."""
    player: LessonPlayer | None
    """Of the lesson on screen; None when there is none."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""

    @property
    def worn(self) -> str:
        """Name of the theme that is worn."""

    @property
    def can_start(self) -> bool:
        """Whether this screen started the lab, and so can start another like it."""

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine beside the screen."""

    def leave(self, code: int) -> None:
        """Close the screen."""

    def wear(self, name: str) -> str:
        """Put on a theme; tells what it is."""

    def wear_next(self) -> str:
        """Put on the next theme."""

    def analyse(self, folder: Path, home: Path) -> None:
        """Show tables and figures of a run on a screen of their own."""

    def pace_frames(self) -> None:
        """Draw as often as the mode wants."""

    async def start(self, seed: int | None) -> None:
        """Start the same lab; in a simulation perhaps with another seed."""

    def leave_lesson(self) -> None:
        """The lab on screen is no lesson's any more."""

    def watch_lab(self, lab: Any) -> None:
        """Another lab is on screen."""


def command(method: Method) -> Method:
    """Mark a method that a key, a word or the mouse may name."""
    vars(method)["is_command"] = True
    return method


class Context:
    """Handed to every group of commands."""

    def __init__(self, session: Session, ui: UiState, host: Host) -> None:
        self.session, self.ui, self.host = session, ui, host
        self.bookmarks = Bookmarks(session.recording)

    @property
    def is_seen(self) -> bool:
        """Whether the screen has room, and the terminal shows what is drawn."""
        return fits(*self.host.size) and not self.ui.is_late

    @property
    def takes_none(self) -> str:
        """Why this screen never sends a command to a cluster; empty when it may."""
        return ONLY_WATCHES if self.session.watches else NO_COMMANDS if self.ui.replay else ""

    def refusal(self) -> Said:
        """Why nothing can be sent now; None when it can."""
        if self.takes_none:
            return warn(self.takes_none)
        if self.session.lab is None:
            return warn("the lab has ended" if self.ui.ended else "no cluster runs yet")
        if self.ui.reading:
            past = f"the screen shows the past, {self.ui.reading} of the run is read"
            return warn(f"not done: {past}; again once it is LIVE")
        return None

    def open_bar(self, text: str) -> Said:
        """Open the command bar with a text; the line is the learner's to send."""
        if self.takes_none and text and not find_word(text) and not text.startswith("/"):
            return warn(self.takes_none)
        self.ui.line.open(text)
        self.ui.mode = Typing(self.ui.suggest(text))
        return None

    def send(self, text: str) -> Said:
        """Send a command of the cluster; how it went comes on the answer row."""
        refusal = self.refusal()
        if refusal is not None:
            return refusal
        waits = ""
        if self.ui.pace is not None and self.ui.pace.is_halted:
            waits = self.ui.keyboard.said("   time is halted: {time.halt} lets it go")
        if self.ui.silent_s:
            waits = f"   waits for the lab, silent for {self.ui.silent_s} s"
        self.to_the_present()
        self.host.spawn(self.carry_out(text))
        return dim(f": {text}{waits}")

    def to_the_present(self) -> None:
        """End a direction: what is done now is seen at once."""
        if self.ui.director.is_on:
            self.ui.director.end()
            self.ui.recording.go_live()

    @property
    def sender(self) -> str:
        """Who commands the lab."""
        return LECTURER if self.ui.presenting else LEARNER

    async def carry_out(self, text: str) -> bool:
        """Send it and say how it went, then whether a fault is in force by it. Whether it was carried out."""
        faults = self.ui.recording.live.faults
        before = set(faults)
        done, result = await self.session.send(text, self.sender)
        outcome = f": {text}  \u2192  {with_node_names(result) or 'done'}"
        answer = self.ui.answer = good(outcome) if done else bad(outcome)
        for _ in range(LOOKS if done else 0):
            await asyncio.sleep(LOOK_S)
            if not set(faults) <= before:
                self._say_in_force(answer)
                break
        return done

    def _say_in_force(self, answer: Answer) -> None:
        """A fault has come into force: what a held view does not show of it, and which key takes it back."""
        ui, key = self.ui, self.ui.keyboard.first("fault.undo")
        undo = f" ({key} undoes it)" if key != "-" else ""
        held = ui.keyboard.said(f"   the view is held, {ui.beyond}: {{view.pause}} follows") if ui.beyond else ""
        if ui.answer == answer:  # nothing else is said by now
            ui.answer = answer._replace(text=f"{answer.text}{undo}{held}")


class Group:
    """Commands that belong together."""

    def __init__(self, context: Context) -> None:
        self.context, self.ui = context, context.ui
        self.session, self.host = context.session, context.host

    def commands(self) -> dict[str, Callable[..., Said]]:
        """Those of this group, by name."""
        return {name: getattr(self, name) for name, member in vars(type(self)).items() if hasattr(member, "is_command")}
