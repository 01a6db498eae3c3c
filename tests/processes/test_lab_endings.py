"""How runs end: in order in spite of faults, at once when somebody cannot wait, and whole when a start is given up."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab import client
from cluster.runtime.lab.client import LabClient, connect, launch_lab
from cluster.runtime.lab.control_server import ABANDONED
from cluster.runtime.run.folder import SECRET, read_facts
from cluster.trace.reader import read_all
from tests.support.processes.watching import (
    LIMIT_S,
    Watcher,
    child,
    done,
    in_lab,
    no_run_left,
    nothing_left,
    processes_of,
    started,
    until,
    until_async,
    workbench,
)
from workbench.runs.orphans import orphans_of, state_of

pytestmark = pytest.mark.processes
ATTEMPTS = 3
"""On a machine that is full a cluster may be up before the one who waits for its first file has a turn."""


def any_of(folder: Path, pattern: str) -> list[Path]:
    return list(folder.glob(pattern))


def events_of(folder: Path, name: str) -> list[Any]:
    return [entry.event for entry in read_all(folder / "trace") if entry.event.name == name]


def test_down_reverts_faults_first_so_that_every_node_leaves_in_order(tmp_path: Path) -> None:
    told = started(tmp_path)
    run, folder = told["run"], Path(told["folder"])
    for command in ("isolate 1", "isolate controller", "pause 102", "fsync slow 2 300ms"):
        assert workbench(tmp_path, "inject", run, command).returncode == 0
    assert workbench(tmp_path, "down", run).returncode == 0
    nothing_left(folder)
    assert len(events_of(folder, "fault.reverted")) == 4
    assert {exited.exit_code for exited in events_of(folder, "proc.exited")} == {0}
    assert [ended.clean for ended in events_of(folder, "run.ended")] == [True]
    order = [exited.node_id for exited in events_of(folder, "proc.exited")]
    assert max(order.index(broker) for broker in (1, 2, 3)) < min(order.index(node) for node in (101, 102, 103))


def test_a_second_signal_skips_to_the_kill(tmp_path: Path) -> None:
    told = started(tmp_path)
    folder = Path(told["folder"])
    node = [item.pid for item in events_of(folder, "proc.started") if item.node_id == 2][-1]
    os.kill(node, signal.SIGSTOP)
    lab = read_facts(folder).lab_pid
    os.kill(lab, signal.SIGTERM)
    until(lambda: len(events_of(folder, "proc.exited")) >= 2, what="the others leave in order")
    assert processes_of(folder), "the stopped node keeps the lab waiting"
    os.kill(lab, signal.SIGTERM)
    nothing_left(folder)
    assert [ended.clean for ended in events_of(folder, "run.ended")] == [False]
    codes = {exited.node_id: exited.exit_code for exited in events_of(folder, "proc.exited")}
    assert {node: codes[node] for node in (101, 102, 103)} == dict.fromkeys((101, 102, 103), -signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("moment", ["run.json", "nodes/101.json", "trace/1-*.trace", "control.sock"])
def test_up_that_is_interrupted_leaves_no_process(tmp_path: Path, number: signal.Signals, moment: str) -> None:
    command = [sys.executable, "-m", "workbench", "up", "--json"]
    for attempt in range(ATTEMPTS):
        home = tmp_path / str(attempt)
        environment = os.environ | {"WORKBENCH_HOME": str(home)}
        with child(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
        ) as up:
            until(partial(any_of, home, f"runs/*/{moment}"))
            up.send_signal(signal.SIGSTOP)
            assert up.stdout is not None
            was_late = bool(select.select([up.stdout], [], [], 0)[0])
            if not was_late:
                up.send_signal(number)
            up.send_signal(signal.SIGCONT)
            told, _ = up.communicate(timeout=LIMIT_S)
        if not was_late:
            break
        assert workbench(home, "down", json.loads(told)["run"]).returncode == 0
    assert told == ""
    assert up.returncode == (130 if number == signal.SIGINT else -number)
    no_run_left(home)
    rows = json.loads(workbench(home, "runs", "--json").stdout)
    if number == signal.SIGINT:
        assert all(row["state"] == "ended" and row["ports"] for row in rows), "what never listened is not told as a run"
    else:
        assert {row["state"] for row in rows} <= {"ended abruptly"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_cluster_that_nobody_can_be_told_of_does_not_stay(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "up", "--controllers", "1", "--brokers", "1"]
    with open("/dev/full", "wb") as full:
        environment = os.environ | {"WORKBENCH_HOME": str(tmp_path)}
        up = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60)
    told = "workbench: the cluster did not start: nobody can be told of it, stdout says: No space left on device"
    assert (up.returncode, up.stderr.splitlines()[-1]) == (3, told)
    until(lambda: not processes_of(tmp_path), 3.0, "a process stayed")


def test_a_paused_node_that_is_killed_from_outside_does_not_block_heal(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "pause 1")
        await until_async(lambda: 1 in seen.now.nodes)
        os.kill(seen.now.nodes[1].pid, signal.SIGKILL)
        await until_async(lambda: seen.now.nodes[1].process == "down")
        assert not seen.now.faults, "nothing is paused any more"
        assert await done(lab, "heal") == "0 faults healed; down until started: 1"
        await done(lab, "start 1")
        unexpected = [item.node_id for item in events_of(lab.run_folder, "proc.exited") if not item.expected]
        assert unexpected == [1]

    in_lab(tmp_path, story, controllers=1, brokers=1)


@pytest.mark.first
def test_a_killed_guardian_is_replaced_and_knows_every_node(tmp_path: Path) -> None:
    told = started(tmp_path)
    run, folder = told["run"], Path(told["folder"])
    lab = read_facts(folder).lab_pid
    first = guardian_of(lab)
    os.kill(first, signal.SIGKILL)
    until(lambda: guardian_of(lab) not in (0, first), 10.0, "another one takes its place while nothing else happens")
    for command in ("pause 102", "pause 2", "restart 1"):
        assert workbench(tmp_path, "inject", run, command).returncode == 0
    os.kill(lab, signal.SIGKILL)
    nothing_left(folder)


def guardian_of(lab: int) -> int:
    told = subprocess.run(["ps", "-axwwo", "pid=,ppid=,command="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in told.splitlines()]
    return next((int(row[0]) for row in rows if row[1] == str(lab) and "cluster.runtime.lab.guardian" in row), 0)


def test_a_fault_that_a_node_does_not_confirm_is_refused_and_can_be_healed(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await done(lab, "status")
        await until_async(lambda: 2 in seen.now.nodes)
        os.kill(seen.now.nodes[2].pid, signal.SIGSTOP)
        answer = await lab.send("cut 1-101")
        os.kill(seen.now.nodes[2].pid, signal.SIGCONT)
        assert not answer.ok
        assert "node 2: no answer within 2 s" in answer.text
        assert not seen.now.faults, "it was never told to be in force"
        assert await done(lab, "heal 1") == "healed: 1 cut 1-101"

    in_lab(tmp_path, story, controllers=1, brokers=2)


def test_a_name_that_means_nobody_yet_holds_up_no_other_command(tmp_path: Path) -> None:
    async def story(lab: LabClient, seen: Watcher) -> None:
        await until_async(lambda: seen.now.quorum_leader in (101, 102))
        other = 203 - seen.now.quorum_leader
        await done(lab, f"pause {other}", f"restart {seen.now.quorum_leader}")
        await until_async(lambda: seen.now.quorum_leader < 0, what="one of two voters elects nobody")
        waiting = asyncio.ensure_future(lab.send("kill controller"))
        await done(lab, "cut 1>101")
        await done(lab, "status")
        assert not waiting.done(), "both were carried out while it waited"
        await done(lab, f"resume {other}")
        assert (await waiting).ok, "it means somebody again within its patience"

    in_lab(tmp_path, story, controllers=2, brokers=1)


async def test_a_second_owner_keeps_the_run_up(tmp_path: Path) -> None:
    told = started(tmp_path, "--controllers", "1", "--brokers", "1")
    folder = Path(told["folder"])
    viewer = await connect(folder)
    await viewer.own()
    await done(viewer, "status")
    await viewer.close()
    again = await connect(folder)
    assert await done(again, "status"), "a run that stays has no use for owners"
    await again.leave(in_order=True)
    await again.close()
    nothing_left(folder)


def test_a_lab_that_hangs_when_its_screen_lets_go_is_killed_and_its_nodes_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "GONE_SECONDS", 0.3)
    monkeypatch.setattr(client, "GREETING_SECONDS", 0.3)

    async def story(lab: LabClient, _seen: Watcher) -> None:
        await done(lab, "status")
        os.kill(read_facts(lab.run_folder).lab_pid, signal.SIGSTOP)

    in_lab(tmp_path, story, controllers=1, brokers=1)


async def test_a_node_that_dies_while_it_starts_is_named_with_how_and_where_its_words_are(tmp_path: Path) -> None:
    def keep_waiting(folder: Path) -> None:
        """Nodes read the run's secret before they listen."""
        (folder / SECRET).unlink()
        os.mkfifo(folder / SECRET)

    lab = await launch_lab(tmp_path, ClusterSpec(controllers=1, brokers=1), prepare=keep_waiting)
    os.kill(until(lambda: pid_of(lab.run_folder, "node 101"), what="it has begun"), signal.SIGKILL)
    with pytest.raises(EOFError) as told:
        await lab.send("status")
        await lab.ended()
        raise EOFError(lab.failure)
    log = lab.run_folder / "logs" / "101.log"
    assert str(told.value) == f"node 101 ended while it started with signal 9; what it said is in {log}"
    await lab.close()
    nothing_left(lab.run_folder)


