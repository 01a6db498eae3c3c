"""How a follower or an observer asks for records, and asks again."""

from __future__ import annotations

from cluster.model.inputs import Disconnected
from cluster.model.messages import BeginQuorumEpochRequest
from tests.support.worlds.one_voter import OneVoter


def asks(node: int) -> list[str]:
    return [f"send FetchRequest to {node}", "set quorum.fetch_retry 2000"]


def observer() -> OneVoter:
    """Of 102 in epoch 3; it asks 102."""
    node = OneVoter((102, 103)).started()
    node.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    return node


def test_an_observer_that_knows_no_leader_asks_one_voter_after_the_other() -> None:
    node = OneVoter((102, 103)).started()
    assert node.fire("quorum.fetch_retry") == asks(103)
    assert node.fire("quorum.fetch_retry") == asks(102)
    assert node.fire("quorum.fetch_retry") == asks(103)


def test_an_observer_whose_leader_is_silent_asks_another_and_then_its_leader_again() -> None:
    node = observer()
    first = node.fire("quorum.fetch_retry")
    assert first == asks(103)
    assert node.fire("quorum.fetch_retry") == asks(102)


def test_a_follower_asks_nobody_but_its_leader() -> None:
    voter = OneVoter().started()
    voter.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    assert voter.fire("quorum.fetch_retry") == asks(102)
    assert voter.fire("quorum.fetch_retry") == asks(102)


def test_a_connection_that_is_gone_loses_the_fetch_that_went_there_once() -> None:
    voter = OneVoter().started()
    voter.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    assert voter.give(Disconnected(peer=103)) == []
    assert voter.give(Disconnected(peer=102)) == ["set quorum.fetch_retry 20"]
    assert voter.give(Disconnected(peer=102)) == []
    assert voter.fetched() == [], "that fetch is over"
    assert voter.fire("quorum.fetch_retry") == asks(102)


def test_an_observer_that_lost_the_connection_to_its_leader_asks_another_after_the_back_off() -> None:
    node = observer()
    assert node.give(Disconnected(peer=102)) == ["set quorum.fetch_retry 20"]
    assert node.fire("quorum.fetch_retry") == asks(103)


def test_who_asks_for_votes_fetches_nothing() -> None:
    voter = OneVoter().started()
    voter.hear(102, BeginQuorumEpochRequest(leader_id=102, epoch=3))
    voter.fire("quorum.fetch")
    assert voter.give(Disconnected(peer=102)) == []
    assert voter.fire("quorum.fetch_retry") == []
