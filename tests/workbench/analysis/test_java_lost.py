"""Java dies in the middle of the work: one message, nothing half-made is taken for whole, and the next time goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from tests.support.processes.sockets import family
from tests.support.traces.made_campaign import TINY, made
from workbench.analysis.store.version import layout_version
from workbench.support.refusal import ENVIRONMENT

if TYPE_CHECKING:
    from workbench.analysis.store.tables import Store

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,  # four sessions of Spark, one after the other
    pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="needs Linux's list of processes"),
]
SEEDS = 600
READY_S, LOOK_S = 120.0, 0.02


def _workbench(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "workbench", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _killed_when(is_time: Callable[[], bool], *words: str) -> str:
    """What it says on stderr when its Java is killed at that time."""
    deadline = monotonic() + READY_S
    with _workbench(*words) as process:
        while not is_time():
            assert monotonic() < deadline and process.poll() is None
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=LOOK_S)
        machines = [pid for pid in family(process.pid) if Path(f"/proc/{pid}/comm").read_text().strip() == "java"]
        assert len(machines) == 1, "one Java machine below it"
        os.kill(machines[0], signal.SIGKILL)
        out, told = process.communicate(timeout=READY_S)
    assert (process.returncode, out) == (ENVIRONMENT, ""), told
    assert "Traceback" not in told
    assert told.splitlines()[-1].startswith("workbench: Spark's Java ended by itself, killed with SIGKILL"), told
    assert told.count("Spark's Java ended by itself") == 1
    return told


def _done(*words: str) -> str:
    with _workbench(*words) as process:
        out, told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    return out


def test_an_analysis_goes_on_where_java_died(recorded: Path, analysed: Store, tmp_path: Path) -> None:
    from workbench.analysis.store.tables import MADE, table_rows
    from workbench.analysis.store.version import VERSION
    from workbench.analysis.tables import TABLES

    words = ["analyse", str(recorded), "--out", str(tmp_path / "out")]
    data = tmp_path / "out" / f"{VERSION}{layout_version()}"
    tables = data / "tables"
    _killed_when(lambda: tables.is_dir() and len(list(tables.iterdir())) > 3, *words)
    run = recorded.name
    assert not (data / MADE).exists(), "no table counts as made"
    _done(*words)
    assert set(json.loads((data / MADE).read_text())) == {run}
    for name in TABLES:
        found = table_rows(tables / name, [run])
        assert sorted(map(str, found)) == sorted(map(str, table_rows(analysed.table(name), [run]))), name


def test_a_campaign_keeps_whole_runs_when_java_dies_and_does_the_rest_the_next_time(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    campaign = made(tmp_path, TINY, "tiny")
    words = ["campaign", str(tmp_path / "tiny.toml"), "--seeds", str(SEEDS), "--out", str(tmp_path / "out")]
    first = tmp_path / "out" / "outcomes" / "part-000001.parquet"
    told = _killed_when(first.exists, *words)
    wanted = len(campaign.cells) * SEEDS
    kept = sum(pq.read_metadata(path).num_rows for path in (tmp_path / "out" / "outcomes").glob("part-*.parquet"))
    assert 0 < kept < wanted
    assert f"{kept:,} of {wanted:,} runs are kept; the same command goes on from there" in told
    end = _done(*words).splitlines()[-1]
    assert end == _done(*words[:-1], str(tmp_path / "whole")).splitlines()[-1], "the digest too"
