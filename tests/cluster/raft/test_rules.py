"""The quorum's decisions one by one: votes, high watermark, divergence and truncation."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.identifiers import NO_NODE, EpochEnd, LogEnd
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.messages import VoteRequest
from cluster.raft.roles import TRANSITIONS, Role
from cluster.raft.rules import (
    Tally,
    VoterFacts,
    advance_high_watermark,
    check_leader_epoch,
    check_quorum,
    count_votes,
    diverging_epoch,
    follower_high_watermark,
    grant_pre_vote,
    grant_vote,
    majority,
    majority_offset,
    successor_backoff_ms,
    truncation_point,
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


def test_a_leader_says_whether_it_was_heard() -> None:
    assert check_quorum((2,), 3, 3_000).reason == "a majority of voters has fetched"
    assert check_quorum((), 3, 3_000).reason == "no majority of voters fetched in time"


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


@pytest.mark.parametrize(
    ("ends", "offset"), [((9, 8, 7, 5), 7), ((9, 8, 5), 8), ((8, 7, 7), 7), ((12, 11, 10, 4, -1), 10), ((3,), 3)]
)
def test_the_majority_offset(ends: tuple[int, ...], offset: int) -> None:
    assert majority_offset(ends) == offset


def test_the_high_watermark_waits_for_a_record_of_the_leaders_own_epoch() -> None:
    moved = advance_high_watermark({101: 9, 102: 8, 103: 5}, 7, -1)
    assert (moved.value, moved.granted) == (8, True)
    still = advance_high_watermark({101: 8, 102: 7, 103: 7}, 7, -1)
    assert (still.value, still.granted) == (-1, False)


def test_the_high_watermark_never_goes_back() -> None:
    assert advance_high_watermark({101: 9, 102: 8, 103: 5}, 3, 9).value == 9


@pytest.mark.parametrize(
    ("known", "leaders", "own_end", "learned"), [(3, 8, 9, 8), (3, 8, 6, 6), (3, 3, 9, 3), (8, 5, 9, 8), (-1, 0, 0, 0)]
)
def test_a_followers_high_watermark_is_the_leaders_but_never_past_its_own_log(
    known: int, leaders: int, own_end: int, learned: int
) -> None:
    ruling = follower_high_watermark(known, leaders, own_end)
    assert (ruling.value, ruling.granted) == (learned, learned > known)


@pytest.mark.parametrize(("granted", "rejected", "tally"), [(2, 0, Tally.WON), (1, 1, Tally.OPEN), (1, 2, Tally.LOST)])
def test_a_majority_of_three_decides_a_round(granted: int, rejected: int, tally: Tally) -> None:
    ruling = count_votes(granted, rejected, 3)
    assert (ruling.value, ruling.granted) == (tally, tally is Tally.WON)


@pytest.mark.parametrize(("fetched", "voters", "stays"), [((), 3, False), ((2,), 3, True), ((2,), 5, False)])
def test_a_leader_counts_itself_for_the_majority_that_keeps_it(
    fetched: tuple[int, ...], voters: int, stays: bool
) -> None:
    assert check_quorum(fetched, voters, 3_000).granted is stays


@pytest.mark.parametrize(
    ("theirs", "leads", "error"),
    [(4, True, "NONE"), (4, False, "NOT_LEADER_OR_FOLLOWER"), (3, True, "FENCED_LEADER_EPOCH"),
     (5, False, "UNKNOWN_LEADER_EPOCH")],
)  # fmt: skip
def test_the_epoch_of_a_fetch_is_looked_at_before_the_role(theirs: int, leads: bool, error: str) -> None:
    assert check_leader_epoch(theirs, 4, is_leader=leads).value.name == error


def test_a_fetch_that_agrees_does_not_diverge() -> None:
    epochs = LeaderEpochs(((1, 0), (3, 3)))
    assert diverging_epoch(epochs, 5, 1, 3).value is None
    assert diverging_epoch(epochs, 5, 3, 5).value is None
    assert diverging_epoch(epochs, 5, 0, 0).value is None


def test_a_tail_of_an_epoch_the_leader_never_had_is_found_and_cut() -> None:
    leader, follower = LeaderEpochs(((1, 0), (3, 2))), LeaderEpochs(((1, 0), (2, 2)))
    diverging = diverging_epoch(leader, 4, 2, 4).value
    assert diverging == EpochEnd(1, 2)
    assert truncation_point(follower, 4, diverging).value == 2


def test_a_longer_tail_of_a_shared_epoch_is_cut_to_the_leaders_end() -> None:
    assert truncation_point(LeaderEpochs(((1, 0),)), 520, EpochEnd(1, 500)).value == 500


def test_an_unknown_shared_epoch_cuts_to_the_own_end_of_the_one_below() -> None:
    assert truncation_point(LeaderEpochs(((1, 0), (4, 2))), 6, EpochEnd(3, 5)).value == 2


def test_the_first_successor_campaigns_at_once_and_the_others_wait_longer_and_longer() -> None:
    waits = [successor_backoff_ms(position, 4, 1000) for position in range(4)]
    assert waits == [0, 125, 250, 500]


def test_only_a_candidate_becomes_leader_and_a_leader_never_a_candidate() -> None:
    assert [role for role, after in TRANSITIONS.items() if Role.LEADER in after] == [Role.CANDIDATE]
    assert Role.CANDIDATE not in TRANSITIONS[Role.LEADER]


def test_a_candidate_that_asks_again_is_not_told_of_a_first_vote() -> None:
    assert grant_vote(facts(), asked(pre_vote=False)).reason == "first vote in this epoch, its log is not behind"
    assert grant_vote(facts(voted_for=101), asked(pre_vote=False)).reason == "it has this node's vote already"


def test_a_leader_whose_log_is_empty_has_a_fetcher_begin_at_0() -> None:
    assert diverging_epoch(LeaderEpochs(), 0, 2, 4).value == EpochEnd(0, 0)


def epochs_of(*entries: tuple[int, int]) -> LeaderEpochs:
    """Epochs and where they start."""
    known = LeaderEpochs()
    for epoch, start_offset in entries:
        known.assign(epoch, start_offset)
    return known


@pytest.mark.parametrize(
    ("last_fetched_epoch", "fetch_offset", "diverging", "reason"),
    [
        (0, 0, None, "the fetcher's log is empty"),
        (-1, 0, None, "the fetcher's log is empty"),
        (1, 0, None, "the logs agree"),
        (0, 1, EpochEnd(0, 0), "the fetcher has records the leader never had"),
        (3, 8, None, "the logs agree"),
        (3, 9, EpochEnd(3, 8), "the fetcher has records the leader never had"),
        (1, 4, None, "the logs agree"),
        (1, 5, EpochEnd(1, 4), "the fetcher has records the leader never had"),
        (2, 3, EpochEnd(1, 4), "the fetcher has records the leader never had"),
        (5, 9, EpochEnd(3, 8), "the leader never had that epoch"),
    ],
)
def test_where_two_logs_part_and_why(
    last_fetched_epoch: int, fetch_offset: int, diverging: EpochEnd | None, reason: str
) -> None:
    """The leader has epoch 1 from 0 and epoch 3 from 4, and ends at 8."""
    ruling = diverging_epoch(epochs_of((1, 0), (3, 4)), 8, last_fetched_epoch, fetch_offset)
    assert (ruling.value, ruling.granted, ruling.reason) == (diverging, diverging is not None, reason)


@pytest.mark.parametrize(
    ("diverging", "point", "reason"),
    [
        (EpochEnd(0, 5), 5, "cut to the end the leader named"),
        (EpochEnd(0, 9), 8, "cut to the end the leader named"),
        (EpochEnd(1, 6), 4, "cut to where the shared epoch ends first"),
        (EpochEnd(1, 2), 2, "cut to where the shared epoch ends first"),
        (EpochEnd(2, 2), 4, "cut to the end of the own older epoch"),
    ],
)
def test_where_a_log_is_cut_and_why(diverging: EpochEnd, point: int, reason: str) -> None:
    """The follower has epoch 1 from 0 and epoch 3 from 4, and ends at 8."""
    ruling = truncation_point(epochs_of((1, 0), (3, 4)), 8, diverging)
    assert (ruling.value, ruling.granted, ruling.reason) == (point, True, reason)


def test_a_log_without_epochs_is_cut_to_the_end_that_the_leader_names() -> None:
    ruling = truncation_point(LeaderEpochs(), 8, EpochEnd(2, 5))
    assert (ruling.value, ruling.reason) == (5, "cut to the end the leader named")


@pytest.mark.parametrize(
    ("leader_high_watermark", "reason"),
    [
        (5, "it knows of no more"),
        (7, "as far as the leader's answer tells"),
        (8, "as far as the leader's answer tells"),
        (9, "all that it holds is committed"),
    ],
)
def test_how_far_a_follower_knows_what_is_committed(leader_high_watermark: int, reason: str) -> None:
    assert follower_high_watermark(5, leader_high_watermark, 8).reason == reason


def test_a_majority_that_has_not_moved_commits_nothing_new() -> None:
    ruling = advance_high_watermark({1: 6, 2: 6, 3: 2}, 3, 6)
    assert (ruling.value, ruling.granted) == (6, False)
