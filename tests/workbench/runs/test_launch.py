"""Which world a script is played in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.runtime.run.folder import FACTS, create_run, is_alive
from cluster.simulation.world.cluster import SimulationConfig
from workbench.refusal import Refusal
from workbench.runs.launch import WorldChoice, recorded


def test_real_processes_have_no_seed(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--simulated"):
        WorldChoice(seed=3).launcher(tmp_path, 1.0)


def test_the_end_of_a_simulation_is_not_written_into_a_run_that_took_its_place(tmp_path: Path) -> None:
    other, lock = create_run(tmp_path / "other", "foreign", 1, 1, {}, combined=False)
    os.close(lock)
    before = (other / FACTS).read_bytes()
    with recorded(tmp_path / "home", SimulationConfig(seed=1)) as folder:
        moved = folder.rename(tmp_path / "moved")
        other.rename(folder)
    assert (folder / FACTS).read_bytes() == before
    assert not is_alive(moved)
