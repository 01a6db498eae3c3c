"""Some acceptance scenarios on real processes: their outcomes, not their output."""

from __future__ import annotations

from pathlib import Path

import pytest
from watching import processes_of, workbench

pytestmark = pytest.mark.processes
FOLDER = Path(__file__).parents[1] / "scenarios"
QUICK = ("p22_torn_tail", "r05_tail_truncation")
"""Files of the host that were damaged, or laid down before the start."""
LONG = (
    "p01_leader_crash",
    "p05_acks_1_loss",
    "p10_kip279_fetch",
    "p24_lost_page_cache",
    "r02_kill_leader",
    "r08_vote_survives_restart",
    "r13_wiped_voter",
)


def played(home: Path, name: str) -> None:
    done = workbench(home, "run", str(FOLDER / f"{name}.txt"))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert not processes_of(home)


@pytest.mark.parametrize("name", QUICK)
def test_a_scenario_ends_on_processes_as_in_simulation(tmp_path: Path, name: str) -> None:
    played(tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_longer_scenario_ends_on_processes_as_in_simulation(tmp_path: Path, name: str) -> None:
    played(tmp_path, name)