def pid_of(folder: Path, what: str) -> int:
    """Of a process of the run; 0 when there is none."""
    return next((item.pid for item in orphans_of(folder) if item.what == what), 0)


def test_reap_refuses_a_run_whose_lab_answers(tmp_path: Path) -> None:
    told = started(tmp_path, "--controllers", "1", "--brokers", "1")
    refused = workbench(tmp_path, "reap", told["run"])
    assert refused.returncode == 6
    assert "workbench down" in refused.stderr
    assert workbench(tmp_path, "inject", told["run"], "status").returncode == 0
    assert workbench(tmp_path, "down", told["run"]).returncode == 0
    nothing_left(Path(told["folder"]))


def test_reap_finds_the_processes_of_a_path_with_spaces_and_ends_a_lab_that_hangs(tmp_path: Path) -> None:
    home = tmp_path / "my runs \u00fc"
    told = started(home, "--controllers", "1", "--brokers", "1")
    bystander = started(home, "--controllers", "1", "--brokers", "1")
    folder = Path(told["folder"])
    os.kill(read_facts(folder).lab_pid, signal.SIGSTOP)
    refused = workbench(home, "inject", told["run"], "status")
    assert refused.returncode == 6 and f"workbench reap {told['run']}" in refused.stderr, (
        "a command does not wait for it"
    )
    done = workbench(home, "reap", told["run"])
    assert done.returncode == 0, done.stderr
    assert "the lab (pid" in done.stdout
    nothing_left(folder)
    assert workbench(home, "inject", bystander["run"], "status").returncode == 0
    assert workbench(home, "down", bystander["run"]).returncode == 0
    nothing_left(Path(bystander["folder"]))


