"""How a seed of the swarm ends: everything in order again, everything read, and a core that goes on alone."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.identifiers import NodeId
from cluster.simulation.swarm.judge import Judge
from cluster.simulation.swarm.nemesis import Nemesis
from cluster.simulation.swarm.plan import SwarmPlan
from cluster.simulation.world.cluster import SimulatedCluster

CALM_SESSIONS = 60
"""Broker session timeouts after which everything must be in order again."""
LOOK_S = 0.25
DELIVERY_REQUESTS = 5
"""Request timeouts after which a client knows what became of its command, and one more."""


def come_to_rest(cluster: SimulatedCluster, nemesis: Nemesis, judge: Judge, plan: SwarmPlan) -> str:
    """Wait until all is in order again; what is not, empty when everything is."""

    def missing() -> str:
        found = judge.missing([topic.name for topic in nemesis.missing_topics()])
        if found:
            nemesis.start_all()
            nemesis.ask_for_topics()  # a controller that went away meanwhile has answered with an error
        return found

    return _wait_while(cluster, plan, missing)


def read_all(cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> None:
    """A consumer reads each partition from its start to its end; the checker compares."""
    readers = nemesis.read()
    cluster.run_until(lambda: all(readers), DELIVERY_REQUESTS * plan.config.settings.request_timeout_ms / 1000)


def leave_core(cluster: SimulatedCluster, nemesis: Nemesis, plan: SwarmPlan) -> None:
    """End the rest for good, wait until the core is in order, and have it acknowledge something; rule L10 judges.

    Who has asked for other voters is answered first: a core is a majority of those who vote then.
    """
    _wait_while(cluster, plan, nemesis.unanswered)
    core = nemesis.leave_core()
    _wait_while(cluster, plan, lambda: _missing_in_core(cluster, nemesis, core))
    nemesis.probe()
    cluster.advance(DELIVERY_REQUESTS * plan.config.settings.request_timeout_ms / 1000)


def _wait_while(cluster: SimulatedCluster, plan: SwarmPlan, missing: Callable[[], str]) -> str:
    """Let time pass until nothing is missing, for as long as calm may take; what is missing then."""
    end_s = cluster.now_s() + CALM_SESSIONS * plan.config.settings.broker_session_timeout_ms / 1000
    while (found := missing()) and cluster.now_s() < end_s:
        cluster.advance(LOOK_S)
    return found


def _missing_in_core(cluster: SimulatedCluster, nemesis: Nemesis, core: tuple[NodeId, ...]) -> str:
    """What the core has not put in order; empty when it has."""
    if len(cluster.active_controllers()) != 1:
        return "an active controller"
    for where in nemesis.partitions():
        facts = cluster.cluster().facts(where)
        if facts is not None and set(core) & set(facts.isr) and not set(core) >= {facts.leader, *facts.isr}:
            return f"{where} in the core"
    return ""
