"""A lab of real processes through the real command line, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.runtime.lab.client import LabClient, connect
from cluster.runtime.run.folder import read_facts
from cluster.runtime.run.ports import FIRST_PORT, STEP
from tests.support.processes.sockets import LOOPBACK, family, listening, sockets_of
from tests.support.processes.watching import (
    Watcher,
    child,
    done,
    in_lab,
    nothing_left,
    processes_of,
    started,
    until,
    until_async,
    workbench,
)
from workbench.support.refusal import Refusal
from workbench.tui.at_home import carry_out
from workbench.tui.screens.home_choices import run_choices

pytestmark = pytest.mark.processes
ORDERS = TopicPartition("orders", 0)


def isr(seen: Watcher) -> set[int]:
    """Of orders-0; empty before there is one."""
    known = seen.now.facts(ORDERS)
    return set(known.isr) if known is not None else set()


def test_up_inject_ps_down_leaves_nothing(tmp_path: Path) -> None:
    told = started(tmp_path)
    run, folder = told["run"], Path(told["folder"])
    assert len(told["bootstrap"]) == 3
    for address in told["bootstrap"]:
        host, _, port = address.partition(":")
        assert host == "127.0.0.1"
        socket.create_connection((host, int(port)), 1).close()
    assert workbench(tmp_path, "inject", run, "produce orders 3").stdout.startswith("3 of 3 records acknowledged, ")
    assert workbench(tmp_path, "inject", run, "kill leader(orders-0)").returncode == 0
    assert workbench(tmp_path, "inject", run, "produce orders 1").stdout.startswith("1 of 1 record ")
    assert workbench(tmp_path, "inject", run, "kill 77").returncode == 1
    too_long = workbench(tmp_path, "inject", run, "kill " + "7" * 70_000)
    assert (too_long.returncode, too_long.stdout[:26]) == (1, "too long for one command: ")
    assert [row["run"] for row in json.loads(workbench(tmp_path, "ps", "--json").stdout)] == [run]
    assert workbench(tmp_path, "down", run[:20]).returncode == 0
    nothing_left(folder)
    assert json.loads(workbench(tmp_path, "ps", "--json").stdout) == []
    rows = json.loads(workbench(tmp_path, "runs", "--json").stdout)
    assert [row["state"] for row in rows] == ["ended"]
    assert workbench(tmp_path, "inject", run, "status").returncode == 4


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's list of sockets")
def test_a_run_listens_on_loopback_only_for_nodes_and_for_kafka_clients(tmp_path: Path) -> None:
    told = started(tmp_path)
    facts = read_facts(Path(told["folder"]))
    addresses = listening(sockets_of(family(facts.lab_pid)))
    assert len(addresses) == len(facts.nodes) + len(facts.brokers)
    assert set(addresses) <= LOOPBACK
    assert set((facts.client_ports or {}).values()).isdisjoint((facts.ports or {}).values())
    assert workbench(tmp_path, "down", told["run"]).returncode == 0


def test_up_prints_where_kafka_clients_connect(tmp_path: Path) -> None:
    done = workbench(tmp_path, "up", "--controllers", "1", "--brokers", "1")
    run = done.stdout.split()[0]
    (address,) = read_facts(tmp_path / "runs" / run).bootstrap
    assert f"Kafka clients: {address}" in done.stdout
    assert f"kcat -b {address} -L" in done.stdout
    assert workbench(tmp_path, "down", run).returncode == 0


def test_a_taken_port_moves_the_run_a_chosen_one_is_named_and_down_alone_ends_the_only_run(tmp_path: Path) -> None:
    runs = [up_and_told(tmp_path) for _ in range(2)]
    assert any(told for _, told in runs), "they cannot both have the first block"
    first, second = (folder for folder, _ in runs)
    ports = [port_of(first), port_of(second)]
    assert ports[0] != ports[1]
    chosen = workbench(tmp_path, "up", "--controllers", "1", "--brokers", "1", "--base-port", str(ports[0]))
    assert chosen.returncode == 3
    assert f"port {ports[0]} is taken" in chosen.stderr
    if Path("/proc/net/tcp").exists():
        assert f"by node 1 of run {first.name} (pid " in chosen.stderr
    assert len(json.loads(workbench(tmp_path, "runs", "--json").stdout)) == 2, "what never ran is not told as a run"
    unnamed = workbench(tmp_path, "down")
    assert unnamed.returncode == 2
    assert all(f"workbench down {folder.name}" in unnamed.stderr for folder in (first, second))
    assert workbench(tmp_path, "down", first.name).returncode == 0
    nothing_left(first)
    assert workbench(tmp_path, "down").stdout == f"{second.name} has ended\n"
    nothing_left(second)
    assert not processes_of(tmp_path)


def up_and_told(home: Path) -> tuple[Path, bool]:
    """A small run, and whether it was told that others have the first ports: as soon as it has later ones."""
    told = workbench(home, "up", "--controllers", "1", "--brokers", "1")
    assert told.returncode == 0, told.stderr
    folder = home / "runs" / told.stdout.split()[0]
    facts = read_facts(folder)
    ports = {*(facts.ports or {}).values(), *(facts.client_ports or {}).values()}
    said = re.search(r"ports from 19092 on were taken(?: by .+)?; this run has (\d+) to (\d+)\n", told.stderr)
    assert (said is not None) == (min(ports) >= FIRST_PORT + STEP), told.stderr
    assert said is None or (int(said[1]), int(said[2])) == (min(ports), max(ports))
    return folder, said is not None


def port_of(folder: Path) -> int:
    """Of its only broker, for Kafka clients."""
    (address,) = read_facts(folder).bootstrap
    return int(address.rpartition(":")[2])


def test_a_long_path_and_odd_names_work(tmp_path: Path) -> None:
    home = tmp_path / ("with space and \u00fc " + "d" * 120)
    told = started(home, "--controllers", "1", "--brokers", "1")
    assert workbench(home, "inject", told["run"], "status").returncode == 0
    elsewhere = workbench(tmp_path, "delete", told["folder"])
    assert elsewhere.stderr.endswith(f"end it first: workbench down '{told['folder']}'\n"), "the id would not be found"
    assert workbench(home, "down", told["run"]).returncode == 0
    nothing_left(Path(told["folder"]))


def test_up_for_a_while_ends_by_itself(tmp_path: Path) -> None:
    told = started(tmp_path, "--controllers", "1", "--brokers", "1", "--duration", "3s")
    until(lambda: read_facts(Path(told["folder"])).state == "ended")
    nothing_left(Path(told["folder"]))


def test_combined_nodes_replicate(tmp_path: Path) -> None:
    told = started(tmp_path, "--combined")
    assert workbench(tmp_path, "inject", told["run"], "produce orders 2").stdout.startswith("2 of 2")
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    nothing_left(Path(told["folder"]))


OWNER = """
import asyncio, sys
from pathlib import Path
from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.client import launch_lab

