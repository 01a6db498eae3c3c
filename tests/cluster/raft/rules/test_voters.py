"""The rules by which voters change, a sentence of KIP-853 or of the correction of 2015 each."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.voters import Voter
from cluster.raft.rules.voters import (
    CAUGHT_UP_MS,
    ChangeFacts,
    has_caught_up,
    may_add_voter,
    may_change_voters,
    may_remove_voter,
    must_leave_office,
    next_join_step,
)

READY = ChangeFacts(
    is_pending=False, high_watermark=9, committed_before=5, voters_offset=2, is_dynamic=True, waits=True
)
VOTERS = (Voter(101, "a"), Voter(102, "b"))


@pytest.mark.parametrize(
    ("facts", "error", "reason"),
    [
        (READY, ErrorCode.NONE, "and so is this epoch"),
        (replace(READY, is_pending=True), ErrorCode.REQUEST_TIMED_OUT, "an earlier change"),
        (replace(READY, high_watermark=-1), ErrorCode.REQUEST_TIMED_OUT, "a record of its own epoch"),
        (replace(READY, voters_offset=9), ErrorCode.REQUEST_TIMED_OUT, "the voters in force are not committed"),
        (replace(READY, voters_offset=8), ErrorCode.NONE, "and so is this epoch"),
        (replace(READY, is_dynamic=False), ErrorCode.UNSUPPORTED_VERSION, "voters are fixed"),
    ],
)
def test_one_change_at_a_time_by_a_leader_that_has_committed_in_its_epoch(
    facts: ChangeFacts, error: ErrorCode, reason: str
) -> None:
    ruling = may_change_voters(facts)
    assert ruling.value == error
    assert reason in ruling.reason


def test_without_the_correction_of_2015_what_was_committed_before_the_epoch_is_enough() -> None:
    new_leader = replace(READY, high_watermark=-1)
    assert may_change_voters(new_leader).value == ErrorCode.REQUEST_TIMED_OUT
    hasty = may_change_voters(replace(new_leader, waits=False))
    assert (hasty.value, hasty.reason) == (ErrorCode.NONE, "the correction of 2015 is switched off")
    unknown = replace(new_leader, waits=False, voters_offset=5)
    assert may_change_voters(unknown).value == ErrorCode.REQUEST_TIMED_OUT, "the voters in force are not committed"


def test_a_number_votes_once_whatever_its_disk() -> None:
    assert may_add_voter(VOTERS, Voter(103, "c"), is_caught_up=True).value == ErrorCode.NONE
    assert may_add_voter(VOTERS, Voter(102, "c"), is_caught_up=True).value == ErrorCode.DUPLICATE_VOTER
    assert may_add_voter(VOTERS, Voter(103, "c"), is_caught_up=False).value == ErrorCode.REQUEST_TIMED_OUT


def test_only_a_voter_with_its_own_disk_can_be_removed_and_never_the_last() -> None:
    assert may_remove_voter(VOTERS, Voter(102, "b")).value == ErrorCode.NONE
    assert may_remove_voter(VOTERS, Voter(102, "c")).value == ErrorCode.VOTER_NOT_FOUND
    assert may_remove_voter(VOTERS, Voter(103, "c")).value == ErrorCode.VOTER_NOT_FOUND
    assert may_remove_voter(VOTERS[:1], VOTERS[0]).value == ErrorCode.VOTER_NOT_FOUND


def test_who_has_had_all_and_fetched_within_an_hour_is_caught_up() -> None:
    assert has_caught_up(0, 0).granted
    assert has_caught_up(0, 0).reason == "it has had the whole log"
    assert has_caught_up(CAUGHT_UP_MS - 1, CAUGHT_UP_MS * 2).granted
    assert not has_caught_up(CAUGHT_UP_MS, 0).granted
    assert not has_caught_up(5, -1).granted
    assert has_caught_up(5, -1).reason == "it has not had the whole log in this epoch"
    assert not has_caught_up(-1, 0).granted, "who has never fetched is not"


def test_a_leader_that_removed_itself_leaves_once_that_is_committed() -> None:
    assert not must_leave_office(7, 7, is_voter=False).granted
    assert must_leave_office(8, 7, is_voter=False).granted
    assert must_leave_office(8, 7, is_voter=False).reason == "its removal is committed"
    assert not must_leave_office(8, 7, is_voter=True).granted
    assert must_leave_office(8, 7, is_voter=True).reason == "it is a voter, or the change is not committed"


def test_who_joins_by_itself_has_its_namesake_removed_first() -> None:
    own = [Voter(102, "new"), Voter(103, "c"), Voter(101, "a")]
    steps = [next_join_step(VOTERS, voter) for voter in own]
    assert [step.value for step in steps] == [Voter(102, "b"), Voter(103, "c"), None]
    assert [step.granted for step in steps] == [True, True, False]
