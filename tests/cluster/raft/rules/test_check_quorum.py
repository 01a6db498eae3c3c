"""A leader that no majority hears."""

from __future__ import annotations

import pytest

from cluster.raft.rules.check_quorum import check_quorum


def test_a_leader_says_whether_it_was_heard() -> None:
    assert check_quorum((2,), 3, 3_000).reason == "a majority of voters has fetched"
    assert check_quorum((), 3, 3_000).reason == "no majority of voters fetched in time"


@pytest.mark.parametrize(("fetched", "voters", "stays"), [((), 3, False), ((2,), 3, True), ((2,), 5, False)])
def test_a_leader_counts_itself_for_the_majority_that_keeps_it(
    fetched: tuple[int, ...], voters: int, stays: bool
) -> None:
    assert check_quorum(fetched, voters, 3_000).granted is stays
