"""Reading and adding up generated events on Spark, beside DuckDB and Polars on the same Parquet files."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.report import Aim, line
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.trace.entry import encode_entry

COUNTS = tuple(int(item) for item in os.environ.get("BENCH_EVENTS", "1_000_000,10_000_000").split(","))
"""Events of one run; BENCH_EVENTS asks for others."""
RUN = "20260101-000000-000aa"
FILES = 8
ROUNDS = 3
CORES = 4
READ = {10_000_000: Aim(400_000, 500_000)}
ADD_UP = {10_000_000: Aim(None, 2_000_000)}
SQL = "SELECT event, node, count(*) AS n, max(t_ms) AS last_ms FROM {} GROUP BY event, node"


def run() -> None:
    """Measure and print. A machine without Spark or Java is told so."""
    missing = _missing()
    if missing:
        print(f"  skipped: {missing}")
        return
    for count in COUNTS:
        with tempfile.TemporaryDirectory(prefix="bench-analysis-") as place:
            print(f"  {count:,} events in {FILES} files", flush=True)
            began = time.monotonic()
            size = generate(Path(place) / "run", count)
            print(f"    generated in {time.monotonic() - began:.0f} s, {size / (1 << 20):,.0f} MiB", flush=True)
            _spark(Path(place), count)
            _bypass(Path(place), count)
            for name in ("duckdb", "polars"):
                _reference(name, Path(place), count)


def _missing() -> str:
    from workbench.analysis.java import INSTALL, find_java

    try:
        import pyspark  # noqa: F401  # only whether it is there
    except ImportError:
        return "pyspark is not installed: make install-analysis"
    java = find_java()
    return "" if java is not None and java.serves else INSTALL


def generate(folder: Path, count: int) -> int:
    """The trace of one run with about as many events of each kind as a cluster under load has. Returns its bytes."""
    (folder / "trace").mkdir(parents=True)
    jobs = [(str(folder), node, count // FILES) for node in range(1, FILES + 1)]
    with multiprocessing.get_context("spawn").Pool(min(FILES, os.cpu_count() or 1)) as pool:
        return sum(pool.starmap(_write, jobs))


def _write(folder: str, node: int, count: int) -> int:
    kinds = _kinds(node)
    path = Path(folder) / "trace" / f"{node}-0.trace"
    with path.open("wb", buffering=1 << 20) as file:
        for seq in range(count):
            event = kinds[seq % len(kinds)]
            t_ns = 1_000_000_000 + seq * 10_000 + node
            cause = EventId(node, 0, seq - 1) if seq else None
            moved = replace(event, base_offset=seq, end_offset=seq + 1) if seq % len(kinds) == 0 else event
            file.write(encode_entry(Entry(RUN, node, 0, seq, t_ns, 1 << 60, seq, cause, "bench", None, moved)))
    return path.stat().st_size


def _kinds(node: int) -> list[Any]:
    log = {"topic": "orders", "partition": node % 4}
    batch = ((0, 1, 3, "a1b2c3d4"),)
    return [
        ev.ReplicaAppended(
            **log, base_offset=0, count=1, end_offset=1, leader_epoch=3, batches=batch, role="leader", size_bytes=180
        ),
        ev.FollowerProgress(**log, replica_id=2, log_end_offset=7, leader_log_end_offset=8),
        ev.HighWatermarkAdvanced(
            **log, high_watermark=7, leader_epoch=3, role="leader", log_end_offsets=((1, 8), (2, 7), (3, 7))
        ),
        ev.ProduceAnswered(**log, client_id="bench", error=0, acks=-1, base_offset=7, count=1),
    ]


def _spark(place: Path, count: int) -> None:
    """In a process of its own, so that its memory is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.analysis", "spark", str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"    failed: {done.stderr.strip().splitlines()[-1:]}")
        return
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["events"] == count, told
    line("  Spark: start of a session", told["start_s"], "s")
    each = count / told["read_cpu_s"]
    note = f"{told['read_cpu_s']:.0f} processor s: {each:,.0f} events for each, {CORES * each:,.0f} in {CORES} of them"
    line("  Spark: traces to the events table", count / told["read_s"], "events/s", READ.get(count), note)
    line("  Spark: group by event and node", count / told["add_up_s"], "events/s", ADD_UP.get(count))
    line("  Spark: memory of Java and its workers", told["mib"], "MiB")


