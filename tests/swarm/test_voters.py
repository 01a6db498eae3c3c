"""The swarm catches bugs of a quorum whose voters change, the one of 2015 among them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.simulation.swarm.plan import draw_plan
from cluster.simulation.swarm.seed import run_plan
from tests.support.bugs.planted import PlantedBug, hunt
from tests.support.bugs.voter_bugs import VOTER_BUGS

SEEDS = range(1, 31)
SHOWN = VOTER_BUGS[0]
"""Caught in a seed that costs little, so that it is tried each time."""


@pytest.mark.slow
@pytest.mark.parametrize("bug", VOTER_BUGS, ids=lambda bug: bug.name)
def test_a_bug_of_changing_voters_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS), voter_changes=True)
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


def test_the_swarm_finds_the_bug_of_2015_by_itself() -> None:
    plan = draw_plan(39, SHOWN.trouble_s, voter_changes=True)
    for waits, found in ((True, ()), (False, ("R25",))):
        settings = replace(plan.config.settings, voter_change_waits=waits)
        result = run_plan(replace(plan, config=replace(plan.config, settings=settings))).result
        assert result.unexpected == ()
        assert tuple(rule for rule in result.excused if rule == "R25") == found
