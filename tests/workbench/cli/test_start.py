"""The first step of the console command: ctrl-C while the modules load."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED_WHILE_LOADING = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "workbench.cli.app":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.cli.start import main
main()
"""


def test_ctrl_c_while_the_modules_load_ends_quietly() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED_WHILE_LOADING], capture_output=True, timeout=30)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


CLOSED = """
import os, sys
os.close({number})
os.execv(sys.executable, [sys.executable, "-m", "workbench", "doctor"])
"""


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_standard_stream_that_came_closed_is_pointed_at_nothing(number: int) -> None:
    """The next file to be opened would else get its number, and be written to or read as if it were the stream."""
    told = subprocess.run([sys.executable, "-c", CLOSED.format(number=number)], capture_output=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, b"")
    assert told.stdout.startswith(b"ok    Python") == (number != 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_stderr_does_not_change_the_exit_code() -> None:
    with open("/dev/full", "wb") as full:
        told = subprocess.run(
            [sys.executable, "-m", "workbench", "lunch"],
            stdout=subprocess.PIPE,
            stderr=full,
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
            timeout=60,
        )
    assert (told.returncode, told.stdout) == (2, b"")
