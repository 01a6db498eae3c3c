"""A campaign on Spark beside a process pool that runs the same seeds, and what more cores bring.

Every figure is of warm workers: starting Spark and importing the simulation are paid once and told apart. The pool and
Spark take turns, so that both meet the same neighbours on a machine that others use too; processor time, of all
processes of each, depends on neighbours least. Equal digests are required.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report import Aim, line
from workbench.analysis.campaign.conduct import CAMPAIGNS, missing
from workbench.analysis.campaign.one_run import run_all
from workbench.analysis.campaign.outcome import digest, plain
from workbench.analysis.campaign.read_file import read_campaign
from workbench.analysis.campaign.summary import Row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.campaign.plan import CellPlan

CAMPAIGN = "election-spread"
TASKS = 384
PAIRS = 5
CHUNK = 4
"""Tasks that a process of the pool takes at a time."""
OVERHEAD_AIM = Aim(1.25, 1.10, higher_is_better=False)
SCALING_AIM = Aim(None, 3.2)
CORES = (1, 2, 4)
INSIDE = "KRAFT_BENCH_CAMPAIGN_CORES"
"""A session keeps its number of cores for the life of its process, so each number has a process of its own."""


def run() -> None:
    """Measure and print."""
    if any(importlib.util.find_spec(name) is None for name in ("pyspark", "pyarrow", "pandas")):
        print("  skipped: Spark is not installed (make install-analysis)")
        return
    if INSIDE in os.environ:
        _one_number_of_cores(int(os.environ[INSIDE]))
        return
    cores = [count for count in CORES if count <= (os.cpu_count() or 1)]
    taken = {count: _apart(count) for count in cores}
    first = taken[cores[0]]
    for count in cores[1:]:
        for name, place in (("Spark", 0), ("process pool", 1)):
            speed = first[place] / taken[count][place]
            aim = SCALING_AIM if (count, place) == (4, 0) else None
            line(f"{name}, {count} cores beside 1", speed, "x", aim)
    loads = "; ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"  load of the machine over 1, 5 and 15 min: {loads}; another's work makes speed-ups smaller")


def _apart(cores: int) -> tuple[float, float]:
    """Median seconds of (Spark, process pool), measured in a process of its own."""
    import subprocess

    command = [sys.executable, "-m", "benchmarks", "campaign"]
    environment = {**os.environ, INSIDE: str(cores)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    told = next(item for item in lines if item.startswith("seconds "))
    print("\n".join(item for item in lines if item.startswith("  ") and not item.endswith("s)")), flush=True)
    spark_s, pool_s = map(float, told.split()[1:])
    return spark_s, pool_s


def _one_number_of_cores(cores: int) -> None:
    from workbench.analysis.spark import make_session

    campaign = read_campaign(Path(CAMPAIGNS / f"{CAMPAIGN}.toml"))
    plans = [cell.plan for cell in campaign.cells]
    tasks = missing(campaign, range(1, TASKS // len(plans) + 1), [])
    began = time.monotonic()
    session = make_session(f"local[{cores}]")
    _on_spark(session, plans, tasks[: 4 * cores])
    started_s = time.monotonic() - began
    spark_s, pool_s, work, digests = [], [], [], set()
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        _on_pool(pool, plans, tasks[: 4 * cores])
        for _ in range(PAIRS):
            before = _processor_s()
            took, rows = _on_spark(session, plans, tasks)
            between = _processor_s()
            spark_s.append(took)
            digests.add(digest(rows))
            took, rows = _on_pool(pool, plans, tasks)
            work.append((between - before) / max(_processor_s() - between, 0.01))
            pool_s.append(took)
            digests.add(digest(rows))
    session.stop()
    assert len(digests) == 1, "Spark and the pool must give the same outcomes"
    note = f"{len(tasks) / min(spark_s):.1f} runs/s at best; session and first runs {started_s:.0f} s more, once"
    ratio = statistics.median(one / other for one, other in zip(spark_s, pool_s, strict=True))
    line(f"Spark, {cores} cores, {len(tasks)} runs", statistics.median(spark_s), "s", None, note)
    line(f"process pool, {cores} processes", statistics.median(pool_s), "s")
    line("Spark beside the pool, median of pairs", ratio, "x", OVERHEAD_AIM)
    line("the same in processor time", statistics.median(work), "x")
    print(f"seconds {min(spark_s)} {min(pool_s)}", flush=True)


def _on_spark(
    session: SparkSession, plans: Sequence[CellPlan], tasks: Sequence[tuple[int, int]]
) -> tuple[float, list[Row]]:
    """Seconds, and the outcomes."""
    from workbench.analysis.campaign.spread import spread

    rows: list[Row] = []
    began = time.monotonic()
    spread(session, plans, tasks, lambda table: rows.extend(table.to_pylist()), lambda _count: None)
    return time.monotonic() - began, rows


def _on_pool(
    pool: ProcessPoolExecutor, plans: Sequence[CellPlan], tasks: Sequence[tuple[int, int]]
) -> tuple[float, list[Row]]:
    """The same from processes without Spark."""
    began = time.monotonic()
    chunks = [[(plans[place], seed) for place, seed in tasks[at : at + CHUNK]] for at in range(0, len(tasks), CHUNK)]
    rows = [row for found in pool.map(_chunk, chunks) for row in found]
    return time.monotonic() - began, rows


def _processor_s() -> float:
    """Processor time so far of this process and all below it, in seconds; Linux tells it."""
    below = {os.getpid()}
    found: dict[int, tuple[int, int]] = {}
    for item in Path("/proc").iterdir():
        if item.name.isdigit():
            with suppress(OSError):
                parts = (item / "stat").read_text().rpartition(")")[2].split()
                found[int(item.name)] = int(parts[1]), sum(map(int, parts[11:15]))
    while more := {pid for pid, (parent, _) in found.items() if parent in below} - below:
        below |= more
    ticks = sum(found[pid][1] for pid in below if pid in found)
    return ticks / os.sysconf("SC_CLK_TCK")


def _chunk(chosen: list[tuple[CellPlan, int]]) -> list[Row]:
    return [plain(outcome) for outcome in run_all(chosen)]
