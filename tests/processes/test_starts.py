"""Starts that something stands in the way of: a port that is taken, another clone's code."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import PortTaken, ProcessExited, ProcessReady
from cluster.runtime.lab.client import launch_lab
from cluster.runtime.lab.own_code import PACKAGE_ROOT
from cluster.runtime.run.folder import read_facts
from cluster.trace.reader import read_all
from tests.support.processes.watching import nothing_left, until_async

pytestmark = pytest.mark.processes


async def test_a_restart_waits_for_a_port_that_another_program_took_meanwhile(tmp_path: Path) -> None:
    async def story() -> Path:
        lab = await launch_lab(tmp_path, ClusterSpec(controllers=1, brokers=1))
        folder = lab.run_folder
        assert (await lab.send("kill 1")).ok
        ports = read_facts(folder).ports
        assert ports is not None
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", ports[1]))
            other.listen()
            starting = asyncio.get_running_loop().create_task(lab.send("restart 1"))
            await until_async(lambda: taken(folder), what="the lab tells that the port is taken")
            assert not starting.done()
        answer = await starting
        assert answer.ok, answer.text
        assert (await lab.send("topic orders replicas=1 min-isr=1")).ok
        await lab.close()
        return folder

    folder = await story()
    nothing_left(folder)
    told = taken(folder)
    assert len(told) == 1, "one sentence, however often it was tried"
    if Path("/proc/net/tcp").exists():
        assert f"(pid {os.getpid()})" in told[0].holder
    events = [entry.event for entry in read_all(folder / "trace")]
    assert sum(isinstance(event, ProcessReady) and event.node_id == 1 for event in events) == 2
    assert [event.exit_code for event in events if isinstance(event, ProcessExited) and event.node_id == 1][0] == -9


def taken(folder: Path) -> list[PortTaken]:
    return [entry.event for entry in read_all(folder / "trace") if isinstance(entry.event, PortTaken)]


LAUNCH = """
import asyncio, sys
from pathlib import Path
from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.client import launch_lab

async def main():
    lab = await launch_lab(Path(sys.argv[1]), ClusterSpec(controllers=1, brokers=1))
    answer = await lab.send("topic orders replicas=1 min-isr=1")
    print(lab.run_folder, answer.ok)
    await lab.close()

asyncio.run(main())
"""


def test_lab_and_nodes_run_the_code_of_the_clone_that_starts_them(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(PACKAGE_ROOT / "cluster", clone / "cluster", ignore=shutil.ignore_patterns("__pycache__"))
    with (clone / "cluster" / "__init__.py").open("a") as source:
        source.write("\nimport sys\n\nsys.stderr.write(f'code of {__file__}\\n')\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, str(tmp_path / "home")],
        cwd=clone, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    folder = Path(done.stdout.split()[0])
    assert done.stdout.split()[1] == "True"
    nothing_left(folder)
    for log in ("lab", "101", "1"):
        assert f"code of {clone}/cluster/__init__.py" in (folder / "logs" / f"{log}.log").read_text()


def test_a_lab_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    command = ["sh", "-c", 'ulimit -f 40; exec "$@"', "sh", sys.executable, "-m", "workbench", "up"]
    up = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"WORKBENCH_HOME": str(tmp_path)}, timeout=60
    )
    told = up.stderr.splitlines()[-1]
    assert (up.returncode, up.stdout) == (3, "")
    assert told.startswith("workbench: the lab did not start: [Errno 27] File too large; see ")
    assert "File too large" in Path(told.rpartition(" ")[2]).read_text()
