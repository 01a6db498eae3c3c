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
    ("facts", "error"),
    [
        (READY, ErrorCode.NONE),
        (replace(READY, is_pending=True), ErrorCode.REQUEST_TIMED_OUT),
        (replace(READY, high_watermark=-1), ErrorCode.REQUEST_TIMED_OUT),
        (replace(READY, voters_offset=9), ErrorCode.REQUEST_TIMED_OUT),
        (replace(READY, voters_offset=8), ErrorCode.NONE),
        (replace(READY, is_dynamic=False), ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_one_change_at_a_time_by_a_leader_that_has_committed_in_its_epoch(facts: ChangeFacts, error: ErrorCode) -> None:
    assert may_change_voters(facts).value == error


def test_without_the_correction_of_2015_what_was_committed_before_the_epoch_is_enough() -> None:
    new_leader = replace(READY, high_watermark=-1)
    assert may_change_voters(new_leader).value == ErrorCode.REQUEST_TIMED_OUT
    assert may_change_voters(replace(new_leader, waits=False)).value == ErrorCode.NONE
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
    assert has_caught_up(CAUGHT_UP_MS - 1, CAUGHT_UP_MS * 2).granted
    assert not has_caught_up(CAUGHT_UP_MS, 0).granted
    assert not has_caught_up(5, -1).granted


def test_a_leader_that_removed_itself_leaves_once_that_is_committed() -> None:
    assert not must_leave_office(7, 7, is_voter=False).granted
    assert must_leave_office(8, 7, is_voter=False).granted
    assert not must_leave_office(8, 7, is_voter=True).granted


def test_who_joins_by_itself_has_its_namesake_removed_first() -> None:
    assert next_join_step(VOTERS, Voter(102, "new")).value == Voter(102, "b")
    assert next_join_step(VOTERS, Voter(103, "c")).value == Voter(103, "c")
    assert next_join_step(VOTERS, Voter(101, "a")).value is None
