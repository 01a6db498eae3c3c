"""kill -9 of the controller with 10, 100 and 1000 partitions: how long the next one needs before it can decide.

In ZooKeeper's era it reads everything first, some znodes at a time; a KRaft controller has it all in its own log.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import monotonic_ns

from benchmarks.living import Living, living
from cluster.model.events import ControllerActivated, ControllerTookOver, LeaderElected, PartitionApplied
from cluster.model.identifiers import NodeId
from cluster.model.settings import KRAFT, ZOOKEEPER, Settings, classroom_timing

SIZES = (10, 100, 1000)
OF_ONE_TOPIC = 50
LIMIT_S = 120.0


def run() -> None:
    """Measure and print."""
    for size in SIZES:
        asyncio.run(_measure(size))


async def _measure(partitions: int) -> None:
    kraft = await asyncio.wait_for(_kraft(partitions), LIMIT_S)
    read_ms, total_ms = await asyncio.wait_for(_zookeeper(partitions), LIMIT_S)
    print(
        f"  {partitions:>5} partitions: KRaft, elected to active {kraft:,.1f} ms; ZooKeeper, race won to all read "
        f"{read_ms:,} ms, to all decided and told {total_ms:,} ms",
        flush=True,
    )


def _settings(control: str) -> Settings:
    return replace(classroom_timing(), control=control)


async def _fill(cluster: Living, partitions: int) -> None:
    """Topics of at most fifty partitions, three replicas each, until every replica of them is at work."""
    left, number = partitions, 0
    while left:
        count = min(left, OF_ONE_TOPIC)
        answer = await cluster.lab.send(f"topic t{number} partitions={count} replicas=3 min-isr=1")
        if not answer.ok:
            raise RuntimeError(answer.text)
        left, number = left - count, number + 1
    known: set[tuple[NodeId, str, int]] = set()
    while len(known) < 3 * partitions:
        for entry in cluster.poll():
            if isinstance(entry.event, PartitionApplied):
                known.add((entry.node, entry.event.topic, entry.event.partition))
        await asyncio.sleep(0.01)


async def _kraft(partitions: int) -> float:
    async with living(_settings(KRAFT)) as cluster:
        await _fill(cluster, partitions)
        leader = (await cluster.caller.metadata(cluster.facts.brokers, 3)).controller_id
        killed_ns = cluster.kill(leader)
        elected_ns = await _first(cluster, LeaderElected, killed_ns)
        return (await _first(cluster, ControllerActivated, killed_ns) - elected_ns) / 1e6


async def _zookeeper(partitions: int) -> tuple[int, int]:
    async with living(_settings(ZOOKEEPER), controllers=1) as cluster:
        await _fill(cluster, partitions)
        controller = (await cluster.caller.metadata(cluster.facts.brokers, 3)).controller_id
        cluster.kill(controller)
        began_ns = monotonic_ns()
        await _first(cluster, ControllerTookOver, began_ns)
        took = next(e.event for e in reversed(cluster.entries) if isinstance(e.event, ControllerTookOver))
        return took.read_ms, took.total_ms


async def _first(cluster: Living, kind: type, after_ns: int) -> int:
    """When the first such event after that time was written."""
    while True:
        cluster.poll()
        for entry in cluster.entries:
            if entry.t_ns > after_ns and isinstance(entry.event, kind):
                return entry.t_ns
        await asyncio.sleep(0.005)
