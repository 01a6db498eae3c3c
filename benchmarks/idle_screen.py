"""The screen of a lab that nobody touches: how much of it moves, and what that costs.

The real `workbench lab` on a pseudo-terminal of 200x50, with the load that a free lab has.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
from time import monotonic

from benchmarks.idle import cpu_seconds
from benchmarks.report import Aim, line

COLUMNS, ROWS = 200, 50
READY_S, SETTLE_S, WINDOW_S, WINDOWS = 60.0, 25.0, 2.0, 5
"""Settled: the first election has been shown slowly, too."""
READY = b"LIVE"
ROWS_AIM = Aim(None, 20)
CPU_AIM = Aim(None, 15, higher_is_better=False)
_MOVE = re.compile(rb"\x1b\[(\d+);\d+H")


def run() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="kwb-bench-") as home:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "WORKBENCH_HOME": home}
        environment["WORKBENCH_TOUR"] = "off"  # what lies over the panes dims all of them in each frame
        command = [sys.executable, "-m", "workbench", "lab"]
        screen = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        try:
            _measure(ours, screen.pid)
        finally:
            screen.send_signal(signal.SIGTERM)
            _read(ours, READY_S, until_end=True)
            screen.wait()
            os.close(ours)


def _measure(terminal: int, pid: int) -> None:
    shown, began = b"", monotonic()
    while READY not in shown:
        if monotonic() - began > READY_S:
            raise RuntimeError(f"no living lab within {READY_S:g} s: {shown[-400:]!r}")
        shown = (shown + _read(terminal, 0.2))[-(1 << 16) :]
    _read(terminal, SETTLE_S)
    moved, before, began = list[int](), cpu_seconds(pid), monotonic()
    for _ in range(WINDOWS):
        moved.append(len(set(_MOVE.findall(_read(terminal, WINDOW_S)))))
    share = 100 * (cpu_seconds(pid) - before) / (monotonic() - began)
    line(f"rows that change in {WINDOW_S:g} s, of {ROWS}", statistics.median(moved), "rows", ROWS_AIM)
    line("processor of the screen", share, "% of core", CPU_AIM)


def _read(terminal: int, seconds: float, *, until_end: bool = False) -> bytes:
    """What is written in that time, or less when it ends before."""
    text, end = b"", monotonic() + seconds
    while (left := end - monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                text += os.read(terminal, 1 << 16)
            except OSError:  # nobody has the other end any more
                break
        elif until_end:
            break
    return text


if __name__ == "__main__":
    run()
