"""The console command's first step: ctrl-C ends it quietly from here on, while the modules are still being loaded."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


def main() -> None:
    """Load the command line and run it."""
    # Nothing has been started yet that would have to be ended in order.
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(INTERRUPTED))
    from workbench.cli import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
