"""A living run whose folder is taken away ends, and never touches what stands in its place."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import RunEnded
from cluster.runtime.run.folder import create_run, is_alive, read_facts
from cluster.trace.reader import read_all
from tests.support.processes.watching import started, until, workbench
from workbench.runs.orphans import orphans_of

pytestmark = pytest.mark.processes
SMALL = ("--controllers", "1", "--brokers", "1")
GONE_SECONDS = 10.0
"""It takes two, on a machine that has the time."""


def live(pids: list[int]) -> bool:
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", ",".join(map(str, pids))], capture_output=True, text=True, check=False
    )
    return any(not line.startswith("Z") for line in told.stdout.split())


def content_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def up(home: Path) -> tuple[Path, list[int]]:
    folder = Path(started(home, *SMALL)["folder"])
    pids = [item.pid for item in orphans_of(folder)]
    assert len(pids) == 3, "the lab and two nodes"
    return folder, pids


def test_a_run_whose_folder_is_deleted_ends_and_does_not_make_it_anew(tmp_path: Path) -> None:
    folder, pids = up(tmp_path)

    def deleted() -> bool:  # a node may make a file meanwhile
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    until(deleted)
    until(lambda: not live(pids), GONE_SECONDS, "a process outlived the folder of its run")
    assert not folder.exists()
    assert workbench(tmp_path, "ps").stdout.startswith("no run is up")


def test_a_run_whose_folder_is_moved_ends_there_and_says_why(tmp_path: Path) -> None:
    folder, pids = up(tmp_path)
    moved = tmp_path / "moved"
    folder.rename(moved)
    until(lambda: not live(pids), GONE_SECONDS, "a process outlived the place of its run")
    (ended,) = [entry.event for entry in read_all(moved / "trace") if isinstance(entry.event, RunEnded)]
    assert str(folder) in ended.why and "moved" in ended.why
    assert not folder.exists() and not is_alive(moved)
    again = workbench(tmp_path, "resume", str(moved), "--stay", "--json")
    assert again.returncode == 0, again.stderr
    assert workbench(tmp_path, "down", str(moved)).returncode == 0


def test_the_nodes_of_a_moved_run_write_nothing_into_the_run_that_takes_its_name(tmp_path: Path) -> None:
    folder, pids = up(tmp_path)
    other, lock = create_run(tmp_path / "other", ClusterSpec(title="foreign", controllers=1, brokers=1))
    os.close(lock)
    for node in ("1", "101"):
        (other / "data" / node / ".durable").mkdir(parents=True)
    lab, before = read_facts(folder).lab_pid, content_of(other)
    moved = folder.rename(tmp_path / "moved")
    other.rename(folder)
    os.kill(lab, signal.SIGTERM)
    until(lambda: not live(pids), GONE_SECONDS, "a process outlived the place of its run")
    assert content_of(folder) == before
    assert read_facts(moved).state == "ended"
    assert [entry.event.name for entry in read_all(moved / "trace")].count("run.ended") == 1
