"""How a seed of the swarm ends: everything in order again, everything read, and a core that goes on alone."""

from __future__ import annotations

from collections.abc import Callable

from cluster.faults.catalogue import Consume
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.simulation.cluster import SimulatedCluster
from cluster.simulation.machine import EXIT_CRASHED
from cluster.simulation.nemesis import TOPIC, Nemesis
from cluster.simulation.swarm_plan import SwarmPlan
from cluster.trace.cluster_state import ClusterState

CALM_SESSIONS = 60
"""Broker session timeouts after which everything must be in order again."""
LOOK_S = 0.25
DELIVERY_REQUESTS = 5
"""Request timeouts after which a client knows what became of its command, and one more."""


def come_to_rest(cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> list[str]:
    """Wait until all is in order again; what is not, and what crashed."""

    def missing() -> str:
        found = _missing(cluster.cluster(), cluster, nemesis, plan)
        if found:
            nemesis.start_all()
        return found

    left = _wait_while(cluster, plan, missing)
    limit_s = _limit_s(plan)
    told = [f"after {limit_s:g} s of calm {left}"] if left else []
    crashed = [text.strip().splitlines()[-1] for _, text in cluster.logs if text.startswith("Traceback")]
    return [*told, *(f"exit {EXIT_CRASHED}: {text}" for text in crashed)]


def read_all(cluster: SimulatedCluster, plan: SwarmPlan) -> None:
    """A consumer reads each partition from its start to its end; the checker compares."""
    readers = [cluster.begin_client(Consume(TopicPartition(TOPIC, number), 0))[1] for number in range(plan.partitions)]
    cluster.run_until(lambda: all(readers), DELIVERY_REQUESTS * plan.config.settings.request_timeout_ms / 1000)


def leave_core(cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> None:
    """End the rest for good, wait until the core is in order, and have it acknowledge something; rule L10 judges."""
    core = nemesis.leave_core()
    _wait_while(cluster, plan, lambda: _missing_in_core(cluster.cluster(), cluster, core, plan))
    nemesis.probe()
    cluster.advance(DELIVERY_REQUESTS * plan.config.settings.request_timeout_ms / 1000)


def _limit_s(plan: SwarmPlan) -> float:
    return CALM_SESSIONS * plan.config.settings.broker_session_timeout_ms / 1000


def _wait_while(cluster: SimulatedCluster, plan: SwarmPlan, missing: Callable[[], str]) -> str:
    """Let time pass until nothing is missing, for as long as calm may take; what is missing then."""
    end_s = cluster.now_s() + _limit_s(plan)
    while (found := missing()) and cluster.now_s() < end_s:
        cluster.advance(LOOK_S)
    return found


def _active(cluster: SimulatedCluster) -> list[NodeId]:
    return [
        node
        for node, process in cluster.processes.items()
        if process.server is not None and process.server.is_active_controller
    ]


def _missing_in_core(state: ClusterState, cluster: SimulatedCluster, core: tuple[NodeId, ...], plan: SwarmPlan) -> str:
    """What the core has not put in order; empty when it has."""
    if len(_active(cluster)) != 1:
        return "an active controller"
    for number in range(plan.partitions):
        facts = state.facts(TopicPartition(TOPIC, number))
        if facts is not None and set(core) & set(facts.isr) and not set(core) >= {facts.leader, *facts.isr}:
            return f"partition {number} in the core"
    return ""


def _missing(state: ClusterState, cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> str:
    """What is not in order; empty when everything is."""
    down = [node for node in cluster.nodes if not cluster.is_up(node)]
    if down:
        return "" if nemesis.was_harsh else f"nodes {down} are down"
    active = _active(cluster)
    if len(active) != 1:
        return f"{len(active)} controllers are active"
    server = cluster.processes[active[0]].server
    assert server is not None
    fenced = sorted(set(cluster.brokers) - set(server.image.unfenced_brokers()))
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
