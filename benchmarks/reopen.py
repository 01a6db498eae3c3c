"""How long a broker that was killed takes to be ready with ten million records on its disk, beside an empty one.

The log is written by the broker's own storage code while the broker is down, and left as a kill leaves it: flushed as
far as closed segments are, without the mark of a stop in order.
"""

from __future__ import annotations

import asyncio
import statistics

from benchmarks.living import Living, fill, living
from benchmarks.report import Aim, line, spread
from cluster.model.events import ProcessReady, ProcessStarted
from cluster.model.settings import classroom_timing
from cluster.storage.checkpoints import RECOVERY_POINTS

ROUNDS = 5
RECORDS = 10_000_000
AIM = Aim(2.0, 1.5, higher_is_better=False)
BROKER = 1
PATIENCE_S = 60.0


def run() -> None:
    """Measure and print."""
    empty, filled, scanned = asyncio.run(_measure())
    print(f"  ms from the start of the process to its being ready, least / median / most of {ROUNDS}")
    print(f"    empty                     {spread(empty):>26}")
    print(f"    {RECORDS:,} records        {spread(filled):>26}")
    print(f"    without recovery points   {spread(scanned):>26}")
    line("ready with records", statistics.median(filled) / statistics.median(empty), "x empty", AIM)


async def _measure() -> tuple[list[float], list[float], list[float]]:
    async with living(classroom_timing(), controllers=1, brokers=1) as cluster:
        await cluster.topic()
        await cluster.lab.send(f"kill {BROKER}")
        folder = cluster.lab.run_folder / "data" / str(BROKER)
        empty = [await _restart(cluster) for _ in range(ROUNDS)]
        fill(folder, RECORDS)
        filled = [await _restart(cluster) for _ in range(ROUNDS)]
        scanned = []
        for _ in range(ROUNDS):
            (folder / RECOVERY_POINTS).unlink(missing_ok=True)
            scanned.append(await _restart(cluster))
        return empty, filled, scanned


async def _restart(cluster: Living) -> float:
    """Start the broker that is down, and kill it once it is ready; what that took, in milliseconds."""
    cluster.poll()
    seen = len(cluster.entries)
    await cluster.lab.send(f"start {BROKER}")
    at_ns: dict[type, int] = {}
    async with asyncio.timeout(PATIENCE_S):
        while ProcessReady not in at_ns:
            await asyncio.sleep(0.002)
            cluster.poll()
            for entry in cluster.entries[seen:]:
                if getattr(entry.event, "node_id", None) == BROKER:
                    at_ns[type(entry.event)] = entry.t_ns
    await cluster.lab.send(f"kill {BROKER}")
    return (at_ns[ProcessReady] - at_ns[ProcessStarted]) / 1e6
