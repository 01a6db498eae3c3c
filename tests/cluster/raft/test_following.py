"""A voter takes over an epoch, its leader, and what that leader sends: all that it asks for, in order."""

from __future__ import annotations

import pytest

from cluster.model.effects import Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import MetadataAppended
from cluster.model.identifiers import EpochEnd
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    Message,
)  # fmt: skip
from cluster.raft.roles import Role
from tests.support.kinds import as_kind, those
from tests.support.worlds.one_voter import OTHERS_CANCELLED, OneVoter, batch

FETCHES = ["send FetchRequest to 102", "set quorum.fetch_retry 2000"]
FOLLOWS_ANEW = ["tell RoleChanged", *OTHERS_CANCELLED, "cancel quorum.election"]


def begins(epoch: int = 3, leader: int = 102) -> BeginQuorumEpochRequest:
    return BeginQuorumEpochRequest(leader_id=leader, epoch=epoch)


def follower() -> OneVoter:
    """Of 102 in epoch 3."""
    voter = OneVoter().started()
    voter.hear(102, begins())
    return voter


def said(voter: OneVoter) -> Message:
    """Its only message."""
    (send,) = those(Send, voter.effects)
    return send.message


def test_who_hears_of_a_new_leader_persists_it_forgets_its_other_timers_waits_for_it_and_fetches() -> None:
    assert OneVoter().started().hear(102, begins()) == [
        "persist epoch 3 leader 102 vote -1", *FOLLOWS_ANEW, "set quorum.fetch 2000", *FETCHES,
        "send BeginQuorumEpochResponse to 102",
    ]  # fmt: skip


def test_to_hear_of_the_same_leader_again_changes_nothing() -> None:
    assert follower().hear(102, begins()) == ["send BeginQuorumEpochResponse to 102"]


@pytest.mark.parametrize(
    "asks", [begins(2, 103), BeginQuorumEpochRequest(leader_id=102, epoch=3, voter_directory_id="another disk")]
)
def test_a_leader_of_an_older_epoch_or_that_means_another_disk_is_refused_and_nothing_else(
    asks: BeginQuorumEpochRequest,
) -> None:
    voter = follower()
    assert voter.hear(103, asks) == ["send BeginQuorumEpochResponse to 103"]
    answer = as_kind(BeginQuorumEpochResponse, said(voter))
    assert answer.error in (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.INVALID_VOTER_KEY)
    assert (answer.epoch, answer.leader_id) == (3, 102)


def test_nobody_follows_itself() -> None:
    assert follower().hear(103, begins(4, 101)) == ["send BeginQuorumEpochResponse to 103"]


@pytest.mark.parametrize(("heirs", "wait_ms"), [((101, 103), 0), ((103, 101), 500), ((103, 104), 1000)])
def test_a_follower_waits_for_its_place_among_the_heirs_of_a_leader_that_resigns(
    heirs: tuple[int, ...], wait_ms: int
) -> None:
    voter = follower()
    told = voter.hear(102, EndQuorumEpochRequest(leader_id=102, epoch=3, preferred_candidates=heirs))
    assert told == ["send EndQuorumEpochResponse to 102", f"set quorum.fetch {wait_ms}"]


def test_the_end_of_an_older_epoch_is_refused_and_moves_no_timer() -> None:
    voter = follower()
    asks = EndQuorumEpochRequest(leader_id=103, epoch=2, preferred_candidates=(101,))
    assert voter.hear(103, asks) == ["send EndQuorumEpochResponse to 103"]
    assert as_kind(EndQuorumEpochResponse, said(voter)).error == ErrorCode.FENCED_LEADER_EPOCH


def test_an_observer_waits_for_no_turn_when_its_leader_resigns() -> None:
    observer = OneVoter((102, 103)).started()
    told = observer.hear(102, EndQuorumEpochRequest(leader_id=102, epoch=3, preferred_candidates=(103,)))
    assert [timer.name for timer in those(SetTimer, observer.effects)] == ["quorum.fetch_retry"]
    assert told[-1] == "send EndQuorumEpochResponse to 102"


def test_an_answer_without_records_is_a_sign_of_life_and_the_next_fetch_goes_out() -> None:
    voter = follower()
    voter.fetched()
    assert voter.fetched() == ["set quorum.fetch 2000", *FETCHES]


