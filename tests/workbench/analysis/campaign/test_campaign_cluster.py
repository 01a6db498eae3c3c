"""A campaign on a standalone Spark cluster: the same result as a plain loop, and nothing listens beyond loopback."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from tests.support.processes.sockets import LOOPBACK, family, listening, sockets_of
from tests.support.traces.made_campaign import TINY, made
from workbench.analysis.campaign.conduct import missing
from workbench.analysis.campaign.one_run import run_all
from workbench.analysis.campaign.outcome import digest, plain

if TYPE_CHECKING:
    from subprocess import Popen

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,  # a master, two workers and a driver: four Java machines to start
    pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's list of sockets"),
]
SEEDS = 30
READY_S = 60.0
LOOK_S = 0.5


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [item.getsockname()[1] for item in held]
    for item in held:
        item.close()
    return ports


def _await_line(process: Popen[str], wanted: str) -> None:
    """Read what it says until it is ready."""
    assert process.stderr is not None
    deadline, said = monotonic() + READY_S, []
    for line in process.stderr:
        said.append(line)
        if re.search(wanted, line):
            return
        assert monotonic() < deadline, "".join(said)
    raise AssertionError("".join(said))


@contextmanager
def _standalone(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """A master and two workers of one core each, all on loopback: (URL, their process ids)."""
    import pyspark

    from workbench.analysis.java import find_java, home_for_spark

    java = find_java()
    if java is None or not java.serves:
        pytest.skip("no Java 17 or newer")
    home = Path(pyspark.__file__).parent
    script = str(home / "bin" / "spark-class")
    port, web, *webs = _free_ports(4)
    conf = folder / "conf"
    conf.mkdir()
    (conf / "log4j2.properties").write_text(
        "status = error\nrootLogger.level = info\nrootLogger.appenderRef.console.ref = console\n"
        "appender.console.type = Console\nappender.console.name = console\nappender.console.target = SYSTEM_ERR\n"
        "appender.console.layout.type = PatternLayout\nappender.console.layout.pattern = %m%n\n"
    )
    environment = {
        **os.environ, "JAVA_HOME": str(home_for_spark(java, folder)), "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_MASTER_HOST": "127.0.0.1", "SPARK_PUBLIC_DNS": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m", "SPARK_CONF_DIR": str(conf), "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"), "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
    }  # fmt: skip
    environment.pop("PYTHONPATH", None)
    url = f"spark://localhost:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [
        [script, f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web)],
        *(
            [script, f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g"]
            + ["--webui-port", str(own), url]
            for own in webs
        ),
    ]
    started: list[Popen[str]] = []
    try:
        for command, ready in zip(
            commands, ("I have been elected leader", *["Successfully registered"] * 2), strict=True
        ):
            process = subprocess.Popen(
                command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                start_new_session=True, cwd=folder,
            )  # fmt: skip
            started.append(process)
            _await_line(process, ready)
        yield url, [process.pid for process in started]
    finally:
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stderr is not None
            process.stderr.close()


def test_a_cluster_gives_what_a_plain_loop_gives_and_listens_on_loopback_only(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    campaign = made(tmp_path, TINY, "tiny")
    tasks = missing(campaign, range(1, SEEDS + 1), [])
    with _standalone(tmp_path) as (url, daemons):
        words = ["campaign", str(tmp_path / "tiny.toml"), "--seeds", str(SEEDS), "--out", str(tmp_path / "out")]
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", *words, "--master", url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        seen: set[str] = set()
        try:
            out = told = ""
            while process.poll() is None:
                pids = {pid for root in (*daemons, process.pid) for pid in family(root)}
                seen |= set(listening(sockets_of(pids)))
                with suppress(subprocess.TimeoutExpired):
                    out, told = process.communicate(timeout=LOOK_S)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
    assert process.returncode == 0, told
    serial = [plain(outcome) for outcome in run_all([(campaign.cells[place].plan, seed) for place, seed in tasks])]
    assert out.splitlines()[-1].endswith(f"0 unexpected verdicts, digest {digest(serial)}")
    assert seen and seen <= LOOPBACK
