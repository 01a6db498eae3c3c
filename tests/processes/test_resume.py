"""Runs whose lab died without a word go on: the same nodes, the same files, the same recording."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from time import monotonic_ns

import pytest

from cluster.model.events import ProcessExited, RunResumed
from cluster.model.identifiers import TopicPartition
from cluster.runtime.run.continuation import GAP_NS
from cluster.runtime.run.folder import read_facts
from cluster.trace.reader import read_all
from tests.support.processes.watching import Watcher, nothing_left, started, workbench
from workbench.runs.judgement import judge_all

pytestmark = pytest.mark.processes
ORDERS = TopicPartition("orders", 0)


@pytest.mark.first
def test_a_run_goes_on_after_its_lab_was_killed_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    up = started(tmp_path)
    run, folder = up["run"], Path(up["folder"])
    for command in ("produce orders 20 acks=all", "cut 1>2", "pause 3"):
        assert workbench(tmp_path, "inject", run, command).returncode == 0
    began_ns = monotonic_ns()
    os.kill(read_facts(folder).lab_pid, signal.SIGKILL)
    nothing_left(folder)
    died = read_all(folder / "trace")[-1].t_ns
    done = workbench(tmp_path, "resume", run, "--stay")
    assert done.returncode == 0, done.stderr
    took_ns = monotonic_ns() - began_ns
    assert workbench(tmp_path, "resume", run, "--stay").returncode == 6, "it is up"
    assert "faults: none" in workbench(tmp_path, "inject", run, "status").stdout
    again = workbench(tmp_path, "inject", run, "produce orders 20 acks=all")
    told = re.fullmatch(r"20 of 20 records acknowledged, offsets (\d+) to \d+\n", again.stdout)
    assert told is not None and int(told[1]) >= 20, again.stdout
    assert workbench(tmp_path, "down", run).returncode == 0
    nothing_left(folder)
    state = Watcher(folder).now
    assert state.acked_count(ORDERS) == 40 and state.run_ended
    entries = read_all(folder / "trace")
    (gap,) = [entry for entry in entries if isinstance(entry.event, RunResumed)]
    shown_ns = gap.t_ns - died
    assert GAP_NS <= shown_ns < GAP_NS + took_ns, "the run's clock stands still while the run is over"
    unsaid = [entry.event for entry in entries if entry.t_ns == died + 1]
    assert {event.node_id for event in unsaid if isinstance(event, ProcessExited)} == {1, 2, 3, 101, 102, 103}
    verdicts = judge_all([folder])
    assert verdicts.is_good, verdicts.line


def test_a_run_goes_on_as_often_as_somebody_likes_also_after_a_life_in_which_nobody_asked_anything(
    tmp_path: Path,
) -> None:
    told = started(tmp_path, "--controllers", "1", "--brokers", "1")
    for _ in range(3):
        assert workbench(tmp_path, "down", told["run"]).returncode == 0
        again = workbench(tmp_path, "resume", told["run"], "--stay")
        assert again.returncode == 0, again.stderr
    assert workbench(tmp_path, "inject", told["run"], "produce orders 1").stdout.startswith("1 of 1 record ")
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    verdicts = judge_all([Path(told["folder"])])
    assert verdicts.is_good, verdicts.line


def test_a_run_goes_on_without_a_disk_that_cannot_be_read_while_most_voters_stand(tmp_path: Path) -> None:
    told = started(tmp_path, "--brokers", "1")
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    state = "__cluster_metadata-0/quorum-state"
    (Path(told["folder"]) / "data" / "103" / state).write_text("{")
    again = workbench(tmp_path, "resume", told["run"], "--stay")
    assert again.returncode == 0, again.stderr
    assert "not all nodes are up: running: 1, 101, 102 | down: 103" in again.stderr
    assert workbench(tmp_path, "inject", told["run"], "produce orders 1").stdout.startswith("1 of 1 record ")
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    (Path(told["folder"]) / "data" / "102" / state).write_text("{")
    refused = workbench(tmp_path, "resume", told["run"], "--stay")
    assert refused.returncode == 3
    assert "ended while it started with code 74 (its disk failed or is full)" in refused.stderr
    nothing_left(Path(told["folder"]))


def test_a_run_that_is_over_can_be_deleted_and_one_that_is_up_cannot(tmp_path: Path) -> None:
    told = started(tmp_path, "--controllers", "1", "--brokers", "1")
    folder = Path(told["folder"])
    assert workbench(tmp_path, "delete", told["run"], "--yes").returncode == 6
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    assert workbench(tmp_path, "delete", told["run"]).returncode == 2, "nobody is there to ask"
    assert folder.is_dir()
    assert workbench(tmp_path, "delete", told["run"], "--yes").returncode == 0
    assert not folder.exists()