def test_records_are_told_written_and_flushed_before_anything_is_asked_again() -> None:
    voter = follower()
    assert voter.fetched(records=batch(0, 2), high_watermark=1) == [
        "set quorum.fetch 2000", "tell MetadataAppended", "append", "tell MetadataHighWatermarkAdvanced",
        "cancel quorum.fetch_retry", "flush",
    ]  # fmt: skip
    assert voter.fire("quorum.fetch_retry") == ["cancel quorum.fetch_retry"], (
        "a fetch would acknowledge what is not on disk"
    )
    assert voter.flush() == FETCHES
    assert voter.flush() == [], "one fetch is on its way"


def test_what_a_follower_tells_of_its_batches_is_where_they_begin_and_end() -> None:
    voter = follower()
    voter.fetched(records=batch(0, 2) + batch(2, 3))
    (appended,) = those(MetadataAppended, [emit.event for emit in those(Emit, voter.effects)])
    assert (appended.base_offset, appended.end_offset, appended.epochs) == (0, 5, ((3, 0), (3, 2)))
    assert voter.quorum.high_watermark == 0


def test_the_high_watermark_is_told_when_it_rises_and_not_again() -> None:
    voter = follower()
    voter.fetched(records=batch(), high_watermark=0)
    voter.flush()
    assert voter.fetched(high_watermark=1) == ["set quorum.fetch 2000", "tell MetadataHighWatermarkAdvanced", *FETCHES]
    assert voter.fetched(high_watermark=1) == ["set quorum.fetch 2000", *FETCHES]


@pytest.mark.parametrize(("sender", "error"), [(102, ErrorCode.UNKNOWN_SERVER_ERROR), (103, ErrorCode.NONE)])
def test_an_answer_with_an_error_or_of_somebody_else_is_no_sign_of_life_and_the_fetch_is_tried_later(
    sender: int, error: ErrorCode
) -> None:
    voter = follower()
    assert voter.fetched(sender, error=error) == ["set quorum.fetch_retry 20"]
    assert voter.fetched() == [], "that fetch is over"
    assert voter.fire("quorum.fetch_retry") == FETCHES


def test_damaged_records_are_asked_for_again_and_not_written() -> None:
    voter = follower()
    assert voter.fetched(records=batch()[:-1] + b"x") == ["set quorum.fetch 2000", "set quorum.fetch_retry 20"]
    assert voter.fetched(records=batch()) == [], "that fetch is over"
    assert voter.log.log_end_offset == 0


def test_an_answer_of_an_older_epoch_to_the_fetch_that_waits_is_dropped() -> None:
    voter = follower()
    assert voter.fetched(leader_epoch=2, leader_id=103) == []


def test_an_answer_that_names_a_newer_epoch_is_followed_and_nothing_of_it_is_written() -> None:
    voter = follower()
    assert voter.fetched(leader_epoch=5, leader_id=103, records=batch()) == [
        "persist epoch 5 leader 103 vote -1", *FOLLOWS_ANEW, "set quorum.fetch 2000", "send FetchRequest to 103",
        "set quorum.fetch_retry 2000",
    ]  # fmt: skip


def test_a_newer_epoch_without_a_leader_makes_a_voter_wait_for_an_election() -> None:
    voter = follower()
    assert voter.fetched(leader_epoch=5, leader_id=-1) == [
        "persist epoch 5 leader -1 vote -1", "tell RoleChanged", *OTHERS_CANCELLED, "set quorum.election 1000 to 2000",
    ]  # fmt: skip


def test_who_asks_for_votes_takes_no_answer_to_a_fetch_of_before() -> None:
    voter = follower()
    voter.fire("quorum.fetch")
    assert voter.quorum.role is Role.CANDIDATE
    assert voter.fetched(leader_epoch=4, leader_id=102, records=batch()) == []


def test_where_the_logs_part_the_own_one_is_cut_told_and_flushed_and_that_fetch_is_over() -> None:
    voter = follower()
    voter.fetched(records=batch(0, 2))
    voter.flush()
    told = voter.fetched(diverging=EpochEnd(3, 0))
    assert told == ["set quorum.fetch 2000", "tell MetadataTruncated", "cut to 0", "flush"]
    assert voter.fetched() == []
    assert voter.flush() == FETCHES


def test_a_batch_that_does_not_join_the_log_ends_the_node() -> None:
    assert follower().fetched(records=batch(1)) == ["halt"]
