"""Commits a second, latency and processor time: three brokers, acks=all, 100-byte values, beside PySyncObj.

Everything is up all the time and measured in turn, so that what else the machine does hits all alike: with tracing and
without come right after each other, and take turns in being first. The cost of tracing is told twice: what is lost of
the rate, and what a record costs the six nodes more, which says it where the load has processors to spare.
"""

from __future__ import annotations

import asyncio
import importlib.util
import statistics
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from benchmarks.idle import cpu_seconds
from benchmarks.living import TOPIC, Living, living
from benchmarks.load import Load, Sample
from benchmarks.report import Aim, line, percentile, run_async, spread

ROUNDS = 9
WARM_S, MEASURE_S = 0.15, 0.5
IN_FLIGHT = (1, 64, 512)
BATCHED = 512
AIMS = {1: Aim(0.7, 1.25), 512: Aim(2.0, 6.5)}
TRACE_AIM = Aim(25, 15, higher_is_better=False)
PEER = "PySyncObj"
ASKED = "PySyncObj, asked over TCP"
"""With the client's two messages, which every commit of the brokers has too."""
Case = tuple[str, int, bool]


@dataclass(slots=True)
class Figures:
    """One system with one load, a value for each round."""

    per_second: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    p99_ms: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    """Processor time of all nodes for one record; nothing for the peer."""

    def add(self, per_second: float, p50_ms: float, p99_ms: float) -> None:
        """One round's figures."""
        self.per_second.append(per_second)
        self.p50_ms.append(p50_ms)
        self.p99_ms.append(p99_ms)


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Median of the ratios of figures taken side by side. Rounds in which they did nothing are left out."""
    pairs = [our / their for our, their in zip(ours, theirs, strict=True) if their]
    return statistics.median(pairs) if pairs else float("nan")


def middle_of(latencies_ms: list[float]) -> float:
    """Median over the rounds in which anything was committed."""
    known = [value for value in latencies_ms if value > 0]  # neither 0 nor nan
    return statistics.median(known) if known else float("nan")


def run() -> None:
    """Measure and print."""
    figures = run_async(_measure())
    print(f"  {'':28}{'in flight':>10} {'commits/s, least / median / most':>36} {'p50 ms':>8} {'p99 ms':>8}")
    for (system, in_flight, batched), found in figures.items():
        name = f"{system}, batched" if batched else system
        middle = [middle_of(values) for values in (found.p50_ms, found.p99_ms)]
        print(f"  {name:28}{in_flight:>10} {spread(found.per_second):>36} {middle[0]:8.2f} {middle[1]:8.2f}")
    for in_flight in IN_FLIGHT:
        ours, bare = (figures[f"brokers, trace {mode}", in_flight, False].per_second for mode in ("on", "off"))
        if (PEER, in_flight, False) in figures:
            for peer in (PEER, ASKED):
                against = ratio(ours, figures[peer, in_flight, False].per_second)
                line(f"{in_flight} in flight, trace on", against, f"x {peer}", AIMS.get(in_flight))
        line(f"{in_flight} in flight, tracing takes of the rate", 100 * (1 - ratio(ours, bare)), "%", TRACE_AIM)
        ours, bare = (figures[f"brokers, trace {mode}", in_flight, False].cpu_us for mode in ("on", "off"))
        note = f"{statistics.median(ours):.0f} and {statistics.median(bare):.0f} us a record"
        line(f"{in_flight} in flight, tracing adds of processor", 100 * (ratio(ours, bare) - 1), "%", TRACE_AIM, note)
    if (PEER, BATCHED, False) in figures:
        in_batches = figures["brokers, trace on", BATCHED, True].per_second
        against = ratio(in_batches, figures[PEER, BATCHED, False].per_second)
        line(f"{BATCHED} in flight, batched, trace on", against, f"x {PEER}", AIMS[BATCHED])


async def _measure() -> dict[Case, Figures]:
    figures: dict[Case, Figures] = {}
    has_peer = importlib.util.find_spec("pysyncobj") is not None
    if not has_peer:
        print("  PySyncObj is not installed: pip install -e '.[bench]'")
    async with AsyncExitStack() as stack:
        loads, pids = {}, {}
        for mode in ("on", "off"):
            cluster = await stack.enter_async_context(living(trace=mode == "on"))
            loads[f"brokers, trace {mode}"] = await load_on(cluster)
            pids[f"brokers, trace {mode}"] = tuple(cluster.pids().values())
        systems = list(loads)
        for _ in range(ROUNDS):
            systems = systems[::-1]
            for in_flight, batched in (*((count, False) for count in IN_FLIGHT), (BATCHED, True)):
                for system in systems:
                    load, case = loads[system], (system, in_flight, batched)
                    used_s, done = sum(map(cpu_seconds, pids[system])), load.acknowledged_ever
                    _note(figures, case, await load.measure(in_flight, WARM_S, MEASURE_S, batched=batched))
                    used_s = sum(map(cpu_seconds, pids[system])) - used_s
                    figures[case].cpu_us.append(1e6 * used_s / max(1, load.acknowledged_ever - done))
            if has_peer:
                await _measure_peer(figures)
        for load in loads.values():
            load.close()
    return figures


async def load_on(cluster: Living) -> Load:
    """A load on the leader of the bench topic."""
    leader = await cluster.topic()
    assert cluster.facts.ports is not None
    load = Load(cluster.secret, TOPIC)
    await load.connect(leader, cluster.facts.ports[leader])
    return load


async def _measure_peer(figures: dict[Case, Figures]) -> None:
    from benchmarks.pysyncobj_peer import measure

    peer = await asyncio.to_thread(measure, IN_FLIGHT, MEASURE_S)
    for name, measured in ((PEER, peer.figures), (ASKED, peer.asked)):
        for in_flight, found in measured.items():
            kept = figures.setdefault((name, in_flight, False), Figures())
            kept.add(found["per_second"], found["p50_ms"], found["p99_ms"])


def _note(figures: dict[Case, Figures], case: Case, sample: Sample) -> None:
    if sample.refused:
        raise RuntimeError(f"{sample.refused} requests were refused")
    p50_ms, p99_ms = (percentile(sample.latencies_ms, share) for share in (0.5, 0.99))
    figures.setdefault(case, Figures()).add(sample.records_per_second, p50_ms, p99_ms)
