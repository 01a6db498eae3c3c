"""Faults that are aimed at the moment between a decision and its completion really meet it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cluster.model.entry import Entry
from cluster.model.events import FaultInjected, TransactionStateChanged
from cluster.picture.transactions import PREPARED
from cluster.simulation.swarm.ambushes import AMBUSH_EVERY_S, draw_ambushes
from cluster.simulation.swarm.plan import draw_plan
from cluster.simulation.swarm.seed import run_plan

SEED, TROUBLE_S = 10, 10.0


class Seen:
    """Faults that were injected, by kind, while a transaction was decided and not complete."""

    def __init__(self) -> None:
        self.decided: set[str] = set()
        self.met: list[str] = []

    def __call__(self, entries: Sequence[Entry]) -> None:
        """Take in events."""
        for event in [entry.event for entry in entries]:
            if isinstance(event, TransactionStateChanged):
                self.decided.discard(event.transactional_id)
                if event.state in PREPARED:
                    self.decided.add(event.transactional_id)
            elif isinstance(event, FaultInjected) and self.decided:
                self.met.append(event.kind)


def met(every_s: float) -> list[str]:
    seen = Seen()
    plan = replace(draw_plan(SEED, TROUBLE_S, transactions=True), ambush_every_s=every_s)
    assert run_plan(plan, [seen]).findings == ()
    return seen.met


def test_faults_meet_what_is_decided_and_not_complete() -> None:
    assert len(met(0.3)) >= 5, "without ambushes none does in this seed"


def test_only_seeds_with_transactions_have_ambushes() -> None:
    drawn = {draw_ambushes(seed) for seed in range(100)}
    assert drawn == {0.0, *AMBUSH_EVERY_S}
    for seed in range(20):
        assert draw_plan(seed, TROUBLE_S).ambush_every_s == 0.0
        asked = draw_plan(seed, TROUBLE_S, transactions=True)
        assert asked.ambush_every_s == draw_ambushes(seed)
        assert ("ambush-every=" in str(asked)) == bool(asked.ambush_every_s)
