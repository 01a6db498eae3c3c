"""A long recording for measurements: a cluster that was really simulated, with load and a fault every few seconds.

`python -m benchmarks.long_run FOLDER EVENTS` makes one and keeps it: a run of ten million events takes several minutes.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.settings import classroom_timing
from cluster.simulation.lab.lab import SimulatedLab
from workbench.runs.launch import launch_simulation

FAULTS = ("kill leader(orders-0)", "isolate controller", "pause follower(orders-0)", "power-loss follower(orders-1)")
QUIET_S, FAULT_S = 6.0, 4.0
PARTITIONS = 3
MANY = 1_000_000
"""Records that a producer writes at most."""


def make_run(home: Path, events: int) -> Path:
    """A recorded run below home with so many events at least; its folder."""
    config = ClusterSpec(
        seed=1, settings=classroom_timing(), options=Options(latency_us=(1_000, 2_000)), title="A long run"
    )
    lab = launch_simulation(home, config)
    # Nothing here is garbage in cycles; the collector would look at a growing heap again and again.
    gc.freeze()
    gc.disable()
    try:
        asyncio.run(_live(lab, events))
    finally:
        gc.enable()
    return lab.run_folder


async def _live(lab: SimulatedLab, events: int) -> None:
    count = lab.cluster.recording
    await _do(lab.send(f"topic orders partitions={PARTITIONS} min-isr=2"))
    turn = 0
    while count.count < events:
        if not turn:
            for partition in range(PARTITIONS):
                await _do(lab.send(f"produce orders-{partition} {MANY} wait=no"))
        await lab.pass_time(QUIET_S)
        lab.poll()
        await _do(lab.send(FAULTS[turn % len(FAULTS)]))
        await lab.pass_time(FAULT_S)
        await _do(lab.send("heal"))
        for node in lab.cluster.nodes:
            if not lab.cluster.is_up(node):
                await _do(lab.send(f"start {node}"))
        lab.poll()
        turn += 1
    await lab.close()


async def _do(sending: Coroutine[Any, Any, Any]) -> None:
    answer = await sending
    assert answer.ok, answer.text


if __name__ == "__main__":
    print(make_run(Path(sys.argv[1]), int(sys.argv[2])))
