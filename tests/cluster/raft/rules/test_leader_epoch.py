"""Requests of another epoch."""

from __future__ import annotations

import pytest

from cluster.raft.rules.leader_epoch import check_leader_epoch


@pytest.mark.parametrize(
    ("theirs", "leads", "error"),
    [(4, True, "NONE"), (4, False, "NOT_LEADER_OR_FOLLOWER"), (3, True, "FENCED_LEADER_EPOCH"),
     (5, False, "UNKNOWN_LEADER_EPOCH")],
)  # fmt: skip
def test_the_epoch_of_a_fetch_is_looked_at_before_the_role(theirs: int, leads: bool, error: str) -> None:
    assert check_leader_epoch(theirs, 4, is_leader=leads).value.name == error
