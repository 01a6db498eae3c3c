"""The session listens on loopback only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made_events import write_run

from cluster.model import events as ev

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
LISTENS = "0A"
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def _family(root: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for item in Path("/proc").iterdir():
        if item.name.isdigit():
            try:
                parents[int(item.name)] = int((item / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _sockets(pids: set[int]) -> set[str]:
    inodes = set()
    for pid in pids:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                named = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(handle))
            except OSError:
                continue
            inodes |= {named[1]} if named else set()
    return inodes


def _listening(inodes: set[str]) -> list[str]:
    """Addresses in the kernel's spelling."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[3] == LISTENS and parts[9] in inodes:
                found.append(parts[1].partition(":")[0])
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's list of sockets")
def test_nothing_of_a_session_listens_beyond_this_machine(spark: SparkSession) -> None:
    assert spark.range(100, numPartitions=2).rdd.map(lambda row: row.id).sum() == 4950, "Python workers are up too"
    found = _listening(_sockets(_family(os.getpid())))
    assert len(found) >= 3, "the gateway, the driver and its block manager"
    assert set(found) <= LOOPBACK


KILL = """
import sys
from workbench.analysis.spark import make_session, told_when_java_ends
from workbench.refusal import Refusal
session = make_session(cores=1)
from pyspark import SparkContext
try:
    with told_when_java_ends():
        SparkContext._gateway.proc.kill()
        session.range(10).count()
except Refusal as refusal:
    print(refusal.code, refusal)
"""


def test_when_java_is_killed_one_line_says_so(spark: SparkSession, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", KILL], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.startswith("3 Spark's Java ended by itself, killed with SIGKILL"), done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 1


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
