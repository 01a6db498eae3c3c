"""The program in a browser tab, as ratios to the same on this Python: a lesson that is played, and the first frame."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

import pytest

from benchmarks.report import Aim, line

ROOT = Path(__file__).parents[1]
FIRST, LESSON = "lesson=1", "lesson=4"
"""The time of the second is the time between what is told of each: starting does not count."""
ROUNDS = 3
LIVES = "LIVE"
"""Stands on the screen of a lab from its first frame on."""
PLAY_AIM = Aim(None, 5, higher_is_better=False)
FRAME_AIM = Aim(None, 4, higher_is_better=False)


def run() -> None:
    """Measure and print."""
    from tests.support.web.tab_site import drive, tab_site

    try:
        site = tab_site()
        play = ["node", str(ROOT / "tests" / "support" / "web" / "play.mjs"), str(site), str(ROOT)]
        here = [sys.executable, "-u", "-m", "tests.support.web.played_alike"]
        in_tab, on_cpython = (min(_play_s(command) for _ in range(ROUNDS)) for command in (play, here))
        line("lesson 4, played by a tab's Python", in_tab, "s")
        line("the same by this Python", on_cpython, "s")
        line("a tab's Python to this one", in_tab / on_cpython, "x", PLAY_AIM)
        in_terminal = min(_terminal_s() for _ in range(ROUNDS))
        line("the first frame of a lab, in a terminal", in_terminal, "s")
        steps = [{"open": "#lab"}, {"wait": LIVES}, {"reload": ""}, {"wait": LIVES}]
        rows = drive("chrome", site, steps)
        for name, opened in (("opened for the first time", rows[:2]), ("opened again", rows[2:])):
            seconds = sum(row["ms"] for row in opened) / 1000
            line(f"in Chromium, {name}", seconds, "s")
            line(f"in Chromium, {name}, to a terminal", seconds / in_terminal, "x", FRAME_AIM)
    except pytest.skip.Exception as missing:
        print(f"  not measured: {missing}")


def _play_s(command: list[str]) -> float:
    """From the end of the first lesson to the end of the second."""
    with subprocess.Popen([*command, FIRST, LESSON], stdout=subprocess.PIPE, text=True, cwd=ROOT) as playing:
        assert playing.stdout is not None
        ends = [monotonic() for _ in playing.stdout]
    assert playing.returncode == 0 and len(ends) == 2, "both were played"
    return ends[1] - ends[0]


def _terminal_s() -> float:
    """From the launch of the installed tool to the first frame of a simulated lab."""
    with tempfile.TemporaryDirectory(prefix="kwb-bench-") as home:
        ours, theirs = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "WORKBENCH_HOME": home, "COLUMNS": "160", "LINES": "45"}
        began = monotonic()
        command = [sys.executable, "-m", "workbench", "lab", "--simulated"]
        screen = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        try:
            drawn = b""
            while LIVES.encode() not in drawn:
                drawn += os.read(ours, 1 << 16)
            return monotonic() - began
        finally:
            screen.kill()
            screen.wait()
            os.close(ours)
