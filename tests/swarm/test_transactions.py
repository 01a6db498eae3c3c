"""The swarm catches bugs of transactions where producers write in them."""

from __future__ import annotations

import pytest

from cluster.simulation.swarm.seed import run_seed
from tests.support.bugs.planted import PlantedBug, hunt
from tests.support.bugs.transaction_bugs import TRANSACTION_BUGS

SEEDS = range(1, 61)
SHOWN = TRANSACTION_BUGS[1]
"""Caught in a seed that costs little, so that it is tried each time."""


@pytest.mark.slow
@pytest.mark.parametrize("bug", TRANSACTION_BUGS, ids=lambda bug: bug.name)
def test_a_bug_of_transactions_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS), transactions=True)
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


def test_a_bug_of_transactions_is_caught_in_its_seed_and_the_sound_cluster_is_not_blamed() -> None:
    assert hunt(SHOWN, SHOWN.seeds[:1], transactions=True)[0] == SHOWN.seeds[0]
    assert run_seed(SHOWN.seeds[0], SHOWN.trouble_s, transactions=True).unexpected == ()
