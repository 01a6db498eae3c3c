"""A run is in one state, whoever asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.runtime.run.folder import create_run, update_facts
from workbench.commands.runs import runs
from workbench.runs.orphans import LAB, NODE
from workbench.tui.screens.home import run_choices


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


@pytest.mark.parametrize(
    ("written", "process", "state", "verb"),
    (
        ("starting", LAB, "up", "attach"),
        ("running", LAB, "up", "attach"),
        ("running", NODE, "lab is gone", "attach"),
        ("ended", LAB, "closing", "replay"),
        ("abandoned", LAB, "closing", "replay"),
        ("ended", NODE, "lab is gone", "attach"),
        ("ended", "", "ended", "replay"),
        ("running", "", "ended abruptly", "replay"),
        ("abandoned", "", "ended abruptly", "replay"),
    ),
)
def test_a_run_is_in_one_state_for_the_first_screen_and_for_the_command_line(
    written: str, process: str, state: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, lock = create_run(tmp_path, "one", 1, 1, {}, combined=False)
    update_facts(folder, state=written)
    with held(lock, process, folder):
        runs(str(tmp_path), as_json=True)
        (row,) = json.loads(capsys.readouterr().out)
        (choice,) = run_choices(tmp_path)
        assert (row["state"], choice.verb) == (state, verb)
