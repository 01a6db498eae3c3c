"""kill -9 of a partition leader until the next acks=all commit; kill -9 of the active controller until the next."""

from __future__ import annotations

import asyncio
import statistics
from time import monotonic_ns

from benchmarks.living import TOPIC, Living, fill, living
from benchmarks.report import Aim, line, spread
from cluster.model.events import BrokerFenced, ControllerActivated, LeaderElected
from cluster.model.identifiers import NodeId

ROUNDS = 5
AIM = Aim(50, 15, higher_is_better=False)
LIMIT_S = 20.0
RECORDS = 1_000_000
"""Of a long log, on each of three brokers."""
GROWTH = Aim(2.0, 1.2, higher_is_better=False)
"""Of what the next leader needs, with so many records in the log."""


def run() -> None:
    """Measure and print."""
    asyncio.run(_measure())
    few, many = (asyncio.run(_with_records(count)) for count in (0, RECORDS))
    line(f"with {RECORDS:,} records", many / few, "x", GROWTH, f"fencing to commit {few:.0f} and {many:.0f} ms")


async def _with_records(count: int) -> float:
    """ms from the fencing of a killed leader to the first commit at the next, with so many records in the log."""
    async with living() as cluster:
        await cluster.topic()
        for broker in cluster.facts.brokers:
            await cluster.lab.send(f"kill {broker}")
            fill(cluster.lab.run_folder / "data" / str(broker), count)
        for broker in cluster.facts.brokers:
            await _restart(cluster, broker)
        found = [await asyncio.wait_for(_kill_leader(cluster), LIMIT_S) for _ in range(ROUNDS)]
    return statistics.median(committed - fenced for fenced, committed in found)


async def _measure() -> None:
    async with living() as cluster:
        settings = cluster.lab.facts.settings
        await cluster.topic()
        await cluster.caller.commit(cluster.facts.brokers, TOPIC)
        brokers = [await asyncio.wait_for(_kill_leader(cluster), LIMIT_S) for _ in range(ROUNDS)]
        controllers = [await asyncio.wait_for(_kill_controller(cluster), LIMIT_S) for _ in range(ROUNDS)]
    session, fetch = settings["broker_session_timeout_ms"], settings["quorum_fetch_timeout_ms"]
    print(f"  partition leader, ms, least / median / most (a broker is given up after {session} ms without heartbeat)")
    print(f"    kill to fencing           {spread(found[0] for found in brokers):>26}")
    print(f"    kill to acks=all commit   {spread(found[1] for found in brokers):>26}")
    beyond = statistics.median(found[1] - found[0] for found in brokers)
    line("fencing to acks=all commit", beyond, "ms", AIM, "beyond the configured timers")
    print(f"  active controller, ms (a leader is given up after {fetch} ms without an answer)")
    print(f"    kill to elected           {spread(found[0] for found in controllers):>26}")
    print(f"    kill to active            {spread(found[1] for found in controllers):>26}")


async def _kill_leader(cluster: Living) -> tuple[float, float]:
    """ms from the kill to its fencing and to the first commit at the new leader."""
    brokers = cluster.facts.brokers
    leader = await cluster.whole()
    killed_ns = cluster.kill(leader)
    others = tuple(node for node in brokers if node != leader)
    await cluster.caller.commit(others, TOPIC)
    committed_ns = monotonic_ns()
    fenced_ns = await _first(cluster, BrokerFenced, killed_ns)
    await _restart(cluster, leader)
    return (fenced_ns - killed_ns) / 1e6, (committed_ns - killed_ns) / 1e6


async def _kill_controller(cluster: Living) -> tuple[float, float]:
    """ms from the kill to the next election won and to the next active controller."""
    leader = (await cluster.caller.metadata(cluster.facts.brokers, 3)).controller_id
    killed_ns = cluster.kill(leader)
    elected_ns = await _first(cluster, LeaderElected, killed_ns)
    active_ns = await _first(cluster, ControllerActivated, killed_ns)
    await _restart(cluster, leader)
    await cluster.caller.metadata(cluster.facts.brokers, 3, not_controller=leader)
    return (elected_ns - killed_ns) / 1e6, (active_ns - killed_ns) / 1e6


async def _first(cluster: Living, kind: type, after_ns: int) -> int:
    """When the first such event after that time was written."""
    while True:
        cluster.poll()
        for entry in cluster.entries:
            if entry.t_ns > after_ns and isinstance(entry.event, kind):
                return entry.t_ns
        await asyncio.sleep(0.005)


async def _restart(cluster: Living, node: NodeId) -> None:
    answer = await cluster.lab.send(f"start {node}")
    if not answer.ok:
        raise RuntimeError(answer.text)
