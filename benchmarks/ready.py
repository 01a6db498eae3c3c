"""From the launch of 3 controllers and 3 brokers to the first acks=all commit, beside PySyncObj's start."""

from __future__ import annotations

import asyncio
import importlib.util
import statistics
from dataclasses import replace
from time import monotonic_ns

from benchmarks.living import TOPIC, Living, living
from benchmarks.report import Aim, line, spread
from cluster.model.events import BrokerUnfenced, LeaderElected, ProcessReady, TopicCreated
from cluster.model.settings import Settings, classroom_timing

ROUNDS = 5
AIM = Aim(1.0, 0.4, higher_is_better=False)
STEPS = (
    "all nodes listen", "leader elected", "brokers unfenced", "topic created", "first acks=all commit",
)  # fmt: skip


def short_timers() -> Settings:
    """The classroom's, with the first election and the first heartbeat early."""
    return replace(classroom_timing(), quorum_election_timeout_ms=50, broker_heartbeat_interval_ms=50)


def run() -> None:
    """Measure and print."""
    profiles = {"classroom timers": classroom_timing(), "short initial timers": short_timers()}
    taken = {name: [asyncio.run(_round(settings)) for _ in range(ROUNDS)] for name, settings in profiles.items()}
    for name, rounds in taken.items():
        print(f"  {name}, ms since the launch, least / median / most")
        for step in STEPS:
            print(f"    {step:<26}{spread(found[step] for found in rounds):>26}")
    if importlib.util.find_spec("pysyncobj") is None:
        print("  PySyncObj is not installed: pip install -e '.[bench]'")
        return
    from benchmarks.pysyncobj_peer import measure

    peer_ms = [1000 * measure((), 0.0).committed_s for _ in range(ROUNDS)]
    print(f"  PySyncObj, first commit     {spread(peer_ms):>26}")
    for name, rounds in taken.items():
        ours = statistics.median(found[STEPS[-1]] for found in rounds)
        line(f"first commit, {name}", ours / statistics.median(peer_ms), "x PySyncObj", AIM)


async def _round(settings: Settings) -> dict[str, float]:
    async with living(settings) as cluster:
        brokers, controllers = cluster.facts.brokers, cluster.facts.controllers
        await cluster.caller.metadata(brokers, len(brokers))
        await cluster.caller.create_topic(controllers, TOPIC.topic, 3, 2)
        await cluster.caller.commit(brokers, TOPIC)
        committed_ns = monotonic_ns()
        cluster.poll()
        times = _times(cluster)
    times[STEPS[-1]] = (committed_ns - cluster.launched_ns) / 1e6
    return times


def _times(cluster: Living) -> dict[str, float]:
    """When the last node, and the last broker, was there; when the first leader and the topic were."""
    at_ms: dict[type, list[float]] = {}
    for entry in cluster.entries:
        at_ms.setdefault(type(entry.event), []).append((entry.t_ns - cluster.launched_ns) / 1e6)
    return {
        STEPS[0]: max(at_ms[ProcessReady]),
        STEPS[1]: min(at_ms[LeaderElected]),
        STEPS[2]: max(at_ms[BrokerUnfenced]),
        STEPS[3]: min(at_ms[TopicCreated]),
    }