def test_the_next_start_tells_of_a_run_that_ended_abruptly_once(tmp_path: Path) -> None:
    small = ("--controllers", "1", "--brokers", "1", "--json")
    told = started(tmp_path, "--controllers", "1", "--brokers", "1")
    os.kill(read_facts(Path(told["folder"])).lab_pid, signal.SIGKILL)
    nothing_left(Path(told["folder"]))
    time_of_next = workbench(tmp_path, "up", *small)
    assert f"{told['run']}, ended abruptly" in time_of_next.stderr
    run = json.loads(time_of_next.stdout)["run"]
    assert workbench(tmp_path, "down", run).returncode == 0
    last = workbench(tmp_path, "up", *small)
    assert "abruptly" not in last.stderr
    assert workbench(tmp_path, "down", json.loads(last.stdout)["run"]).returncode == 0
    until(lambda: not processes_of(tmp_path))


async def test_a_lab_that_cannot_be_made_is_one_error_and_nothing_runs() -> None:
    nowhere = Path("/proc/self/net")  # where even root can make nothing
    with pytest.raises(OSError):  # noqa: PT011  # which one depends on the system
        await launch_lab(nowhere, ClusterSpec())


async def test_a_lab_whose_process_cannot_be_started_is_one_error_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    with pytest.raises(FileNotFoundError):
        await launch_lab(tmp_path, ClusterSpec())
    assert not list((tmp_path / "runs").iterdir())


FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.client import launch_lab

async def main():
    lab = await launch_lab(Path(sys.argv[1]), ClusterSpec())
    print(lab.run_folder, flush=True)
    try:
        while True:
            await lab.send("produce orders 2000 wait=no" if (await lab.send("status")).ok else "topic orders")
    except EOFError as error:
        print(error)
    await lab.close()

resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
asyncio.run(main())
"""


def test_a_trace_that_cannot_grow_ends_the_run_and_says_why(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    folder, reason = done.stdout.splitlines()
    assert reason.startswith("the trace cannot be written: ")
    nothing_left(Path(folder))


@pytest.mark.parametrize("ending", ["kill -9", "window closed", "terminated"])
def test_the_cluster_is_gone_within_three_seconds_of_its_screen(tmp_path: Path, ending: str) -> None:
    master, slave = os.openpty()
    environment = os.environ | {
        "WORKBENCH_HOME": str(tmp_path),
        "TERM": "xterm-256color",
        "COLUMNS": "120",
        "LINES": "40",
    }
    with child(
        [sys.executable, "-m", "workbench", "lab"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
    ) as screen:
        os.close(slave)
        drain = threading.Thread(target=_read_all, args=(master,), daemon=True)
        drain.start()
        until(lambda: len(list(tmp_path.glob("runs/*/trace/*.trace"))) >= 7, what="six nodes and the lab are up")
        if ending == "kill -9":
            screen.kill()
        elif ending == "window closed":
            os.kill(screen.pid, signal.SIGHUP)
        else:
            screen.terminate()
        screen.wait(LIMIT_S)
        no_run_left(tmp_path)
        drain.join(LIMIT_S)
        (folder,) = tmp_path.glob("runs/*")
        if ending == "kill -9":
            assert [(ended.clean, ended.why) for ended in events_of(folder, "run.ended")] == [(False, ABANDONED)]
            assert state_of(folder, read_facts(folder)) == "ended abruptly"
        else:
            assert [ended.clean for ended in events_of(folder, "run.ended")] == [True]
            assert state_of(folder, read_facts(folder)) == "ended"
    os.close(master)


def _read_all(master: int) -> None:
    """A terminal takes what is written to it."""
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        return


def test_warnings_do_not_keep_a_run_from_starting(tmp_path: Path) -> None:
    done = workbench(tmp_path, "up", "--controllers", "2", "--brokers", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert "an even quorum of 2 tolerates 0 failures, use 3" in done.stderr
    assert workbench(tmp_path, "down", json.loads(done.stdout)["run"]).returncode == 0
    until(lambda: not processes_of(tmp_path))
