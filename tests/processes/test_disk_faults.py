"""Disk faults on the files of real processes: the same disk layer as in a simulation, the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.exit_codes import STORAGE_FAILED
from cluster.model.identifiers import TopicPartition
from cluster.runtime.lab.client import LabClient
from tests.support.processes.watching import Watcher, done, in_lab, until_async

pytestmark = pytest.mark.processes
ORDERS = TopicPartition("orders", 0)


@pytest.mark.first
def test_power_loss_leaves_of_unflushed_writes_what_a_disk_may_have(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders replicas=1 min-isr=1 assign=1", "produce orders 2 acks=1")
        ends = []
        for pick in range(3):
            await done(lab, "stop 1", "start 1")
            durable = seen.now.log(1, ORDERS).log_end_offset
            await done(lab, "produce orders 4 acks=1", f"power-loss 1 keep=writes pick={pick}", "start 1")
            await until_async(lambda: seen.now.nodes[1].process == "running" and seen.now.leader_of(ORDERS) == 1)
            left = seen.now.log(1, ORDERS).log_end_offset - durable
            assert 0 <= left <= 4
            ends.append(left)
        assert len(set(ends)) > 1, "it is not always the same that is left"

    in_lab(tmp_path, story)


@pytest.mark.first
def test_a_node_whose_fsync_fails_halts_and_starts_once_the_disk_is_well(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders min-isr=1 assign=1,2,3", "produce orders 2", "fsync fail 103", "produce orders 1")
        await until_async(lambda: seen.now.nodes[103].process == "down")
        assert seen.now.nodes[103].exit_code == STORAGE_FAILED
        assert seen.now.nodes[103].storage_error.startswith("5 fsync")
        await done(lab, "fsync ok 103", "start 103", "produce orders 1")

    in_lab(tmp_path, story)


def test_a_folder_that_lies_loses_the_names_of_its_files(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "fsync lie-dir 1", "topic orders replicas=1 min-isr=1 assign=1", "produce orders 2 acks=1")
        await done(lab, "stop 1", "start 1", "power-loss 1")
        assert not [path for path in (lab.run_folder / "data" / "1").rglob("*.log") if path.parent.name == "orders-0"]
        await done(lab, "fsync ok 1", "start 1")
        await until_async(lambda: seen.now.log(1, ORDERS).log_end_offset == 0)

    in_lab(tmp_path, story)


def test_what_processes_cannot_do_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        for command in ("lose 1-2 10%", "clock skew 1 +2s", "crash 1 after vote"):
            answer = await lab.send(command)
            assert not answer.ok
            assert answer.text.startswith("that exists only in the simulated world: ")
        await until_async(lambda: len(seen.now.rejected_commands) == 3)
        assert not seen.now.faults

    in_lab(tmp_path, story)
