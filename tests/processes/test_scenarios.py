"""Every acceptance scenario that processes can play: their outcomes, not their output. A few of them each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes.watching import processes_of, workbench

pytestmark = pytest.mark.processes
FOLDER = Path(__file__).parents[1] / "scenarios"
REGRESSIONS = ("paused_node_runs_after_a_thaw", "disk_forgets_a_second_fault")
QUICK = ("p22_torn_tail", "r05_tail_truncation", "z01_race")
"""Files of the host that were damaged, or laid down before the start; and brokers that race for /controller."""
SIMULATED_ONLY = (
    "g08_commit_during_rebalance", "r14_duplicates_and_reordering", "v05_bug_of_2015", "v06_correction_of_2015",
)  # fmt: skip
"""A member must stand still between the answer to its join and the request it sends at once: only a world that waits
for a script can stop it there. And no connection doubles or overtakes frames.
Which of several processes leads first is for the machine to say."""
LONG = sorted({path.stem for path in FOLDER.glob("*.txt")} - {*QUICK, *SIMULATED_ONLY})


def played(home: Path, name: str, folder: Path = FOLDER) -> None:
    done = workbench(home, "run", str(folder / f"{name}.txt"))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert not processes_of(home)


@pytest.mark.first(name=QUICK[:1])
@pytest.mark.parametrize("name", QUICK)
def test_a_scenario_ends_on_processes_as_in_simulation(tmp_path: Path, name: str) -> None:
    played(tmp_path, name)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_what_a_script_believes_of_a_node_is_so_on_processes(tmp_path: Path, name: str) -> None:
    played(tmp_path, name, FOLDER.parent / "regressions")


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_longer_scenario_ends_on_processes_as_in_simulation(tmp_path: Path, name: str) -> None:
    played(tmp_path, name)
