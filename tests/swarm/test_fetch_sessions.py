"""The swarm catches bugs of fetch sessions where brokers and members fetch in them."""

from __future__ import annotations

import pytest

from tests.support.bugs.planted import PlantedBug, hunt
from tests.support.bugs.session_bugs import SESSION_BUGS

SEEDS = range(1, 31)


@pytest.mark.parametrize("bug", SESSION_BUGS, ids=lambda bug: bug.name)
def test_a_bug_of_fetch_sessions_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS), fetch_sessions=True)
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"
