"""What a leader asks for when it wins, while it leads, and when it resigns: whole lists, in order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.effects import Send
from cluster.model.identifiers import METADATA
from cluster.model.inputs import NodeStarted, StopRequested
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    FetchRequest,
)
from cluster.model.metadata_records import NoOpRecord
from cluster.raft.roles import Role
from tests.support.kinds import those
from tests.support.worlds.one_voter import OTHERS_CANCELLED, OneVoter

ANNOUNCES = ["send BeginQuorumEpochRequest to 102", "send BeginQuorumEpochRequest to 103"]
RESIGNS = [
    "tell RoleChanged", *OTHERS_CANCELLED, "set quorum.election 1000 to 2000",
    "send EndQuorumEpochRequest to 102", "send EndQuorumEpochRequest to 103",
]  # fmt: skip
WRITES = [
    "cancel quorum.election",
    "cancel quorum.fetch",
    "tell LeaderElected",
    "tell MetadataAppended",
    "append",
    "flush",
]


def fetch(replica: int, offset: int = 0) -> FetchRequest:
    return FetchRequest(
        replica_id=replica, topic=METADATA.topic, partition=0, current_leader_epoch=1, fetch_offset=offset,
        last_fetched_epoch=1 if offset else 0, max_wait_ms=500,
    )  # fmt: skip


def leader() -> OneVoter:
    """In epoch 1, of three."""
    return OneVoter().started().lead()


def test_who_wins_writes_the_first_record_of_its_epoch_before_it_tells_the_others() -> None:
    voter = OneVoter().started()
    voter.fire("quorum.election")
    assert voter.voted(102) == [
        "tell VoteReceived", "cancel quorum.retry", "persist epoch 1 leader 101 vote 101", "tell RoleChanged",
        *WRITES, *ANNOUNCES, "set quorum.check 3000", "set quorum.begin 1000",
    ]  # fmt: skip


def test_the_only_voter_leads_at_once_tells_nobody_and_waits_for_nobody() -> None:
    told = OneVoter((101,)).give(NodeStarted())
    assert [line for line in told if line.startswith("send")] == []
    assert told[-len(WRITES) :] == WRITES


def test_a_leader_announces_itself_again_to_who_has_not_fetched_since() -> None:
    voter = leader()
    voter.flush()
    voter.hear(102, fetch(102))
    assert voter.fire("quorum.begin") == ["send BeginQuorumEpochRequest to 103", "set quorum.begin 1000"]
    assert voter.fire("quorum.begin") == [*ANNOUNCES, "set quorum.begin 1000"], "both have been silent since"


def test_a_leader_that_no_majority_fetches_from_resigns_and_asks_the_others_to_elect() -> None:
    assert leader().fire("quorum.check") == RESIGNS


def test_a_leader_that_one_of_two_others_fetches_from_goes_on() -> None:
    voter = leader()
    voter.flush()
    assert "set quorum.check 3000" in voter.hear(102, fetch(102))
    assert voter.quorum.role is Role.LEADER


def test_the_others_are_to_be_heirs_by_what_they_have() -> None:
    voter = leader()
    voter.flush()
    voter.hear(103, fetch(103, 1))
    voter.fire("quorum.check")
    ends = those(EndQuorumEpochRequest, [send.message for send in those(Send, voter.effects)])
    assert {end.preferred_candidates for end in ends} == {(103, 102)}


@pytest.mark.parametrize("timer", ["quorum.check", "quorum.begin"])
def test_timers_of_a_leader_mean_nothing_to_who_has_resigned(timer: str) -> None:
    voter = leader()
    voter.fire("quorum.check")
    assert voter.fire(timer) == []


def test_who_resigned_goes_into_the_next_epoch_without_a_leader() -> None:
    voter = leader()
    voter.fire("quorum.check")
    assert voter.fire("quorum.election") == [
        "persist epoch 2 leader -1 vote -1", "tell RoleChanged", *OTHERS_CANCELLED, "set quorum.election 1000 to 2000",
    ]  # fmt: skip


@pytest.mark.parametrize(("epoch", "named"), [(0, -1), (0, 103), (1, -1), (1, 103)])
def test_an_answer_of_no_newer_epoch_needs_nothing(epoch: int, named: int) -> None:
    assert leader().hear(102, BeginQuorumEpochResponse(epoch=epoch, leader_id=named)) == []


def test_an_answer_of_a_newer_epoch_ends_the_leadership() -> None:
    voter = leader()
    assert voter.hear(102, BeginQuorumEpochResponse(epoch=2, leader_id=-1))[0] == "persist epoch 2 leader -1 vote -1"
    assert voter.quorum.role is Role.UNATTACHED


def test_a_fetch_that_waits_is_answered_once_what_it_asks_for_is_written() -> None:
    voter = leader()
    voter.flush()
    assert "send FetchResponse to 102" in voter.hear(102, fetch(102))
    assert voter.hear(103, fetch(103, 1))[-1] == "send FetchResponse to 103", "it has yet to hear of the high watermark"
    parked = replace(fetch(103, 1), high_watermark=1)
    assert voter.hear(103, parked)[-1] == "set quorum.parked.103 500"
    assert voter.write(NoOpRecord()) == ["tell MetadataAppended", "append", "flush"]
    assert "send FetchResponse to 103" in voter.flush()


def test_who_resigns_tells_those_whose_fetches_wait() -> None:
    voter = leader()
    voter.flush()
    voter.hear(103, fetch(103, 1))
    voter.hear(103, replace(fetch(103, 1), high_watermark=1))
    told, answered, *rest = voter.fire("quorum.check")
    assert (told, answered) == ("tell RoleChanged", "send FetchResponse to 103")
    assert sorted(rest) == sorted(RESIGNS[1:])


def test_a_leader_that_is_stopped_resigns_first_and_another_node_leaves_at_once() -> None:
    assert "send EndQuorumEpochRequest to 102" in leader().give(StopRequested())
    follower = OneVoter().started()
    assert not [line for line in follower.give(StopRequested()) if line.startswith("send")]
    assert follower.quorum.is_stopped


def test_who_leads_a_second_time_knows_nothing_of_the_others_from_the_first() -> None:
    """Of five, 102 had what nobody else had, and 101 has lost it since: it may have been cut there, too."""
    voter = OneVoter((101, 102, 103, 104, 105)).started()

    def wins(epoch: int) -> None:
        voter.fire("quorum.election")
        for other in (102, 103):
            voter.voted(other, epoch=epoch)
        assert voter.quorum.role is Role.LEADER
        voter.flush()

    def fetches(replica: int, epoch: int, offset: int) -> bool:
        asked = replace(fetch(replica, offset), current_leader_epoch=epoch, last_fetched_epoch=epoch)
        return "tell MetadataHighWatermarkAdvanced" in voter.hear(replica, asked)

    wins(1)
    for _ in range(3):
        voter.write(NoOpRecord())
    voter.flush()
    assert not fetches(102, 1, 4)
    voter.hear(103, BeginQuorumEpochRequest(leader_id=103, epoch=2))
    voter.log.truncate(1)
    wins(3)
    assert not fetches(103, 3, 2), "two of five are no majority"
    assert fetches(102, 3, 2)
