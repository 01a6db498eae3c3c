"""The swarm catches planted bugs of ZooKeeper's era, and finds nothing in what is sound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.invariants.all_invariants import INVARIANTS
from cluster.model.settings import KRAFT, ZOOKEEPER
from cluster.simulation.swarm.plan import draw_plan
from cluster.simulation.swarm.seed import run_seed
from tests.support.bugs.planted import PlantedBug, hunt, planted
from tests.support.bugs.zookeeper_bugs import OBEYS_ANYBODY, ZOOKEEPER_BUGS
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

SEEDS = range(1, 41)


@pytest.mark.parametrize("bug", ZOOKEEPER_BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS), ZOOKEEPER)
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


@pytest.mark.parametrize("seed", [1, 36, 65, 134, 180])
def test_what_must_hold_holds(seed: int) -> None:
    result = run_seed(seed, 5.0, control=ZOOKEEPER)
    assert result.unexpected == (), result.plan
    assert {"Z1", "Z2", "Z3", "Z4", "Z5"} <= set(result.evaluated)


@pytest.mark.slow
def test_what_must_hold_holds_in_many_seeds() -> None:
    surprising = [r for seed in range(1, 301) if (r := run_seed(seed, 10.0, control=ZOOKEEPER)).unexpected]
    assert [(result.seed, result.unexpected) for result in surprising] == []


def test_asking_for_the_mode_changes_no_seed_of_the_other() -> None:
    for seed in range(50):
        usual, asked = draw_plan(seed, 5.0), draw_plan(seed, 5.0, control=ZOOKEEPER)
        assert draw_plan(seed, 5.0, control=KRAFT) == usual
        of_kraft = ("config", "leaves_core", "topics", "damages", "change_voters_every_s", "replaces_disks")
        assert replace(asked, **{name: getattr(usual, name) for name in of_kraft}) == usual
        assert [each[:4] for each in asked.topics] == [each[:4] for each in usual.topics]


def test_who_obeys_a_zombie_is_caught_by_its_script(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "scenarios" / "z03_zombie_controller.txt"
    with planted(OBEYS_ANYBODY):
        assert run_script(script, as_json=False, home=tmp_path, world=WorldChoice(simulated=True)) == 1


def test_each_rule_of_the_mode_but_the_order_of_transactions_is_broken_by_a_bug() -> None:
    """Z1 needs a coordinator that answers before it has flushed, and dies just then."""
    broken = {rule for bug in (*ZOOKEEPER_BUGS, OBEYS_ANYBODY) for rule in bug.breaks}
    rules = {rule for rule in INVARIANTS if rule[0] == "Z"}
    assert rules - broken == {"Z1"}
