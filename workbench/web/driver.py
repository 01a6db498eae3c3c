"""A terminal that is a page: what is drawn is handed to a function, what is typed comes in by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

BEGIN = "\x1b[?1049h\x1b[?25l\x1b[?2004h"
MOUSE = "\x1b[?1003h\x1b[?1006h"
"""Every movement, in the form that has no limit of columns."""
END = "\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1049l\x1b[?25h"


class TabDriver(Driver):
    """Of one app. There is one page, so what it is belongs to the class."""

    draw: ClassVar[Callable[[str], object]]
    """Takes what a terminal takes."""
    size: ClassVar[tuple[int, int]] = (80, 24)
    """Columns and rows of the page."""
    current: ClassVar[TabDriver | None] = None
    """Of the app that is shown; None while there is none."""

    def start_application_mode(self) -> None:
        """The page is ours."""
        self._parser = XTermParser()
        TabDriver.current = self
        self.write(BEGIN + (MOUSE if self._mouse else ""))
        self._tell_size()

    def write(self, data: str) -> None:
        """To the page."""
        TabDriver.draw(data)

    @classmethod
    def typed(cls, data: str) -> None:
        """Keys and mouse, as a terminal sends them: each call has whole ones, so nothing is waited for after escape."""
        if cls.current is not None:
            for message in cls.current._whole(data):
                cls.current.process_message(message)

    def _whole(self, data: str) -> Iterator[Message]:
        parser = self._parser
        yield from parser.feed(data)
        if parser._timeout_time is not None:
            parser._timeout_time = 0.0
            yield from parser.tick()

    @classmethod
    def resized(cls, columns: int, rows: int) -> None:
        """The page has another size now."""
        cls.size = (columns, rows)
        if cls.current is not None:
            cls.current._tell_size()

    def _tell_size(self) -> None:
        size = Size(*TabDriver.size)
        self.process_message(events.Resize(size, size))

    def disable_input(self) -> None:
        """Nothing that is typed from now on is for this app."""
        if TabDriver.current is self:
            TabDriver.current = None

    def stop_application_mode(self) -> None:
        """The page is given back."""
        self.disable_input()
        self.write(END)
