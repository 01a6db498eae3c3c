"""Real node processes: a quorum elects, survives a kill, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.model.events import BrokerUnfenced, LeaderElected, MetadataHighWatermarkAdvanced, ProcessStarted
from cluster.runtime.lab_client import LabClient, LabConfig, launch_lab
from cluster.trace.entry import Entry
from cluster.trace.reader import TraceFolder

pytestmark = pytest.mark.processes
LIMIT_S = 20.0


class Watcher:
    """Everything the run has said so far."""

    def __init__(self, lab: LabClient) -> None:
        self.folder = TraceFolder(lab.run_folder / "trace")
        self.entries: list[Entry] = []

    async def until(self, reached: Callable[[list[Entry]], bool]) -> None:
        """Wait for the trace to say it."""
        deadline = time.monotonic() + LIMIT_S
        while not reached(self.entries):
            assert time.monotonic() < deadline, f"not reached within {LIMIT_S} s"
            self.entries += self.folder.poll()
            await asyncio.sleep(0.01)

    def leaders(self) -> list[tuple[int, int]]:
        """(epoch, node) of each elected leader."""
        return [(e.event.epoch, e.node) for e in self.entries if isinstance(e.event, LeaderElected)]


def unfenced(entries: list[Entry]) -> set[int]:
    return {entry.event.broker_id for entry in entries if isinstance(entry.event, BrokerUnfenced)}


def test_a_killed_leader_is_replaced_in_a_higher_epoch_and_follows_when_it_returns(tmp_path: Path) -> None:
    async def story() -> None:
        lab = await launch_lab(LabConfig(home=tmp_path, controllers=3, brokers=2))
        try:
            watcher = Watcher(lab)
            await watcher.until(lambda entries: unfenced(entries) == {1, 2})
            epoch, old = watcher.leaders()[-1]
            assert (await lab.send(f"kill {old}")).ok
            await watcher.until(lambda _: watcher.leaders()[-1][0] > epoch)
            assert watcher.leaders()[-1][1] != old
            assert (await lab.send(f"restart {old}")).ok

            def caught_up(entries: list[Entry]) -> bool:
                return any(
                    entry.node == old
                    and entry.incarnation == 1
                    and isinstance(entry.event, MetadataHighWatermarkAdvanced)
                    for entry in entries
                )

            await watcher.until(caught_up)
            epochs = [epoch for epoch, _ in watcher.leaders()]
            assert len(set(epochs)) == len(epochs), "one leader in an epoch"
        finally:
            await lab.close()

    asyncio.run(story())


def test_commands_that_make_no_sense_get_one_line(tmp_path: Path) -> None:
    async def story() -> None:
        lab = await launch_lab(LabConfig(home=tmp_path, controllers=1, brokers=0))
        try:
            for command in ("explode 101", "kill 7", "kill", "kill x\x1b", "resume 101"):
                answer = await lab.send(command)
                assert not answer.ok
                assert answer.text
        finally:
            await lab.close()

    asyncio.run(story())


OWNER = """
import asyncio, sys
from pathlib import Path
from cluster.runtime.lab_client import LabConfig, launch_lab

async def main():
    lab = await launch_lab(LabConfig(home=Path(sys.argv[1]), controllers=3, brokers=1))
    await lab.send("pause 102")
    print(lab.run_folder, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_killing_the_owner_leaves_no_node_not_even_a_stopped_one(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    run = Path(owner.stdout.readline().strip())
    owner.stdout.close()
    entries = TraceFolder(run / "trace").poll()
    pids = [entry.event.pid for entry in entries if isinstance(entry.event, ProcessStarted)]
    assert len(pids) == 4
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 3
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() < deadline, "a node outlived its owner"
        os.sched_yield()


def _runs(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
