"""Leaders lose their office and come back to it in one life, in seeds that no test names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cluster.model.entry import Entry
from cluster.model.events import BecameLeader
from cluster.model.identifiers import NodeId
from cluster.simulation.swarm.plan import draw_plan
from cluster.simulation.swarm.second_terms import SECOND_TERM_SHARE, draw_second_terms
from cluster.simulation.swarm.seed import run_plan
from tests.support.bugs.all_bugs import BUGS
from tests.swarm.test_planted import SHOWN

SEED, TROUBLE_S = 11, 10.0
OWN = ("goes-by-old-followers", "commits-by-the-committed-isr")
"""Bugs that only seeds of these troubles catch."""


class Terms:
    """Counts leaders of partitions that led before in the same life, with another leader between."""

    def __init__(self) -> None:
        self.count = 0
        self._led: dict[tuple[str, int], list[tuple[NodeId, int]]] = {}

    def __call__(self, entries: Sequence[Entry]) -> None:
        """Take in events."""
        for entry in entries:
            if isinstance(entry.event, BecameLeader):
                led = self._led.setdefault((entry.event.topic, entry.event.partition), [])
                own = (entry.node, entry.incarnation)
                self.count += own in led and led[-1] != own
                led.append(own)


def second_terms(every_s: float) -> int:
    terms = Terms()
    plan = replace(draw_plan(SEED, TROUBLE_S), second_term_every_s=every_s, kinds=("ok",), fault_every_s=0.3)
    assert run_plan(plan, [terms]).findings == ()
    return terms.count


def test_a_leader_leads_again_in_the_same_life() -> None:
    assert second_terms(0.3) >= 2 > second_terms(0.0)


def test_some_seeds_have_them_and_none_that_a_test_names_for_another_bug() -> None:
    drawn = [draw_second_terms(seed) for seed in range(400)]
    assert abs(sum(map(bool, drawn)) / len(drawn) - SECOND_TERM_SHARE) < 0.07
    for seed in range(20):
        plan = draw_plan(seed, TROUBLE_S)
        assert plan.second_term_every_s == draw_second_terms(seed)
        assert ("second-term-every=" in str(plan)) == bool(plan.second_term_every_s)
    named = {seed for bug in BUGS if bug.name not in OWN for seed in bug.seeds} | {seed for _, seed in SHOWN.values()}
    for plan in (draw_plan(seed, TROUBLE_S) for seed in named):
        assert (plan.second_term_every_s, plan.one_kind_every_s) == (0.0, 0.0), plan.config.seed
