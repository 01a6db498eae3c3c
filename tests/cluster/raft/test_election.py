"""One voter and what it is told, input by input: what it asks for in answer, and in which order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.effects import Effect, PersistElection, Send, SetTimer
from cluster.model.election_state import ElectionState
from cluster.model.errors import ErrorCode
from cluster.model.inputs import Input, NodeStarted, Received, TimerFired
from cluster.model.messages import BeginQuorumEpochRequest, VoteRequest, VoteResponse
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role
from cluster.raft.timers import CHECK_TIMER, ELECTION_TIMER, RESEND_TIMER
from tests.support.kinds import those
from tests.support.worlds.one_voter import OTHERS_CANCELLED, OneVoter, batch
from tests.support.worlds.quorum_harness import MemoryLog

FIVE = (101, 102, 103, 104, 105)


class Voter:
    """Node 101, just started, with an empty log."""

    def __init__(self, voters: tuple[int, ...] = FIVE, settings: Settings | None = None) -> None:
        self.quorum = Quorum(101, voters, settings or Settings(), MemoryLog(), None)
        self.asked = -1
        self.give(NodeStarted())

    def give(self, happened: Input) -> list[Effect]:
        effects = self.quorum.handle(happened, 0)
        requests = [send for send in those(Send, effects) if isinstance(send.message, VoteRequest)]
        self.asked = requests[-1].correlation if requests else self.asked
        return effects

    def time_out(self) -> list[Effect]:
        return self.give(TimerFired(name=ELECTION_TIMER))

    def answer(self, voter: int, *, epoch: int, granted: bool, pre_vote: bool) -> list[Effect]:
        response = VoteResponse(epoch=epoch, granted=granted, pre_vote=pre_vote)
        return self.give(Received(sender=voter, correlation=self.asked, message=response))


def asked_by(effects: list[Effect]) -> list[tuple[int, int, bool]]:
    """(voter, epoch, whether a pre-vote) of each request for a vote."""
    requests = [send.message for send in those(Send, effects)]
    return [(each.voter_id, each.epoch, each.pre_vote) for each in those(VoteRequest, requests)]


def test_a_voter_without_a_leader_asks_all_others_for_pre_votes_in_the_epoch_it_is_in() -> None:
    effects = Voter().time_out()
    assert asked_by(effects) == [(voter, 0, True) for voter in FIVE[1:]]
    assert not any(each.epoch > 0 for each in those(PersistElection, effects)), "a pre-vote raises no epoch"


def test_the_pre_vote_that_makes_the_majority_begins_the_election_with_the_own_vote_on_disk_first() -> None:
    voter = Voter()
    voter.time_out()
    assert asked_by(voter.answer(102, epoch=0, granted=True, pre_vote=True)) == []
    effects = voter.answer(103, epoch=0, granted=True, pre_vote=True)
    assert asked_by(effects) == [(each, 1, False) for each in FIVE[1:]]
    kinds = [type(effect) for effect in effects]
    assert kinds.index(PersistElection) < kinds.index(Send)


def test_the_refusal_that_makes_the_majority_ends_the_pre_vote_and_not_the_one_before() -> None:
    voter = Voter()
    voter.time_out()
    for refusing in (102, 103):
        assert those(SetTimer, voter.answer(refusing, epoch=0, granted=False, pre_vote=True)) == []
    timers = those(SetTimer, voter.answer(104, epoch=0, granted=False, pre_vote=True))
    assert [timer.name for timer in timers] == [ELECTION_TIMER]
    assert asked_by(voter.answer(105, epoch=0, granted=True, pre_vote=True)) == [], "the round is over"


def test_who_has_not_answered_is_asked_again_and_nobody_else() -> None:
    voter = Voter()
    voter.time_out()
    voter.answer(102, epoch=0, granted=True, pre_vote=True)
    voter.answer(103, epoch=0, granted=False, pre_vote=True)
    assert asked_by(voter.give(TimerFired(name=RESEND_TIMER))) == [(104, 0, True), (105, 0, True)]


def test_a_new_leader_tells_the_others_and_waits_one_and_a_half_fetch_timeouts_for_a_majority() -> None:
    voter = Voter(settings=Settings(pre_vote=False, quorum_fetch_timeout_ms=2_000))
    voter.time_out()
    voter.answer(102, epoch=1, granted=True, pre_vote=False)
    effects = voter.answer(103, epoch=1, granted=True, pre_vote=False)
    assert {send.target for send in those(Send, effects) if isinstance(send.message, BeginQuorumEpochRequest)} == {
        102, 103, 104, 105,
    }  # fmt: skip
    assert [timer.delay_ms for timer in those(SetTimer, effects) if timer.name == CHECK_TIMER] == [3_000]


def test_an_answer_with_an_error_from_a_stranger_or_to_another_round_is_not_counted() -> None:
    voter = Voter((101, 102, 103))
    voter.time_out()
    refused = VoteResponse(error=ErrorCode.FENCED_LEADER_EPOCH, epoch=0, granted=True, pre_vote=True)
    assert voter.give(Received(sender=102, correlation=voter.asked, message=refused)) == []
    assert voter.answer(109, epoch=0, granted=True, pre_vote=True) == []
    late = VoteResponse(epoch=0, granted=True, pre_vote=True)
    assert voter.give(Received(sender=102, correlation=voter.asked - 1, message=late)) == []


def test_a_vote_is_on_disk_before_it_is_answered_and_given_once_in_an_epoch() -> None:
    voter = Voter()

    def asks(candidate: int) -> list[Effect]:
        request = VoteRequest(
            voter_id=101, candidate_id=candidate, epoch=3, last_epoch=0, last_offset=0, pre_vote=False
        )
        return voter.give(Received(sender=candidate, correlation=7, message=request))

    effects = asks(102)
    kinds = [type(effect) for effect in effects]
    assert max(place for place, kind in enumerate(kinds) if kind is PersistElection) < kinds.index(Send)
    (answer,) = those(VoteResponse, [send.message for send in those(Send, effects)])
    assert (answer.epoch, answer.granted) == (3, True)
    (second,) = those(VoteResponse, [send.message for send in those(Send, asks(103))])
    assert (second.epoch, second.granted) == (3, False)


ASKS_VOTES = [
    "send VoteRequest to 102",
    "send VoteRequest to 103",
    "set quorum.election 1000 to 2000",
    "set quorum.retry 1000",
]


def wants(epoch: int, candidate: int = 102, *, pre_vote: bool = False, end: tuple[int, int] = (0, 0)) -> VoteRequest:
    last_epoch, last_offset = end
    return VoteRequest(
        voter_id=101, candidate_id=candidate, epoch=epoch, last_epoch=last_epoch, last_offset=last_offset,
        pre_vote=pre_vote,
    )  # fmt: skip


def answer_of(voter: OneVoter) -> VoteResponse:
    (answer,) = those(VoteResponse, [send.message for send in those(Send, voter.effects)])
    return answer


def test_a_candidate_persists_its_own_vote_asks_all_and_sets_both_timers() -> None:
    voter = OneVoter().started()
    assert voter.fire("quorum.election") == [
        "persist epoch 1 leader -1 vote 101", "tell RoleChanged", "tell ElectionStarted", *ASKS_VOTES,
    ]  # fmt: skip
    assert voter.fire("quorum.election")[0] == "persist epoch 2 leader -1 vote 101", (
        "each round has an epoch of its own"
    )


def test_who_asks_for_pre_votes_stops_the_timers_of_its_old_role() -> None:
    voter = OneVoter(pre_vote=True).started()
    voter.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    assert voter.fire("quorum.fetch") == ["tell RoleChanged", *OTHERS_CANCELLED, "tell ElectionStarted", *ASKS_VOTES]


def test_a_pre_vote_that_comes_to_nothing_in_time_leads_back_to_the_leader_or_to_a_wait() -> None:
    voter = OneVoter(pre_vote=True).started()
    voter.fire("quorum.election")
    assert voter.fire("quorum.election") == ["tell RoleChanged", "set quorum.election 1000 to 2000"]
    voter.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    voter.fire("quorum.fetch")
    assert "send FetchRequest to 102" in voter.fire("quorum.election")
    assert voter.quorum.role is Role.FOLLOWER


def test_who_is_asked_again_is_asked_until_it_answers_and_only_while_a_round_goes_on() -> None:
    voter = OneVoter().started()
    assert voter.fire("quorum.retry") == []
    voter.fire("quorum.election")
    assert voter.fire("quorum.retry") == ["send VoteRequest to 102", "send VoteRequest to 103", "set quorum.retry 1000"]
    voter.voted(102)
    assert voter.fire("quorum.retry") == [], "it leads"


def test_an_answer_is_told_before_what_follows_from_it() -> None:
    voter = OneVoter(pre_vote=True).started()
    voter.fire("quorum.election")
    assert voter.voted(102, epoch=0, granted=False, pre_vote=True) == ["tell VoteReceived"]
    assert voter.voted(103, epoch=0, granted=False, pre_vote=True) == [
        "tell VoteReceived", "tell RoleChanged", "set quorum.election 1000 to 2000",
    ]  # fmt: skip


def test_a_lost_election_is_not_over_before_its_time() -> None:
    voter = OneVoter().started()
    voter.fire("quorum.election")
    for refusing in (102, 103):
        assert voter.voted(refusing, granted=False) == ["tell VoteReceived"]


def test_an_answer_of_another_epoch_is_not_counted() -> None:
    voter = OneVoter().started()
    voter.fire("quorum.election")
    assert voter.voted(102, epoch=0) == []


def test_a_binding_vote_is_persisted_told_and_gives_the_candidate_time() -> None:
    voter = OneVoter().started()
    assert voter.hear(102, wants(3)) == [
        "persist epoch 3 leader -1 vote -1", "tell RoleChanged", *OTHERS_CANCELLED, "set quorum.election 1000 to 2000",
        "persist epoch 3 leader -1 vote 102", "tell RoleChanged", "set quorum.election 1000 to 2000",
        "tell VoteGranted", "send VoteResponse to 102",
    ]  # fmt: skip
    assert voter.hear(102, wants(3)) == ["tell VoteGranted", "send VoteResponse to 102"], "it has it already"
    assert voter.hear(103, wants(3, 103)) == ["tell VoteRejected", "send VoteResponse to 103"]
    assert not answer_of(voter).granted


def test_a_pre_vote_changes_nothing() -> None:
    voter = OneVoter().started()
    assert voter.hear(102, wants(0, pre_vote=True)) == ["tell VoteGranted", "send VoteResponse to 102"]
    assert answer_of(voter).granted


@pytest.mark.parametrize(
    ("request_", "is_invalid"),
    [
        (wants(3, end=(3, 5)), True), (wants(3, end=(4, 5)), True), (wants(3, end=(2, 5)), False),
        (wants(3, end=(0, -1)), True), (wants(3, end=(0, 0)), False), (wants(3, pre_vote=True, end=(3, 5)), False),
        (wants(3, pre_vote=True, end=(3, -1)), True),
    ],
)  # fmt: skip
def test_a_request_that_no_candidate_can_make_is_invalid_and_changes_nothing(
    request_: VoteRequest, is_invalid: bool
) -> None:
    """A candidate has no record of the epoch it asks for; who asks for pre-votes may have."""
    voter = OneVoter().started()
    told = voter.hear(102, request_)
    assert (answer_of(voter).error == ErrorCode.INVALID_REQUEST) is is_invalid
    assert (told == ["send VoteResponse to 102"]) is is_invalid


def test_a_request_of_an_older_epoch_or_for_another_disk_is_refused_with_its_cause() -> None:
    voter = OneVoter().started()
    voter.hear(102, wants(3))
    assert voter.hear(103, wants(2, 103)) == ["send VoteResponse to 103"]
    assert answer_of(voter).error == ErrorCode.FENCED_LEADER_EPOCH
    voter.hear(103, replace(wants(3, 103), voter_directory_id="another disk"))
    assert answer_of(voter).error == ErrorCode.INVALID_VOTER_KEY


@pytest.mark.parametrize("votes", [True, False])
def test_a_leader_and_a_candidate_give_no_vote_in_their_own_epoch(votes: bool) -> None:
    voter = OneVoter().started()
    voter.fire("quorum.election")
    if votes:
        voter.voted(102)
    voter.hear(103, wants(1, 103, end=(0, 9)))
    assert not answer_of(voter).granted


def test_who_asks_for_pre_votes_and_gives_a_vote_asks_anew_after_the_answer() -> None:
    voter = OneVoter(pre_vote=True, saved=ElectionState(epoch=3)).started()
    voter.fire("quorum.election")
    assert voter.hear(102, wants(3)) == [
        "persist epoch 3 leader -1 vote 102", "tell RoleChanged", "tell VoteGranted", "send VoteResponse to 102",
        "tell ElectionStarted", *ASKS_VOTES,
    ]  # fmt: skip


def test_an_observer_that_is_asked_votes_and_never_waits_for_an_election() -> None:
    """It may have become a voter and not know."""
    observer = OneVoter((102, 103)).started()
    assert "set quorum.election 1000 to 2000" not in observer.hear(102, wants(3))
    assert answer_of(observer).granted


def test_a_start_goes_on_with_the_vote_for_itself_and_with_the_leader_it_knew() -> None:
    voted = OneVoter(saved=ElectionState(epoch=3, voted_for=101)).give(NodeStarted())
    assert voted == ["tell QuorumBooted", "tell RoleChanged", "tell ElectionStarted", *ASKS_VOTES]
    followed = OneVoter(saved=ElectionState(epoch=3, leader_id=102)).give(NodeStarted())
    assert followed[-3:] == ["set quorum.fetch 2000", "send FetchRequest to 102", "set quorum.fetch_retry 2000"]
    assert "set quorum.election 1000 to 2000" not in followed
    other = OneVoter(saved=ElectionState(epoch=3, voted_for=102)).give(NodeStarted())
    assert other == ["tell QuorumBooted", "set quorum.election 1000 to 2000"]


def test_a_pre_vote_for_a_round_that_was_given_up_is_not_counted_in_the_next() -> None:
    voter = OneVoter(pre_vote=True).started()
    voter.fire("quorum.election")
    late = voter.asked[VoteRequest]
    voter.fire("quorum.election")
    voter.fire("quorum.election")
    assert voter.hear(102, VoteResponse(epoch=0, granted=True, pre_vote=True), late) == []


def test_who_goes_on_after_a_restart_asks_for_votes_and_not_for_pre_votes() -> None:
    voter = OneVoter(pre_vote=True, saved=ElectionState(epoch=3, voted_for=101)).started()
    assert asked_by(voter.effects) == [(102, 3, False), (103, 3, False)]


@pytest.mark.parametrize("saved", [None, ElectionState(epoch=2, voted_for=101)])
def test_who_has_lost_its_quorum_state_goes_on_in_the_epoch_of_its_last_record(saved: ElectionState | None) -> None:
    voter = OneVoter(saved=saved)
    voter.log.append(batch(epoch=5))
    voter.started().fire("quorum.election")
    assert asked_by(voter.effects) == [(102, 6, False), (103, 6, False)]
