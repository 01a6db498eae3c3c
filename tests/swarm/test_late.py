"""The swarm catches bugs of which only the rules about time, and those about coordinators, can tell."""

from __future__ import annotations

import pytest
from late_bugs import LATE_BUGS
from planted import PlantedBug, hunt

SEEDS = range(1, 31)


@pytest.mark.slow
@pytest.mark.parametrize("bug", LATE_BUGS, ids=lambda bug: bug.name)
def test_what_comes_too_late_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS))
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"
