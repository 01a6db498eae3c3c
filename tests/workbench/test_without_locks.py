"""Where the file system has no locks nothing can be told alive from dead: said with the place, and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from tests.support.processes.refused_calls import HAS_FILTERS, workbench_without_locks

pytestmark = pytest.mark.skipif(not HAS_FILTERS, reason="needs a system that can refuse a call to one process")


@pytest.mark.parametrize("command", ["up", "ps"])
def test_a_file_system_without_locks_is_told_with_the_place_and_a_way_out(tmp_path: Path, command: str) -> None:
    folder, _ = create_run(tmp_path, ClusterSpec(title="A title", controllers=1, brokers=1))
    done = workbench_without_locks(tmp_path, command)
    assert done.returncode == 3, done.stdout
    (told,) = [line for line in done.stderr.splitlines() if "running as root" not in line]
    assert "the file system has no locks (flock: Operation not supported)" in told
    assert "--data-dir" in told and str(tmp_path) in told
    assert [item.name for item in (tmp_path / "runs").iterdir()] == [folder.name]


def test_doctor_calls_a_place_without_locks_a_lack(tmp_path: Path) -> None:
    done = workbench_without_locks(tmp_path / "home", "doctor")
    assert done.returncode == 3
    (told,) = [line for line in done.stdout.splitlines() if "space for runs" in line]
    assert told.startswith("LACK") and "has no locks" in told and str(tmp_path) in told
