"""One seed of the swarm: trouble, calm, a core that is left alone, verdicts. Same seed, same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Unpack

from cluster.simulation.swarm.endings import come_to_rest, leave_core, read_all
from cluster.simulation.swarm.judge import Finding, Judge
from cluster.simulation.swarm.nemesis import Nemesis
from cluster.simulation.swarm.plan import AskedOfPlan, SwarmPlan, draw_plan
from cluster.simulation.swarm.schedule import Player, Schedule
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_S, START_NS
from cluster.simulation.world.recording import Reader

LONG_CALM_S = 61.0
"""Longer than rule L11 asks for."""
MINIMUM = {"elections": 1, "acknowledged operations": 1, "faults": 1}
"""Of what must have happened in a seed for its verdicts to mean something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedResult:
    """What one seed came to."""

    seed: int
    plan: str
    events: int
    faults: int
    simulated_s: float
    unexpected: tuple[str, ...]
    """Violated rules, crashes, and what did not come to rest: one sentence each."""
    excused: tuple[str, ...]
    """Ids of rules that were broken after an assumption was."""
    evaluated: dict[str, int] = field(default_factory=dict)
    """How often each rule was checked; those that never were are not in it."""
    in_force: dict[str, int] = field(default_factory=dict)
    """How often each kind of fault came into force."""
    held: dict[str, int] = field(default_factory=dict)
    """How many of these held a message, of kinds that hold any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A seed that was run."""

    result: SeedResult
    """What it came to."""
    findings: tuple[Finding, ...]
    """What is wrong with it."""
    schedule: Schedule
    """All that befell it."""


def run_seed(seed: int, duration_s: float, readers: Iterable[Reader] = (), **asked: Unpack[AskedOfPlan]) -> SeedResult:
    """Run one seed to its end. Whatever a bug raises goes through: the caller names the seed."""
    return run(seed, duration_s, readers, **asked).result


def run(seed: int, duration_s: float, readers: Iterable[Reader] = (), **asked: Unpack[AskedOfPlan]) -> Seed:
    """As run_seed, with what it takes to have the same run again."""
    return run_plan(draw_plan(seed, duration_s, **asked), readers)


def run_plan(plan: SwarmPlan, readers: Iterable[Reader] = ()) -> Seed:
    """Run a plan that was drawn, perhaps with other settings than those."""
    cluster, judge = SimulatedCluster(plan.config, observes=False), Judge(MINIMUM)
    judge.attend(cluster)
    cluster.recording.readers += readers
    player = Player(cluster)
    nemesis = Nemesis(cluster, plan, player)
    cluster.begin()
    nemesis.begin()
    nemesis.rage()
    calm_ns = cluster.kernel.now_ns - START_NS
    nemesis.calm()
    missing = come_to_rest(cluster, nemesis, judge, plan)
    rest_ns = cluster.kernel.now_ns - START_NS
    lagging = ""
    if plan.stays_calm:
        nemesis.probe()  # else nobody asks for anything in calm, and L4 has nothing to judge
        cluster.advance(LONG_CALM_S)
        lagging = judge.lagging()
    read_all(cluster, nemesis, plan)
    if plan.leaves_core:
        leave_core(cluster, nemesis, plan)
    elapsed_ns = cluster.kernel.now_ns - START_NS
    findings = judge.end(missing, lagging)
    result = SeedResult(
        seed=plan.config.seed,
        plan=str(plan),
        events=cluster.recording.count,
        faults=judge.watch.faults,
        simulated_s=elapsed_ns / NS_PER_S,
        unexpected=tuple(finding.sentence for finding in findings),
        excused=judge.excused,
        evaluated=judge.evaluated,
        in_force=dict(judge.watch.in_force),
        held=dict(judge.watch.held),
    )
    schedule = Schedule(
        config=plan.config, timed=tuple(player.timed), end_ns=elapsed_ns, calm_ns=calm_ns, rest_ns=rest_ns
    )
    return Seed(result=result, findings=tuple(findings), schedule=schedule)
