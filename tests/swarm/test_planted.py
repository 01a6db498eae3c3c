"""The swarm catches every planted bug, and the rules that are meant for it say so."""

from __future__ import annotations

import pytest
from planted import PlantedBug, hunt, planted
from quorum_bugs import QUORUM_BUGS
from replication_bugs import REPLICATION_BUGS, STORAGE_BUGS

BUGS = (*QUORUM_BUGS, *REPLICATION_BUGS, *STORAGE_BUGS)
SEEDS = range(1, 41)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.part}-{bug.name}")
def test_a_planted_bug_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS))
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


def test_a_bug_is_gone_after_its_block() -> None:
    for bug in BUGS:
        before = [place.__dict__[name] for place, name, _ in bug.patches]
        with planted(bug):
            inside = [place.__dict__[name] for place, name, _ in bug.patches]
        after = [place.__dict__[name] for place, name, _ in bug.patches]
        assert after == before
        assert all(one is not other for one, other in zip(inside, before, strict=True)), bug.name


def test_there_are_bugs_of_every_part_and_each_has_a_name() -> None:
    assert len({(bug.part, bug.name) for bug in BUGS}) == len(BUGS)
    assert min(len(QUORUM_BUGS), len(REPLICATION_BUGS)) >= 10
    assert len(STORAGE_BUGS) >= 4
