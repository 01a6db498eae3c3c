"""How a command ends whose output nobody takes. Python must not get to complain about it once more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""As an ordinary user has it: what is printed is written at the end."""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [("doctor",), ("--help",)])
def test_an_output_that_is_full_is_one_sentence(words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "workbench", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=BUFFERED, timeout=60)
    assert (done.returncode, done.stderr) == (3, "workbench: No space left on device: stdout\n")


def test_a_reader_that_has_read_enough_is_no_mistake() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "workbench", "play", "1", "--simulated"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=BUFFERED, timeout=60)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_system_that_grants_no_thread_is_told_with_its_limits(tmp_path: Path) -> None:
    """A thread's stack takes as much memory as a process may have in all."""
    starved = 'ulimit -s 4000000; ulimit -v 3000000; exec "$@"'
    command = ["sh", "-c", starved, "sh", sys.executable, "-m", "workbench", "up"]
    environment = BUFFERED | {"WORKBENCH_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 3, done.stderr
    assert "workbench: the system grants no more processes or threads (" in done.stderr
    assert "ulimit -v is 3000000" in done.stderr
    assert not list(tmp_path.glob("kraft-workbench-*.log")), "it is no bug of ours"
