"""Long recordings: how soon they are on screen, how soon any place of them is, and in how much memory.

The runs are really simulated (benchmarks.long_run). Each figure is of a process of its own that opens one like a screen
does, without drawing. `--long` in WORKBENCH_BENCH adds a run of ten million events, which takes half an hour to make.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.living import living
from benchmarks.report import Aim, line, percentile
from workbench.session.session import Session

SIZES = (100_000, 1_000_000)
LONG = 10_000_000
SEEKS = 200
RECORDS = 100_000
OPEN_AIM = Aim(None, 2.0, higher_is_better=False)
SEEK_AIM = Aim(None, 200, higher_is_better=False)
SCREEN_AIM = Aim(None, 300, higher_is_better=False)
LAB_AIM = Aim(None, 100, higher_is_better=False)
USABLE = 0.001
"""Share of a recording that is read when something of it can be looked at."""


def run() -> None:
    """Measure and print."""
    sizes = (*SIZES, LONG) if "--long" in os.environ.get("WORKBENCH_BENCH", "") else SIZES
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="kwb-bench-") as home:
            command = [sys.executable, "-m", "benchmarks.long_run", home, str(size)]
            made = subprocess.run(command, check=True, capture_output=True, text=True)
            tell(f"{size:,} events", Path(made.stdout.strip()), Path(home))
    asyncio.run(_live())


def tell(name: str, run_folder: Path, home: Path) -> None:
    """Open it twice, and say how long that took: the second screen finds the index of the first."""
    first, second = (_opened(run_folder, home) for _ in range(2))
    line(f"{name}, first opening, until it is shown", first["shown_s"], "s", OPEN_AIM)
    note = f"{first['events'] / first['read_s']:,.0f} events/s, {first['busy']:.0%} of a core was free for it"
    line("  until all of it is read, beside the screen", first["read_s"], "s", None, note)
    index_mb = (run_folder / "screen.index").stat().st_size / 1e6
    trace_mb = sum(file.stat().st_size for file in (run_folder / "trace").iterdir()) / 1e6
    line(f"{name}, opened again", second["read_s"], "s", OPEN_AIM, f"index {index_mb:,.0f} of {trace_mb:,.0f} MB")
    line("  seek anywhere, p50", second["seek_p50_ms"], "ms", SEEK_AIM, f"{second['busy']:.0%} of a core was free")
    line("  seek anywhere, p99", second["seek_p99_ms"], "ms", SEEK_AIM)
    line("  memory while it was read first, most", first["memory_mib"], "MiB", SCREEN_AIM)
    line("  memory after the seeks, most", second["memory_mib"], "MiB", SCREEN_AIM)


def _opened(run_folder: Path, home: Path) -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.recordings", "open", str(run_folder)],
        check=True, capture_output=True, text=True, env=os.environ | {"WORKBENCH_HOME": str(home)},
    )  # fmt: skip
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def open_run(run_folder: Path) -> None:
    """Be a screen that opens a recording and goes to many places of it; garbage is collected as a screen does."""
    gc.freeze()
    gc.disable()
    session, began, shown_s = Session(run_folder, None), time.perf_counter(), 0.0

    def tell_share(share: float) -> None:
        nonlocal shown_s
        if not shown_s and share > USABLE:
            shown_s = time.perf_counter() - began

    asyncio.run(session.load_beside(tell_share))
    read_s, recording = time.perf_counter() - began, session.recording
    draw, took_ms = random.Random(1), []
    for _ in range(SEEKS):
        before = time.perf_counter()
        recording.seek(draw.randrange(len(recording.entries)))
        assert recording.view.entries == recording.cursor
        gc.collect(0)
        took_ms.append(1e3 * (time.perf_counter() - before))
    found = {
        "events": len(recording.entries),
        "shown_s": shown_s or read_s,
        "read_s": read_s,
        "seek_p50_ms": percentile(took_ms, 0.5),
        "seek_p99_ms": percentile(took_ms, 0.99),
        "busy": time.process_time() / max(1e-9, time.perf_counter() - began),
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


async def _live() -> None:
    """A client writes records one by one; a screen follows. What it and the lab need before and after."""
    async with living() as cluster:
        await cluster.topic()
        command = [sys.executable, "-m", "benchmarks.recordings", "follow", str(cluster.lab.run_folder)]
        screen = await asyncio.create_subprocess_exec(*command)
        try:
            before = _memory_mib(screen.pid), _memory_mib(cluster.facts.lab_pid)
            answer = await cluster.lab.send(f"produce bench-0 {RECORDS}")
            assert answer.ok, answer.text
            after = _memory_mib(screen.pid), _memory_mib(cluster.facts.lab_pid)
        finally:
            screen.kill()
            await screen.wait()
    line(f"live, screen after {RECORDS:,} records", after[0], "MiB", SCREEN_AIM, f"{before[0]:.0f} before")
    line(f"live, lab after {RECORDS:,} records", after[1], "MiB", LAB_AIM, f"{before[1]:.0f} before")


def _memory_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


if __name__ == "__main__":
    if sys.argv[1] == "open":
        open_run(Path(sys.argv[2]))
    else:
        asyncio.run(Session(Path(sys.argv[2]), None).follower.run())
