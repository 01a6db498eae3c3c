"""Rules about members of the classic protocol: which assignor is chosen, who may commit."""

from __future__ import annotations

import pytest

from cluster.groups.classic import rules
from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from tests.support.worlds.group_world import group_of, member


def test_the_assignor_with_most_votes_among_those_all_know_is_chosen() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "range", "sticky"), member("c", "sticky", "range"))
    assert rules.vote_protocol(group).value == "sticky"


def test_an_assignor_that_one_member_lacks_cannot_be_chosen() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "sticky", "range"), member("c", "range"))
    assert rules.vote_protocol(group).value == "range"


def test_a_new_member_needs_an_assignor_that_all_know() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "range"))
    assert rules.supports_protocols(group, "consumer", ["sticky"]).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert rules.supports_protocols(group, "consumer", ["sticky", "range"]).value == ErrorCode.NONE
    assert rules.supports_protocols(group, "connect", ["range"]).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert rules.supports_protocols(group_of(), "consumer", []).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(
    ("state", "generation", "who", "error"),
    [
        (GroupState.STABLE, 3, "a", ErrorCode.NONE),
        (GroupState.PREPARING, 3, "a", ErrorCode.NONE),
        (GroupState.COMPLETING, 3, "a", ErrorCode.REBALANCE_IN_PROGRESS),
        (GroupState.STABLE, 2, "a", ErrorCode.ILLEGAL_GENERATION),
        (GroupState.STABLE, 3, "z", ErrorCode.UNKNOWN_MEMBER_ID),
        (GroupState.STABLE, -1, "", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_commit(state: GroupState, generation: int, who: str, error: ErrorCode) -> None:
    assert rules.may_commit(group_of(member("a", "range"), state=state), generation, who, "").value == error


def test_an_empty_group_takes_offsets_from_outside_only() -> None:
    empty = group_of(state=GroupState.EMPTY)
    assert rules.may_commit(empty, -1, "", "").value == ErrorCode.NONE
    assert rules.may_commit(empty, 3, "a", "").value == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("generation", "error", "reason"),
    [
        (3, ErrorCode.NONE, "it is in the group's generation"),
        (2, ErrorCode.ILLEGAL_GENERATION, "it is in another generation"),
    ],
)
def test_who_speaks_of_another_generation_is_told_so(generation: int, error: ErrorCode, reason: str) -> None:
    ruling = rules.same_generation(group_of(member("a", "range")), generation)
    assert (ruling.value, ruling.reason) == (error, reason)
