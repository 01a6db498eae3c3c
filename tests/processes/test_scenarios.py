"""Every acceptance scenario that processes can play: their outcomes, not their output. A few of them each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes.watching import processes_of, workbench

pytestmark = pytest.mark.processes
FOLDER = Path(__file__).parents[1] / "scenarios"
QUICK = ("p22_torn_tail", "r05_tail_truncation")
"""Files of the host that were damaged, or laid down before the start."""
SIMULATED_ONLY = ("g08_commit_during_rebalance", "r14_duplicates_and_reordering")
"""A member must stand still between the answer to its join and the request it sends at once: only a world that waits
for a script can stop it there. And no connection doubles or overtakes frames."""
LONG = sorted({path.stem for path in FOLDER.glob("*.txt")} - {*QUICK, *SIMULATED_ONLY})


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
