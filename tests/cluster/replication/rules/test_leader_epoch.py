"""Whom a leader answers, by leader epoch and role."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.replication.rules.leader_epoch import check_leader_epoch


@pytest.mark.parametrize(
    ("theirs", "leads", "is_replica", "is_consumer", "error"),
    [
        (5, True, True, False, ErrorCode.NONE),
        (5, True, False, True, ErrorCode.NONE),
        (-1, True, True, False, ErrorCode.NONE),
        (5, True, False, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (4, True, True, False, ErrorCode.FENCED_LEADER_EPOCH),
        (6, True, True, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (5, False, True, False, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (-1, False, True, False, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (4, False, True, False, ErrorCode.FENCED_LEADER_EPOCH),
        (6, False, True, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_epochs_are_looked_at_before_the_role(
    theirs: int,
    leads: bool,  # noqa: FBT001
    is_replica: bool,  # noqa: FBT001
    is_consumer: bool,  # noqa: FBT001
    error: ErrorCode,
) -> None:
    ruling = check_leader_epoch(theirs, 5, is_leader=leads, is_replica=is_replica, is_consumer=is_consumer)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    if ruling.granted:
        assert ruling.numbers == {}
        return
    epochs = {"their_leader_epoch": theirs, "our_leader_epoch": 5}
    role = {} if theirs not in (5, -1) else {"is_replica": 0} if leads else {"is_leader": 0}
    assert ruling.numbers == epochs | role, "what is refused for a role tells it"
