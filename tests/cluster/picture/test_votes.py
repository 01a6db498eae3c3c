"""Rounds of votes: each answer is of the round that asked."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from tests.cluster.picture.test_cluster_state import folded


def test_a_vote_round_keeps_each_voters_answer() -> None:
    asked = ev.ElectionStarted(epoch=2, pre_vote=False, last_epoch=1, last_offset=5, voters=(101, 102, 103))
    refused = ev.VoteRejected(
        epoch=2, candidate_id=101, pre_vote=False, candidate_last_epoch=1, candidate_last_offset=5,
        last_epoch=1, last_offset=6, why="log behind",
    )  # fmt: skip
    granted = ev.VoteReceived(
        epoch=2, voter_id=102, pre_vote=False, granted=True, granted_count=2, rejected_count=0, needed=2
    )
    elected = ev.LeaderElected(epoch=2, epoch_start_offset=5, votes=(101, 102))
    state = folded((101, asked), (103, refused), (101, granted), (101, elected))
    assert state.rounds[0].answers == {101: True, 103: False, 102: True}
    assert state.rounds[0].reasons == {103: "log behind"}
    assert state.rounds[0].won
    assert (state.quorum_epoch, state.quorum_leader) == (2, 101)
    gone = ev.RoleChanged(role="resigned", epoch=2, leader_id=-1, voted_for=-1, why="")
    assert folded((101, gone), state=state).quorum_leader == -1


def pre_vote_answer(voter: int, seq: int, cause: EventId | None, *, granted: bool = True) -> Entry:
    asked: dict[str, Any] = {
        "epoch": 2, "candidate_id": 101, "pre_vote": True, "candidate_last_epoch": 1, "candidate_last_offset": 5,
        "last_epoch": 1, "last_offset": 5,
    }  # fmt: skip
    answer = ev.VoteGranted(**asked) if granted else ev.VoteRejected(**asked, why="it hears its leader")
    return Entry("r", voter, 0, seq, 10 + seq, 0, 0, cause, "", None, answer)


def test_a_late_answer_to_a_pre_vote_is_of_the_round_that_asked() -> None:
    """Two rounds of one epoch: a late yes to the first made a majority of the second, and nobody had counted it."""
    asked = ev.ElectionStarted(epoch=2, pre_vote=True, last_epoch=1, last_offset=5, voters=(101, 102, 103))
    state = folded((101, asked), (101, asked))
    first, second = EventId(101, 0, 0), EventId(101, 0, 1)
    state.apply(pre_vote_answer(102, 0, first))
    state.apply(pre_vote_answer(103, 0, first, granted=False))
    assert [item.answers for item in state.rounds] == [{101: True, 102: True, 103: False}, {101: True}]
    assert [item.reasons for item in state.rounds] == [{103: "it hears its leader"}, {}]
    state.apply(pre_vote_answer(102, 1, second, granted=False))
    assert state.rounds[1].answers == {101: True, 102: False} and state.rounds[0].answers[102]


def test_an_answer_that_follows_from_the_epoch_of_a_request_is_of_its_round() -> None:
    asked = ev.ElectionStarted(epoch=2, pre_vote=True, last_epoch=1, last_offset=5, voters=(101, 102, 103))
    state = folded((101, asked), (101, asked))
    moved = ev.RoleChanged(role="unattached", epoch=2, leader_id=-1, voted_for=-1, why="101 asked in a higher epoch")
    change = Entry("r", 102, 0, 0, 9, 0, 0, EventId(101, 0, 0), "", None, moved)
    state.apply(change)
    state.apply(pre_vote_answer(102, 1, change.id))
    assert [item.answers for item in state.rounds] == [{101: True, 102: True}, {101: True}]


def test_an_answer_of_unknown_origin_counts_when_the_candidate_counts_it() -> None:
    asked = ev.ElectionStarted(epoch=2, pre_vote=True, last_epoch=1, last_offset=5, voters=(101, 102, 103))
    state = folded((101, asked))
    state.apply(pre_vote_answer(102, 0, EventId(102, 0, 9)))
    assert state.rounds[0].answers == {101: True}
    counted = ev.VoteReceived(
        epoch=2, voter_id=102, pre_vote=True, granted=True, granted_count=2, rejected_count=0, needed=2
    )
    assert folded((101, counted), state=state).rounds[0].answers == {101: True, 102: True}


def test_a_yes_that_is_plucked_counts_once_its_candidate_hears_it() -> None:
    asked = ev.ElectionStarted(epoch=2, pre_vote=False, last_epoch=1, last_offset=5, voters=(101, 102, 103))
    granted = ev.VoteGranted(
        epoch=2, candidate_id=101, pre_vote=False, candidate_last_epoch=1, candidate_last_offset=5, last_epoch=1,
        last_offset=5,
    )  # fmt: skip
    plucked = ev.MessagePlucked(
        fault_id=1, source=102, target=101, message="VoteResponse", fate="hold", correlation=4,
        numbers=(("epoch", 2), ("pre_vote", 0), ("granted", 1)),
    )  # fmt: skip
    state = folded((101, asked), (102, granted), (101, plucked))
    assert state.rounds[0].answers == {101: True} and state.nodes[102].voted_for == 101
    heard = ev.VoteReceived(
        epoch=2, voter_id=102, pre_vote=False, granted=True, granted_count=2, rejected_count=0, needed=2
    )
    assert folded((101, heard), state=state).rounds[0].answers == {101: True, 102: True}
