"""What a cluster of 3 controllers and 3 brokers costs that does nothing: processor and memory.

On Linux the figures come from /proc: processor time in nanoseconds, as the scheduler counts it. Elsewhere, macOS
included, they come from ps, whose clock there shows hundredths of a second and whose memory figure counts shared pages
in each process.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from time import monotonic

from benchmarks.living import living
from benchmarks.report import Aim, line

SETTLE_S, MEASURE_S = 3.0, 10.0
CPU_AIM = Aim(25, 10, higher_is_better=False)
MEMORY_AIM = Aim(None, 45, higher_is_better=False)
KIB = 1024
NS_PER_S = 1_000_000_000


def run() -> None:
    """Measure and print."""
    asyncio.run(_measure())


async def _measure() -> None:
    async with living() as cluster:
        await cluster.topic()
        await asyncio.sleep(SETTLE_S)
        pids = cluster.pids()
        before, began = {node: cpu_seconds(pid) for node, pid in pids.items()}, monotonic()
        lab_before = cpu_seconds(cluster.facts.lab_pid)
        await asyncio.sleep(MEASURE_S)
        took = monotonic() - began
        shares = {node: 100 * (cpu_seconds(pid) - before[node]) / took for node, pid in pids.items()}
        lab_share = 100 * (cpu_seconds(cluster.facts.lab_pid) - lab_before) / took
        memory = {node: resident_mib(pid) for node, pid in pids.items()}
        lab_memory = resident_mib(cluster.facts.lab_pid)
        trace_bytes = sum(path.stat().st_size for path in (cluster.lab.run_folder / "trace").iterdir())
        entries = len(cluster.entries)
        cluster.poll()
    for node in sorted(pids):
        print(f"  node {node:<5}{shares[node]:8.1f} % of a core {memory[node]:8.1f} MiB")
    print(f"  lab       {lab_share:8.1f} % of a core {lab_memory:8.1f} MiB")
    per_second = (len(cluster.entries) - entries) / took
    print(f"  {per_second:.0f} events a second, {trace_bytes / KIB:.0f} KiB of trace so far")
    line("six nodes", sum(shares.values()), "% of core", CPU_AIM)
    line("largest node", max(memory.values()), "MiB", MEMORY_AIM)


def cpu_seconds(pid: int) -> float:
    """User and system time a process has used."""
    threads = list(Path("/proc").glob(f"{pid}/task/*/schedstat"))
    if threads:
        return sum(int(thread.read_text().split()[0]) for thread in threads) / NS_PER_S
    status = Path(f"/proc/{pid}/stat")
    if status.exists():  # a kernel that keeps no such statistics has ticks of 10 ms
        parts = status.read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    return clock_seconds(_ps(pid, "time"))


def resident_mib(pid: int) -> float:
    """Resident memory of a process."""
    return int(_ps(pid, "rss")) / KIB


def clock_seconds(text: str) -> float:
    """[[days-]hours:]minutes:seconds[.part] in seconds."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return 86_400 * int(days or 0) + seconds


def _ps(pid: int, what: str) -> str:
    done = subprocess.run(["ps", "-o", f"{what}=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return done.stdout.strip()
