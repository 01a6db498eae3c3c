"""One voter and what it is told, input by input: what it asks for in answer, and in which order."""

from __future__ import annotations

from cluster.model.effects import Effect, PersistElection, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.inputs import Input, NodeStarted, Received, TimerFired
from cluster.model.messages import BeginQuorumEpochRequest, VoteRequest, VoteResponse
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from cluster.raft.timers import CHECK_TIMER, ELECTION_TIMER, RESEND_TIMER
from tests.support.kinds import those
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
