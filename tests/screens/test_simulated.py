"""A simulated cluster in a real terminal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from terminals import Tmux

from cluster.runtime.run_folder import read_facts

pytestmark = [pytest.mark.screens, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


@pytest.mark.parametrize("size", [(200, 50), (80, 24)])
def test_a_controller_is_killed_and_in_a_branch_it_is_not(tmp_path: Path, size: tuple[int, int]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    code = f"import sys; sys.argv[1:] = ['lab', '--simulated', '--seed', '7', '--data-dir', {str(home)!r}]; "
    terminal = Tmux(tmp_path, code + "from workbench.cli import main; main()", *size)
    try:
        terminal.wait_for("SIMULATED seed 7", "orders-0", "nodes 6/6", "hold")
        terminal.keys(":")
        terminal.keys("kill controller", "Enter")
        terminal.wait_for("nodes 5/6", "epoch 2")
        terminal.keys("g")
        terminal.wait_for("HALTED")
        terminal.keys("[", "[", "[", "[")
        terminal.keys("Home", "]", "]")
        terminal.wait_for("VIEW", "nodes 6/6", "SIMULATED seed 7")
        terminal.keys("B")
        terminal.wait_for("a branch of", "HALTED", "LIVE", "SIMULATED seed 7")
        terminal.keys("g")
        terminal.wait_for("x1", "nodes 6/6", "epoch 1")
        terminal.keys("V")
        terminal.wait_for("Verdicts", "R1", "holds")
        terminal.keys("C")
        terminal.wait_for("Two runs, one beginning", "this branch", "kill")
        terminal.keys("q")
        terminal.wait_for("seed 7; the run is recorded", "EXIT 0")
    finally:
        terminal.close()
    parent, child = (read_facts(folder) for folder in sorted((home / "runs").iterdir()))
    assert (parent.state, child.state) == ("ended", "ended")
    assert child.parent == parent.id and child.branch_events > 0
