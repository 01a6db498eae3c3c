"""Storms over a simulated cluster: every intensity is drawn anew for each seed, as a swarm does it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from cluster.cluster_spec import Options
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.model.settings import classroom_timing
from tests.support.traces.watched import Watched

BROKERS, CONTROLLERS = (1, 2, 3), (101, 102, 103)
NODES = (*BROKERS, *CONTROLLERS)
PACES_S = (0.02, 0.1, 0.3)
CALM_S = 12.0
UNKIND = Options(loss=0.02, duplicate=0.02, reorder=0.05)
"""Frames vanish, come twice and overtake each other, as no connection lets them."""


class Storm:
    """One seed's faults, and producers and consumers under them."""

    def __init__(self, seed: int, *, lies: bool = False, unkind: bool = False, **changes: Any) -> None:
        self.draw = Random(seed)
        settings = replace(classroom_timing(), **changes)
        self.cluster = Watched(seed=seed, settings=settings, options=UNKIND if unkind else Options())
        self.pace_s = self.draw.choice(PACES_S)
        kinds = ["kill", "pause", "cut", "isolate", "delay", "reset", "power", "heal", "produce", "consume", "stop"]
        self.weights = {kind: self.draw.random() ** 2 for kind in [*kinds, *(["lie"] if lies else [])]}
        self.weights["produce"] += 0.5

    def blow(self, seconds: float) -> Watched:
        """Faults for so long, then calm; the whole run."""
        cluster = self.cluster
        cluster.send("topic orders replicas=3 min-isr=2")
        end_s = cluster.now_s() + seconds
        while cluster.now_s() < end_s:
            cluster.send(self._next())
            cluster.advance(self.draw.expovariate(1 / self.pace_s))
        cluster.send("heal")
        for node in NODES:
            cluster.send(f"start {node}")
            cluster.send(f"resume {node}")
        cluster.advance(CALM_S)
        cluster.send("produce orders 3 acks=all")
        cluster.send("consume orders")
        cluster.advance(CALM_S)
        cluster.finish()
        return cluster

    def _next(self) -> str:
        draw, node = self.draw, self.draw.choice(NODES)
        one, other = draw.sample(NODES, 2)
        process = self.cluster.processes.get(node)
        if process is None:
            return f"start {node}"
        if process.is_paused and draw.random() < 0.7:
            return f"resume {node}"
        kind = draw.choices(list(self.weights), list(self.weights.values()))[0]
        match kind:
            case "cut":
                return f"cut {one}>{other}"
            case "delay":
                return f"delay {one}-{other} 50ms 50ms jitter"
            case "reset":
                return f"reset {one}-{other}"
            case "power":
                return f"power-loss {node}"
            case "produce":
                acks, flight = draw.choice(("all", "all", "1")), draw.choice((1, 5))
                return f"produce orders {draw.choice((1, 5, 20))} acks={acks} in-flight={flight}"
            case "consume":
                return "consume orders"
            case "lie":
                return f"fsync lie {node}"
            case "heal":
                return "heal"
            case _:
                return f"{kind} {node}"


def verdicts(cluster: Watched) -> tuple[InvariantVerdict, ...]:
    """Of a run that is over."""
    checker = Checker()
    for entry in cluster.entries:
        checker.feed(entry)
    return checker.finish()


def violated(table: tuple[InvariantVerdict, ...]) -> dict[str, str]:
    """Violated invariants, each with its first sentence."""
    return {line.info.id: line.violations[0].sentence for line in table if line.verdict is Verdict.VIOLATED}
