"""The session listens on loopback only."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.model import events as ev
from tests.support.processes.sockets import LOOPBACK, family, listening, sockets_of
from tests.support.processes.watching import child, until
from tests.support.traces.made_events import write_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's list of sockets")
def test_nothing_of_a_session_listens_beyond_this_machine(spark: SparkSession) -> None:
    assert spark.range(100, numPartitions=2).rdd.map(lambda row: row.id).sum() == 4950, "Python workers are up too"
    found = listening(sockets_of(family(os.getpid())))
    assert len(found) >= 3, "the gateway, the driver and its block manager"
    assert set(found) <= LOOPBACK


def test_workers_take_the_installed_pyspark_and_not_a_zip_that_each_of_them_compiles_anew(spark: SparkSession) -> None:
    def place(_: int) -> str:
        import pyspark

        return str(pyspark.__file__)

    import pyspark

    assert spark.sparkContext.parallelize([0], 1).map(place).collect() == [pyspark.__file__]


def test_no_python_is_started_to_look_for_data_sources_of_other_packages(spark: SparkSession) -> None:
    """It would take a second of each start. Java looks when it finds the Python that it knows by this name."""
    assert spark.range(1).count() == 1, "Java was started with what is in the environment now"
    assert shutil.which(os.environ["PYSPARK_DRIVER_PYTHON"]) is None


def test_a_terminated_analysis_leaves_no_folder_and_no_java(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    run = write_run(tmp_path / "run", {"0-0": [ev.RunStarted(config="{}", world="processes", title="t")]})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = ["analyse", str(run), "--out", str(tmp_path / "out")]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with child([sys.executable, "-m", "workbench", *words], env=environment, stderr=subprocess.DEVNULL) as process:
        until(lambda: any(scratch.glob("kraft-spark-*/scratch/*")), 120, "a session")
        below = family(process.pid)
        process.terminate()
        assert process.wait(30) == -signal.SIGTERM
    assert list(scratch.glob("kraft-*")) == []
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), 30, "the end of Java and its children")


def test_a_master_that_does_not_exist_is_refused_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    run = write_run(tmp_path / "run", {"0-0": [ev.RunStarted(config="{}", world="processes", title="t")]})
    words = ["analyse", str(run), "--master", "no-such-thing", "--out", str(tmp_path / "out")]
    command, environment = [sys.executable, "-m", "workbench", *words], {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (3, "")
    told = done.stderr.splitlines()[-1]
    assert "Spark did not start on no-such-thing" in told and "Master must either be" in told
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_what_takes_a_connection_and_is_no_master_is_told_in_one_line_in_time(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        master = f"spark://127.0.0.1:{silent.getsockname()[1]}"
        code = "from workbench.analysis import spark; spark.TAKEN_S = 2.0\n"
        code += f"with spark.told_when_java_ends(): spark.make_session({master!r})"
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
        )
    told = done.stderr.splitlines()[-1]
    assert f"Refusal: --master: what answers at '{master}' did not take us within " in told, told