async def main():
    lab = await launch_lab(Path(sys.argv[1]), ClusterSpec())
    await lab.send("pause 102")
    print(lab.run_folder, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that owns a lab with one stopped node, and the run's folder."""
    with child([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert len(processes_of(folder)) == 7
        yield process, folder


Owner = tuple[subprocess.Popen[str], Path]


@pytest.mark.first
def test_killing_the_owner_ends_every_process_also_a_stopped_one(owner: Owner) -> None:
    process, folder = owner
    process.kill()
    process.wait()
    nothing_left(folder)


def test_killing_the_lab_ends_every_process_also_a_stopped_one(tmp_path: Path, owner: Owner) -> None:
    _, folder = owner
    os.kill(read_facts(folder).lab_pid, signal.SIGKILL)
    nothing_left(folder)
    row = json.loads(workbench(tmp_path, "runs", "--json").stdout)[0]
    assert row["state"] == "ended abruptly"


def test_reap_ends_what_a_dead_lab_and_guardian_left(tmp_path: Path, owner: Owner) -> None:
    _, folder = owner
    lab = read_facts(folder).lab_pid
    children = subprocess.run(
        ["ps", "-axwwo", "pid=,ppid=,command="], capture_output=True, text=True, check=True
    ).stdout
    guardian = next(
        int(line.split()[0]) for line in children.splitlines() if line.split()[1] == str(lab) and "guardian" in line
    )
    os.kill(guardian, signal.SIGKILL)
    os.kill(lab, signal.SIGKILL)
    until(lambda: len(processes_of(folder)) == 1, 3.0, "only the stopped node stays")
    busy = workbench(tmp_path, "inject", folder.name, "status")
    assert busy.returncode == 6
    assert "still there: node 102 (pid" in busy.stderr
    assert f"workbench reap {folder.name}" in busy.stderr
    assert "lab is gone" in workbench(tmp_path, "ps").stdout
    shown = [choice for choice in run_choices(tmp_path) if choice.name == folder.name]
    assert [choice.note for choice in shown] == ["its lab is gone"]
    with pytest.raises(Refusal, match="node 102"):
        carry_out(shown[0], tmp_path)
    done = workbench(tmp_path, "reap", folder.name)
    assert "node 102 (pid" in done.stdout
    nothing_left(folder)


@pytest.mark.first
def test_kill_keeps_written_bytes_and_power_loss_keeps_only_durable_ones(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders replicas=1 min-isr=1 assign=1", "produce orders 4 acks=1")
        await done(lab, "kill 1", "start 1")
        await until_async(lambda: seen.now.log(1, ORDERS).log_end_offset == 4 and seen.now.leader_of(ORDERS) == 1)
        assert not [cut for cut in seen.now.cuts if cut.topic_partition == ORDERS], "a kill keeps the page cache"
        await done(lab, "kill 1", "power-loss 1")
        assert seen.now.nodes[1].power_losses == 1, "a node that is down loses power too"
        await done(lab, "start 1")
        await until_async(lambda: seen.now.log(1, ORDERS).log_end_offset == 0)
        assert [cut.kind for cut in seen.now.cuts if cut.topic_partition == ORDERS] == ["lost"]
        await until_async(lambda: seen.now.lost(ORDERS) is not None and len(seen.now.lost(ORDERS) or ()) == 4)
        await done(lab, "produce orders 2 acks=1", "flush 1", "power-loss 1", "start 1")
        await until_async(lambda: seen.now.leader_of(ORDERS) == 1 and seen.now.nodes[1].process == "running")
        assert seen.now.log(1, ORDERS).log_end_offset == 2, "what was flushed is durable"

    in_lab(tmp_path, story)


@pytest.mark.first
def test_a_cut_leader_is_replaced_and_truncates_when_it_returns(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(
            lab,
            "topic orders min-isr=2 assign=1,2,3",
            "produce orders 2",
            "isolate 1",
            "produce orders-0 1 acks=1 retries=no wait=no",
        )
        await until_async(lambda: seen.now.leader_of(ORDERS) == 2)
        assert seen.now.faults, "the cut is in force"
        await done(lab, "produce orders 1", "heal")
        await until_async(lambda: isr(seen) == {1, 2, 3})
        await until_async(lambda: seen.now.identical(ORDERS))
        lost = seen.now.lost(ORDERS) or []
        assert [item.base_offset for item in lost] == [2], "only what the lone leader had acknowledged"
        assert not seen.now.faults

    in_lab(tmp_path, story)


@pytest.mark.first
def test_faults_are_told_apart_and_undone_by_number(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "pause 2", "cut 1>3", "fsync lie 3", "delay 1-2 20ms")
        assert [fault.kind for fault in seen.now.faults.values()] == ["Pause", "Cut", "FsyncLie", "Delay"]
        assert seen.now.nodes[2].process == "paused"
        assert seen.now.nodes[3].suffers("FsyncLie")
        await done(lab, "heal 2", "undo", "resume 2")
        assert [fault.kind for fault in seen.now.faults.values()] == ["FsyncLie"]
        assert "running: 1, 2, 3" in await done(lab, "status")
        for refused in ("resume 2", "heal 99", "start 1", "kill 9", "produce nothing 1", "thaw"):
            answer = await lab.send(refused)
            assert not answer.ok
            assert answer.text
        assert len(seen.now.rejected_commands) == 6

    in_lab(tmp_path, story)


@pytest.mark.first
def test_a_node_that_stutters_is_stopped_and_goes_on_in_turn(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders min-isr=2 assign=1,2,3", "stutter 2 50ms 300ms")
        pid = seen.now.nodes[2].pid
        for _ in range(2):
            await until_async(lambda: is_stopped(pid))
            await until_async(lambda: not is_stopped(pid))
        await done(lab, "produce orders 5 acks=all", "pause 2", "cut 1>3")
        assert is_stopped(pid)
        await done(lab, "resume 2", "heal")
        assert not is_stopped(pid)
        assert not seen.now.faults
        await done(lab, "stutter 2 50ms 60s")
        await until_async(lambda: is_stopped(pid))
        await done(lab, "stop 2")
        assert seen.now.nodes[2].exit_code == 0, "it went on and left in order"

    in_lab(tmp_path, story)


def is_stopped(pid: int) -> bool:
    """Whether the process stands still, as the system says."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.startswith("T")


def test_a_full_disk_stops_the_node_in_order_of_its_trace(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders min-isr=2 assign=1,2,3", "disk-full 1", "produce orders 1 wait=no")
        await until_async(lambda: seen.now.nodes[1].process == "down")
        assert seen.now.nodes[1].exit_code == 74
        assert seen.now.nodes[1].storage_error.startswith("28 ")
        await until_async(lambda: seen.now.leader_of(ORDERS) == 2)
        await done(lab, "disk-ok 1", "start 1")
        await until_async(lambda: isr(seen) == {1, 2, 3})

    in_lab(tmp_path, story)


@pytest.mark.first
def test_a_graceful_stop_hands_over_and_leaves_the_marker(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "topic orders min-isr=2 assign=1,2,3", "produce orders 1")
        assert await done(lab, "stop 1") == "node 1 has left in order"
        assert (lab.run_folder / "data" / "1" / ".kafka_cleanshutdown").exists()
        await until_async(lambda: seen.now.leader_of(ORDERS) == 2)
        await done(lab, "produce orders 1", "start 1")
        await until_async(lambda: isr(seen) == {1, 2, 3})

    in_lab(tmp_path, story)


def test_an_unexpected_end_is_told_as_one(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "status")
        await until_async(lambda: 2 in seen.now.nodes and seen.now.nodes[2].process == "running")
        os.kill(seen.now.nodes[2].pid, signal.SIGKILL)
        await until_async(lambda: seen.now.nodes[2].process == "down")
        assert "down: 2" in await done(lab, "status")

    in_lab(tmp_path, story)


def test_a_second_viewer_may_command_and_leave(tmp_path: Path) -> None:
    async def story(lab: LabClient, _seen: Watcher) -> None:
        await done(lab, "status")
        viewer = await connect(lab.run_folder)
        assert (await viewer.send("status")).ok
        await viewer.close()
        await done(lab, "status")

    in_lab(tmp_path, story, controllers=1, brokers=1)
