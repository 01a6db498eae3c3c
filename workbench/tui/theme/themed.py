"""An app that wears one of our themes, and can change it while it runs; asked to end, it gives the terminal back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Generic, TypeVar

from rich.console import RenderableType
from textual.app import App

from workbench.support.waiting import WAITING
from workbench.tui.ending import Ending
from workbench.tui.lateness import UNREAD_MAX
from workbench.tui.theme.themes import THEMES, after, chosen_theme, keep_theme, textual_themes

Returned = TypeVar("Returned")


class ThemedApp(App[Returned], Generic[Returned]):
    """Begins in the theme that was chosen last."""

    CSS = "Screen { background: $background; } Grid { width: 100%; height: 100%; background: $background; }"

    def __init__(self, asked: str = "", *, mouse: bool = True) -> None:
        """asked: the theme that somebody set; mouse: whether the terminal is to tell of it."""
        super().__init__()
        self._asked_theme, self._takes_mouse = asked, mouse
        self.ending = Ending(lambda: getattr(self._driver, "_writer_thread", None))
        """Has it end soon when it is asked to."""
        for theme in textual_themes():
            self.register_theme(theme)
        self.theme = chosen_theme(asked=asked)

    def show(self) -> Returned | None:
        """Run, with the mouse or without."""
        WAITING.clear()
        try:
            with self.ending.watched():
                return self.run(mouse=self._takes_mouse)
        finally:
            WAITING.end()

    def on_load(self) -> None:
        """From here on it can be asked to leave, from any thread."""
        self.ending.leave_with(partial(asyncio.get_running_loop().call_soon_threadsafe, self.leave_at_once))

    def exit(self, result: Returned | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, also where the terminal does not take what is still to be written."""
        if self.unread > UNREAD_MAX:
            self.ending.look_after()
        super().exit(result, return_code, message)

    def leave_at_once(self) -> None:
        """Somebody asks from outside, or with ctrl-C."""
        self.exit()

    @property
    def unread(self) -> int:
        """Writes that the terminal has not taken yet."""
        writer = getattr(self._driver, "_writer_thread", None)
        return int(writer._queue.qsize()) if writer is not None else 0  # noqa: SLF001  # Textual tells it nowhere else

    @property
    def worn(self) -> str:
        """Name of the theme that is worn."""
        return self.theme

    def wear(self, name: str) -> str:
        """Put on a theme and remember it; tells what it is, or why it changes nothing."""
        if name not in THEMES:
            return f"no theme '{name}': {', '.join(THEMES)}"
        self.theme = name
        for widget in self.screen.children:
            widget.refresh()
        try:
            keep_theme(name)
        except OSError:
            return f"theme {name}, for now: it cannot be kept"
        if self._asked_theme not in ("", name):
            return f"theme {name}, for now: {self._asked_theme} is set and comes back"
        return f"theme {name}: {THEMES[name].says}"

    def wear_next(self) -> str:
        """The next theme."""
        return self.wear(after(self.worn))
