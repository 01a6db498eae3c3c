"""What the lab knows of its cluster."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.language.words import NodeName
from cluster.model.events import LeaderElected, PortTaken
from cluster.runtime.lab import state as lab_state
from cluster.runtime.run.folder import create_run, read_facts
from cluster.runtime.run.ports import Ports
from cluster.trace.reader import read_all
from cluster.trace.writer import TraceWriter


async def until(reached: Callable[[], bool]) -> None:
    look_again = asyncio.Event()
    async with asyncio.timeout(5):
        while not reached():
            asyncio.get_running_loop().call_soon(look_again.set)
            await look_again.wait()
            look_again.clear()


async def test_the_lab_reads_along_and_a_damaged_file_does_not_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_state, "KEEP_UP_SECONDS", 0.001)
    folder, lock = create_run(tmp_path, ClusterSpec(title="A title", controllers=3, brokers=0))
    (folder / "trace").mkdir(exist_ok=True)
    (folder / "trace" / "101-0.trace").write_bytes(b"\xff" * 100)

    lab = lab_state.LabState(folder, read_facts(folder), lock)
    reading = asyncio.get_running_loop().create_task(lab.keep_up())
    writer = TraceWriter(folder / "trace" / "102-0.trace", read_facts(folder).id, 102, 0)
    writer.write(LeaderElected(epoch=3, epoch_start_offset=0, votes=(102, 103)))
    await until(lambda: lab.entries_read == 1)
    assert await lab.desk.find(NodeName(part="controller")) == 102
    reading.cancel()
    await asyncio.wait({reading})
    writer.close()
    lab.trace.close()
    lab.supervisor.close()
    os.close(lock)


async def test_a_start_gives_up_on_a_port_that_stays_taken_and_says_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_state, "PORT_SECONDS", 0.1)
    monkeypatch.setattr(lab_state, "holder_of", lambda _port: "nc (pid 77)")
    folder, lock = create_run(tmp_path, ClusterSpec(title="A title", controllers=1, brokers=1))

    lab = lab_state.LabState(folder, read_facts(folder), lock)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        lab.ports = Ports({1: other.getsockname()[1]})
        why = await lab.start(1, None)
        assert why == f"port {lab.ports.nodes[1]} of node 1 is taken by nc (pid 77); free it, then: start 1"
    lab.trace.close()
    lab.supervisor.close()
    os.close(lock)
    told = [entry.event for entry in read_all(folder / "trace")]
    assert [type(event) for event in told] == [PortTaken], "told once, however often it was tried; no process began"
