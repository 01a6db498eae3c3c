"""One seed of the swarm: trouble, calm, a core that is left alone, verdicts. Same seed, same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cluster.checks.checker import Checker
from cluster.checks.verdict import Verdict
from cluster.simulation.cluster import SimulatedCluster
from cluster.simulation.nemesis import TOPIC, Nemesis
from cluster.simulation.recording import Listener
from cluster.simulation.swarm_endings import come_to_rest, leave_core, read_all
from cluster.simulation.swarm_plan import draw_plan

LONG_CALM_S = 61.0
"""Longer than rule L11 asks for."""
MINIMUM = {"elections": 1, "acknowledged operations": 1, "faults": 1}
"""Of what must have happened in a seed for its verdicts to mean something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedResult:
    """What one seed came to."""

    seed: int
    """Which."""
    plan: str
    """The drawn values."""
    events: int
    """Judged."""
    faults: int
    """Injected."""
    simulated_s: float
    """Virtual time."""
    unexpected: tuple[str, ...]
    """Violated rules, crashes, and what did not come to rest: one sentence each."""
    excused: tuple[str, ...]
    """Ids of rules that were broken after an assumption was."""
    evaluated: tuple[str, ...] = ()
    """Ids of rules that were checked at least once."""


def run_seed(seed: int, duration_s: float, listeners: Iterable[Listener] = ()) -> SeedResult:
    """Run one seed to its end. Whatever a bug raises goes through: the caller names the seed."""
    plan = draw_plan(seed, duration_s)
    cluster, checker = SimulatedCluster(plan.config), Checker(minimum=MINIMUM)
    cluster.recording.listeners += [checker.feed, *listeners]
    began_s = cluster.now_s()
    nemesis = Nemesis(cluster, plan)
    cluster.begin()
    nemesis.tell_of_network()
    replicas = min(3, plan.config.brokers)
    nemesis.send(f"topic {TOPIC} partitions={plan.partitions} replicas={replicas} min-isr={plan.min_isr}")
    nemesis.rage()
    nemesis.calm()
    unexpected = come_to_rest(cluster, nemesis, plan)
    if plan.stays_calm:
        cluster.advance(LONG_CALM_S)
    read_all(cluster, plan)
    if plan.leaves_core:
        leave_core(cluster, nemesis, plan)
    cluster.finish()
    table = checker.finish()
    for line in table:
        if line.verdict is Verdict.VIOLATED:
            unexpected.append(f"{line.info.id} {line.violations[0].sentence}")
    return SeedResult(
        seed=seed,
        plan=str(plan),
        events=cluster.recording.count,
        faults=nemesis.faults,
        simulated_s=cluster.now_s() - began_s,
        unexpected=tuple(unexpected),
        excused=tuple(line.info.id for line in table if line.verdict is Verdict.EXPECTED),
        evaluated=tuple(line.info.id for line in table if line.checks),
    )
