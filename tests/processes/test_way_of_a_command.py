"""The way of a command from a key to a signal: each function that hands it on is one that a reader has to read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 16


@pytest.mark.processes
def test_kill_passes_through_few_functions_on_its_way_to_the_signal(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.support.processes.way_of_a_command", str(tmp_path)]
    way = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout)
    assert way[0] == "Dispatch.press" and way[-1] == "Supervisor.kill"
    assert len(way) <= MOST, way
