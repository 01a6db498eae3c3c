"""Votes and pre-votes, one rule at a time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.identifiers import NO_NODE, LogEnd
from cluster.model.messages import VoteRequest
from cluster.raft.roles import TRANSITIONS, Role
from cluster.raft.rules.votes import (
    Tally,
    VoterFacts,
    count_votes,
    grant_pre_vote,
    grant_vote,
    majority,
    successor_backoff_ms,
)


def facts(
    role: Role = Role.UNATTACHED, voted_for: int = NO_NODE, leader_id: int = NO_NODE, *, fetched: bool = False
) -> VoterFacts:
    return VoterFacts(role=role, voted_for=voted_for, leader_id=leader_id, has_fetched=fetched, log_end=LogEnd(2, 7))


def asked(*, pre_vote: bool, last_epoch: int = 2, last_offset: int = 7) -> VoteRequest:
    return VoteRequest(
        voter_id=102, candidate_id=101, epoch=5, last_epoch=last_epoch, last_offset=last_offset, pre_vote=pre_vote
    )


@pytest.mark.parametrize(
    ("voter", "vote", "pre_vote"),
    [
        (facts(), True, True),
        (facts(voted_for=101), True, True),
        (facts(voted_for=103), False, True),
        (facts(leader_id=103), False, True),
        (facts(Role.PROSPECTIVE), True, True),
        (facts(Role.PROSPECTIVE, voted_for=103), False, True),
        (facts(Role.PROSPECTIVE, leader_id=103), False, True),
        (facts(Role.CANDIDATE, voted_for=102), False, True),
        (facts(Role.RESIGNED, leader_id=102), False, True),
        (facts(Role.FOLLOWER, leader_id=103), False, True),
        (facts(Role.FOLLOWER, leader_id=103, fetched=True), False, False),
        (facts(Role.LEADER, leader_id=102), False, False),
    ],
    ids=lambda value: str(value.role) if isinstance(value, VoterFacts) else str(value),
)
def test_each_role_answers_a_vote_and_a_pre_vote_as_the_table_says(
    voter: VoterFacts, vote: bool, pre_vote: bool
) -> None:
    assert grant_vote(voter, asked(pre_vote=False)).granted is vote
    assert grant_pre_vote(voter, asked(pre_vote=True)).granted is pre_vote


@pytest.mark.parametrize(
    ("voter", "why"),
    [
        (facts(Role.LEADER, leader_id=102), "is leader in this epoch"),
        (facts(Role.CANDIDATE, voted_for=102), "is candidate in this epoch"),
        (facts(Role.FOLLOWER, leader_id=103), "leader 103 is known in this epoch"),
        (facts(voted_for=103), "already voted for 103"),
        (facts(voted_for=101), "it has this node's vote already"),
        (facts(), "first vote in this epoch, its log is not behind"),
    ],
)
def test_a_voter_says_the_first_cause_of_its_answer(voter: VoterFacts, why: str) -> None:
    assert grant_vote(voter, asked(pre_vote=False)).reason.startswith(why)


def test_a_vote_is_for_a_number_with_its_disk() -> None:
    for voted_for, disk, is_granted in [
        (101, "disk-a", True), (101, "", True), (101, "disk-b", False), (NO_NODE, "disk-b", True),
    ]:  # fmt: skip
        voter = replace(facts(voted_for=voted_for), voted_directory_id=disk)
        assert grant_vote(voter, replace(asked(pre_vote=False), directory_id="disk-a")).granted is is_granted


def test_a_voter_says_why_it_would_vote_or_not() -> None:
    assert grant_pre_vote(facts(), asked(pre_vote=True)).reason == "would vote: its log is not behind"
    assert grant_pre_vote(facts(), asked(pre_vote=True, last_epoch=1)).reason == "its log is behind"
    fetched = facts(Role.UNATTACHED, fetched=True)
    assert grant_pre_vote(fetched, asked(pre_vote=True)).granted, "it fetched from a leader that it follows no more"


@pytest.mark.parametrize("pre_vote", [False, True])
@pytest.mark.parametrize(
    ("last_epoch", "last_offset", "granted"), [(2, 7, True), (2, 6, False), (1, 99, False), (3, 0, True), (2, 8, True)]
)
def test_a_log_is_up_to_date_by_epoch_first_then_offset(
    last_epoch: int, last_offset: int, granted: bool, pre_vote: bool
) -> None:
    request = asked(pre_vote=pre_vote, last_epoch=last_epoch, last_offset=last_offset)
    assert (grant_pre_vote if pre_vote else grant_vote)(facts(), request).granted is granted


@pytest.mark.parametrize(("voter_count", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)])
def test_a_majority_is_more_than_half(voter_count: int, needed: int) -> None:
    assert majority(voter_count) == needed


@pytest.mark.parametrize(("granted", "rejected", "tally"), [(2, 0, Tally.WON), (1, 1, Tally.OPEN), (1, 2, Tally.LOST)])
def test_a_majority_of_three_decides_a_round(granted: int, rejected: int, tally: Tally) -> None:
    ruling = count_votes(granted, rejected, 3)
    assert (ruling.value, ruling.granted) == (tally, tally is Tally.WON)


def test_the_first_successor_campaigns_at_once_and_the_others_wait_longer_and_longer() -> None:
    waits = [successor_backoff_ms(position, 4, 1000) for position in range(4)]
    assert waits == [0, 125, 250, 500]


def test_only_a_candidate_becomes_leader_and_a_leader_never_a_candidate() -> None:
    assert [role for role, after in TRANSITIONS.items() if Role.LEADER in after] == [Role.CANDIDATE]
    assert Role.CANDIDATE not in TRANSITIONS[Role.LEADER]


def test_a_candidate_that_asks_again_is_not_told_of_a_first_vote() -> None:
    assert grant_vote(facts(), asked(pre_vote=False)).reason == "first vote in this epoch, its log is not behind"
    assert grant_vote(facts(voted_for=101), asked(pre_vote=False)).reason == "it has this node's vote already"
