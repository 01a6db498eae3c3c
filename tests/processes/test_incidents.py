"""Public incidents on real processes: outcomes and verdicts of the simulation. The quickest of them each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes.watching import processes_of, workbench
from workbench.course.incidents import incident_names

pytestmark = pytest.mark.processes
QUICK = "07_kafka_15021"


def played(home: Path, name: str) -> None:
    done = workbench(home, "incidents", name, "--real")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert not processes_of(home)


def test_an_incident_ends_on_processes_as_in_simulation(tmp_path: Path) -> None:
    played(tmp_path, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(incident_names()) - {QUICK}))
def test_a_longer_incident_ends_on_processes_as_in_simulation(tmp_path: Path, name: str) -> None:
    played(tmp_path, name)
