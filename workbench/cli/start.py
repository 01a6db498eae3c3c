"""The console command's first step: what the outside may have left broken is put right before anything is loaded."""

from __future__ import annotations

import os
import signal
import sys

from workbench.support.waiting import WAITING

INTERRUPTED = 130
STANDARD = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def main() -> None:
    """Load the command line and run it."""
    # Ctrl-C ends it quietly while modules load: nothing has been started yet that would have to be ended in order.
    signal.signal(signal.SIGINT, lambda _number, _frame: _leave())
    _open_what_is_closed()
    WAITING.begin(sys.argv[1:])
    try:
        from workbench.cli.leaving import mistakes_told

        with mistakes_told():
            from workbench.cli.app import main as run

        signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    finally:
        WAITING.end()


def _leave() -> None:
    WAITING.end()
    os._exit(INTERRUPTED)


def _open_what_is_closed() -> None:
    """Point each standard stream that came closed at nothing, else the next file or socket would get its number."""
    for number, (name, mode) in enumerate(STANDARD):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, so this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, closefd=False))
