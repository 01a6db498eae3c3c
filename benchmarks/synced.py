"""Commits when every replica syncs its disk before it acknowledges; PySyncObj syncs its journal for each entry."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from benchmarks.commits import MEASURE_S, WARM_S, load_on, ratio
from benchmarks.living import living
from benchmarks.report import Aim, line, run_async, spread
from cluster.model.settings import classroom_timing

ROUNDS = 5
IN_FLIGHT = (1, 64)
AIM = Aim(1.0, 2.0)
SYNCS = 200


def run() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="kwb-bench-") as folder:
        print(f"  one fdatasync of 200 bytes on this disk: p50 {sync_ms(Path(folder)):.2f} ms")
    ours, peers = run_async(_measure())
    for in_flight in IN_FLIGHT:
        print(f"  brokers, {in_flight} in flight, commits/s, least / median / most {spread(ours[in_flight])}")
        if peers[in_flight]:
            print(f"  PySyncObj, the same {spread(peers[in_flight]):>51}")
            aim = AIM if in_flight == 1 else None
            line(f"{in_flight} in flight, synced", ratio(ours[in_flight], peers[in_flight]), "x PySyncObj", aim)


async def _measure() -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    ours: dict[int, list[float]] = {in_flight: [] for in_flight in IN_FLIGHT}
    peers: dict[int, list[float]] = {in_flight: [] for in_flight in IN_FLIGHT}
    settings = replace(classroom_timing(), host_fsync=True, flush_partitions=True)
    async with living(settings) as cluster:
        load = await load_on(cluster)
        for _ in range(ROUNDS):
            for in_flight in IN_FLIGHT:
                sample = await load.measure(in_flight, WARM_S, MEASURE_S)
                ours[in_flight].append(sample.records_per_second)
            if importlib.util.find_spec("pysyncobj") is not None:
                await _measure_peer(peers)
        load.close()
    return ours, peers


async def _measure_peer(peers: dict[int, list[float]]) -> None:
    from benchmarks.pysyncobj_peer import measure

    with tempfile.TemporaryDirectory(prefix="kwb-bench-") as journals:
        peer = await asyncio.to_thread(measure, IN_FLIGHT, MEASURE_S, journals)
    for in_flight, found in peer.figures.items():
        peers[in_flight].append(found["per_second"])


def sync_ms(folder: Path) -> float:
    """Median time of writing a little and making it durable."""
    sync = getattr(os, "fdatasync", os.fsync)
    taken = []
    with (folder / "probe").open("wb", buffering=0) as probe:
        for _ in range(SYNCS):
            began = perf_counter()
            probe.write(bytes(200))
            sync(probe.fileno())
            taken.append((perf_counter() - began) * 1000)
    return statistics.median(taken)
