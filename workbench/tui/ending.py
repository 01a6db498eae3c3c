"""Has a screen end soon after it was asked to, whatever its terminal does.

A terminal that reads nothing, or is gone, stops the event loop: what is drawn waits for a place in a queue, and so does
the end of the app. So a thread of its own looks after it. It lets go of the terminal, and the app ends in order and
releases what it holds; should even that not help, the process ends.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty
from types import FrameType
from typing import Any

from workbench.support.refusal import INTERRUPTED

LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 0.5
"""A terminal that reads takes a few ms for the last frame."""
SLOW_SECONDS = 3.0
"""One that is slow has so long for it when we leave by ourselves."""
LAST_SECONDS = 1.3
AGAIN_SECONDS = 0.02
_WAKE = signal.SIGURG
"""Ends a write that waits; nothing else sends it to us."""


def is_hung_up() -> bool:
    """Whether the other end of our terminal is closed."""
    watched = select.poll()
    watched.register(1, 0)
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in watched.poll(0))


class Ending:
    """Of one screen."""

    def __init__(self, writer: Callable[[], Any]) -> None:
        """`writer`: the thread that writes to the terminal; None while there is none."""
        self._writer = writer
        self._leave: Callable[[], object] | None = None
        self._is_watched = False
        self._patience_s = PATIENCE_SECONDS
        self._asked, self._is_over = threading.Event(), threading.Event()

    def leave_with(self, leave: Callable[[], object]) -> None:
        """What asks the app to end, from any thread."""
        self._leave = leave

    def ask(self) -> None:
        """End now."""
        self._asked.set()
        if self._leave is not None:
            with suppress(RuntimeError):  # it has ended
                self._leave()

    def look_after(self) -> None:
        """We leave by ourselves, and the terminal has not taken what was written for it."""
        if self._is_watched and not self._asked.is_set():
            self._patience_s = SLOW_SECONDS
            self._asked.set()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While the app runs within; for the main thread.

        A plain SIGTERM would leave the terminal raw and its other screen up; a plain SIGHUP, of a window that is
        closed, would end the run on the screen as if it had crashed.
        """
        numbers = (signal.SIGTERM, signal.SIGHUP, _WAKE)
        before = {number: signal.getsignal(number) for number in numbers}
        self._is_watched = True
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._told)
        signal.signal(_WAKE, lambda _number, _frame: None)
        thread = threading.Thread(target=self._watch, daemon=True, name="ending")
        thread.start()
        try:
            yield
        finally:
            self._is_watched = False
            self._is_over.set()
            self._asked.set()
            thread.join()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _told(self, _number: int, _frame: FrameType | None) -> None:
        if self._leave is None:  # it has not begun to draw
            raise SystemExit(INTERRUPTED)
        self.ask()

    def _watch(self) -> None:
        while not self._asked.wait(LOOK_SECONDS):
            if is_hung_up():
                self.ask()
        if self._is_over.wait(self._patience_s):
            return
        _write_nowhere()
        for _ in range(round(LAST_SECONDS / AGAIN_SECONDS)):
            _free(self._writer())
            if self._is_over.wait(AGAIN_SECONDS):
                return
        os._exit(INTERRUPTED)


def _write_nowhere() -> None:
    """What is still written to the terminal is thrown away."""
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for handle in (1, 2):
        if os.isatty(handle) or is_hung_up():
            os.dup2(nowhere, handle)
    os.close(nowhere)


def _free(writer: Any) -> None:
    """Nobody has to wait for the thread that writes: the write that waits is tried anew, nowhere."""
    if writer is None:
        return
    if writer.is_alive():
        signal.pthread_kill(writer.ident, _WAKE)
        return
    with suppress(Empty):  # it died of a write that failed, and what it was to write still fills the queue
        while True:
            writer._queue.get_nowait()  # noqa: SLF001
