"""A process that is taken for one of a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.runs.orphans import LAB


@contextmanager
def held(lock: int, module: str, folder: Path) -> Iterator[None]:
    """A process that looks like one of ours in that folder, while the run's lock is held; neither without a module."""
    if not module:
        os.close(lock)
        yield
        return
    argument = folder if module == LAB else folder / "nodes" / "1.json"
    code = "import sys; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, module, str(argument)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.readline()  # only a process that runs has a command line to be found by
        yield
        process.kill()
    os.close(lock)
