"""One seed of the swarm: trouble, calm, verdicts. Same seed, same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cluster.checks.checker import Checker
from cluster.checks.verdict import Verdict
from cluster.model.identifiers import TopicPartition
from cluster.simulation.cluster import SimulatedCluster
from cluster.simulation.machine import EXIT_CRASHED
from cluster.simulation.nemesis import TOPIC, Nemesis
from cluster.simulation.recording import Listener
from cluster.simulation.swarm_plan import SwarmPlan, draw_plan
from cluster.trace.cluster_state import ClusterState

CALM_SESSIONS = 60
"""Broker session timeouts after which everything must be in order again."""
LOOK_S = 0.25


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


def run_seed(seed: int, duration_s: float, listeners: Iterable[Listener] = ()) -> SeedResult:
    """Run one seed to its end. Whatever a bug raises goes through: the caller names the seed."""
    plan = draw_plan(seed, duration_s)
    cluster, checker = SimulatedCluster(plan.config), Checker()
    cluster.recording.listeners += [checker.feed, *listeners]
    began_s = cluster.now_s()
    nemesis = Nemesis(cluster, plan)
    cluster.begin()
    nemesis.tell_of_network()
    replicas = min(3, plan.config.brokers)
    nemesis.send(f"topic {TOPIC} partitions={plan.partitions} replicas={replicas} min-isr={plan.min_isr}")
    nemesis.rage()
    nemesis.calm()
    unexpected = _rest(cluster, nemesis, plan)
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
    )


def _rest(cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> list[str]:
    """Wait until all is in order again; what is not, and what crashed."""
    limit_s = CALM_SESSIONS * plan.config.settings.broker_session_timeout_ms / 1000
    end_s = cluster.now_s() + limit_s
    while (missing := _missing(cluster.cluster(), cluster, nemesis, plan)) and cluster.now_s() < end_s:
        cluster.advance(LOOK_S)
        nemesis.start_all()
    told = [f"after {limit_s:g} s of calm {missing}"] if missing else []
    crashed = [text.strip().splitlines()[-1] for _, text in cluster.logs if text.startswith("Traceback")]
    return [*told, *(f"exit {EXIT_CRASHED}: {text}" for text in crashed)]


def _missing(state: ClusterState, cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> str:
    """What is not in order; empty when everything is."""
    down = [node for node in cluster.nodes if not cluster.is_up(node)]
    if down:
        return "" if nemesis.was_harsh else f"nodes {down} are down"
    servers = [process.server for process in cluster.processes.values()]
    active = [server for server in servers if server is not None and server.is_active_controller]
    if len(active) != 1:
        return f"{len(active)} controllers are active"
    fenced = sorted(set(cluster.brokers) - set(active[0].image.unfenced_brokers()))
    if fenced:
        return f"brokers {fenced} are not in service"
    for number in range(plan.partitions):
        where = TopicPartition(TOPIC, number)
        facts = state.facts(where)
        if facts is None:
            continue
        if facts.leader == -1:
            if nemesis.unordered & set(facts.replicas) or nemesis.was_harsh:
                continue
            return f"{where} has no leader"
        if set(facts.isr) != set(facts.replicas):
            return f"{where} has ISR {facts.isr}, not all of {facts.replicas}"
        if len(facts.replicas) > 1 and not state.identical(where) and not nemesis.was_harsh:
            return f"the replicas of {where} differ"
    return ""