def _alone_spark(place: Path) -> dict[str, float]:
    from workbench.analysis.reading.ranges import examine
    from workbench.analysis.spark import make_session
    from workbench.analysis.store.rows import stored
    from workbench.analysis.store.tables import Store

    began = time.monotonic()
    session = make_session(cores=CORES)
    session.range(1).count()
    started = time.monotonic()
    store = Store(place / "out")
    used_s = _family_seconds(os.getpid())
    events = store.read(session, [examine(place / "run")])
    read = time.monotonic()
    used_s = _family_seconds(os.getpid()) - used_s
    stored(session, store.data, "events").createOrReplaceTempView("events")
    spent = _median(lambda: session.sql(SQL.format("events")).collect())
    mib = _family_mib(os.getpid())
    session.stop()
    times = {"start_s": started - began, "read_s": read - started, "read_cpu_s": used_s, "add_up_s": spent}
    return {"events": events, **times, "mib": mib}


def _bypass(place: Path, count: int) -> None:
    """The same rows written by Arrow in one process, without Spark, a checkpoint, or anything that survives a crash."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.analysis", "bypass", str(place)], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    note = f"{told['cpu_s']:.0f} processor s: {count / told['cpu_s']:,.0f} events for each"
    line("  without Spark: traces to Parquet", count / told["read_s"], "events/s", None, note)


def _alone_bypass(place: Path) -> dict[str, float]:
    import pyarrow.parquet as pq

    from workbench.analysis.reading.ranges import examine
    from workbench.analysis.reading.rows import SCHEMA, read_all
    from workbench.analysis.store.ahead import whole

    ranges = whole(examine(place / "run"))
    began, used_s = time.monotonic(), time.process_time()
    with pq.ParquetWriter(place / "bypass.parquet", SCHEMA) as writer:
        for batch in read_all(ranges):
            writer.write_batch(batch)
    return {"read_s": time.monotonic() - began, "cpu_s": time.process_time() - used_s}


def _median(work: Callable[[], object]) -> float:
    """Seconds, after one round that warms up."""
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        work()
        times.append(time.monotonic() - began)
    return statistics.median(times)


def _family_mib(root: int) -> float:
    """Resident memory of the processes below this one, now; 0 where /proc does not tell."""
    pages = 0
    for pid in _family(root) - {root}:
        try:
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * resource.getpagesize() / (1 << 20)


def _family_seconds(root: int) -> float:
    """Processor time that this process and those below it took so far, with that of children who are gone."""
    ticks = 0
    for pid in _family(root):
        try:
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _family(root: int) -> set[int]:
    """This process and all below it; alone where /proc does not tell."""
    parents = {}
    for item in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(item.name)] = int((item / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family, more = {root}, {root}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - family
        family |= more
    return family


def _reference(name: str, place: Path, count: int) -> None:
    """The same sum by another engine over the same files."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.analysis", name, str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no word"])[-1]
        print(f"    {name}: skipped, {why[:120]}")
        return
    told = json.loads(done.stdout.splitlines()[-1])
    line(f"  {name}: group by event and node", count / told["add_up_s"], "events/s", None, f"{told['mib']:.0f} MiB")


def _alone_duckdb(files: str) -> Callable[[], object]:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads={CORES}")
    source = f"read_parquet('{files}')"
    return lambda: connection.execute(SQL.format(source)).fetchall()


def _alone_polars(files: str) -> Callable[[], object]:
    import polars as pl

    def work() -> object:
        found = pl.scan_parquet(files).group_by("event", "node")
        return found.agg(pl.len().alias("n"), pl.col("t_ms").max().alias("last_ms")).collect()

    return work


def _alone(name: str, place: Path) -> dict[str, float]:
    if name in ("spark", "bypass"):
        return _alone_spark(place) if name == "spark" else _alone_bypass(place)
    files = str(place / "out" / "version-*" / "rows" / "*" / "rows=events" / "*" / "*.parquet")
    work = _alone_duckdb(files) if name == "duckdb" else _alone_polars(files)
    spent = _median(work)
    return {"add_up_s": spent, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    print(json.dumps(_alone(sys.argv[1], Path(sys.argv[2]))))
