"""The swarm catches bugs of transactions where producers write in them."""

from __future__ import annotations

import pytest

from cluster.simulation.swarm.seed import run_seed
from tests.support.bugs.planted import PlantedBug, hunt
from tests.support.bugs.transaction_bugs import TRANSACTION_BUGS

SEEDS = range(1, 61)
SHOWN = tuple(bug for bug in TRANSACTION_BUGS if bug.name in ("stable-too-early", "aborts-too-soon"))
"""Caught in a seed that costs little, so that they are tried each time."""


@pytest.mark.slow
@pytest.mark.parametrize("bug", TRANSACTION_BUGS, ids=lambda bug: bug.name)
def test_a_bug_of_transactions_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS), transactions=True)
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


@pytest.mark.parametrize("bug", SHOWN, ids=lambda bug: bug.name)
def test_a_bug_of_transactions_is_caught_in_its_seed(bug: PlantedBug) -> None:
    assert hunt(bug, bug.seeds[:1], transactions=True)[0] == bug.seeds[0]


def test_the_sound_cluster_is_not_blamed_for_a_bug_of_transactions() -> None:
    (seed,) = {bug.seeds[0] for bug in SHOWN}
    assert run_seed(seed, SHOWN[0].trouble_s, transactions=True).unexpected == ()
