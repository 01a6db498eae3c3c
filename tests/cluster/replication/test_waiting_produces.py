"""When producers that wait are answered: acks=all, 1 and 0."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.effects import Effect, Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceAnswered
from cluster.model.identifiers import EDGE_ID
from tests.support.worlds.leader_world import CLIENT, Leader, answers, high_watermarks


def test_acks_all_waits_for_the_last_record_of_its_request() -> None:
    leader = Leader(flushes=False)
    assert answers(leader.produce("a", "b")) == []
    most = leader.fetched(1)
    assert (high_watermarks(most), answers(most)) == ([1], []), "one of its two records is not committed"
    whole = leader.fetched(2)
    assert (high_watermarks(whole), answers(whole)) == ([2], [ErrorCode.NONE])


def told_answers(effects: list[Effect]) -> list[tuple[str, int, int, int]]:
    """(client, acks, base offset, number of records) of each event that tells of answers."""
    told = [effect.event for effect in effects if isinstance(effect, Emit)]
    return [
        (event.client_id, event.acks, event.base_offset, event.count)
        for event in told
        if isinstance(event, ProduceAnswered)
    ]


def test_one_event_tells_of_requests_of_one_client_that_lie_side_by_side() -> None:
    leader = Leader(flushes=False)
    leader.produce("a", "b")
    leader.produce("c")
    effects = leader.fetched(3)
    assert told_answers(effects) == [("p", -1, 0, 3)]
    assert answers(effects) == [ErrorCode.NONE, ErrorCode.NONE]


@pytest.mark.parametrize("other", [{"client": "q"}, {"sender": CLIENT + 1}])
def test_requests_of_two_clients_are_told_each_for_itself(other: dict[str, Any]) -> None:
    leader = Leader(flushes=False)
    leader.produce("a")
    leader.produce("b", **other)
    leader.produce("c", **other)
    name = str(other.get("client", "p"))
    assert told_answers(leader.fetched(3)) == [("p", -1, 0, 1), (name, -1, 1, 2)]


def test_requests_with_others_between_them_are_told_each_for_itself() -> None:
    leader = Leader(flushes=False)
    leader.produce("a")
    leader.produce("b", acks=1, client="q")
    leader.produce("c")
    assert told_answers(leader.fetched(3)) == [("p", -1, 0, 1), ("p", -1, 2, 1)]


def test_acks_1_waits_for_the_own_disk_where_partitions_are_flushed_and_for_no_follower() -> None:
    leader = Leader(flushes=True)
    assert answers(leader.produce("a", acks=1)) == []
    assert answers(leader.flushed()) == [ErrorCode.NONE]
    leader.fetched(1)
    assert answers(leader.produce("b")) == []
    assert answers(leader.flushed()) == [], "acks=all waits for the follower, too"


@pytest.mark.parametrize(("sender", "is_answered"), [(EDGE_ID + 1, False), (EDGE_ID, True)])
def test_acks_0_is_answered_to_the_own_edge_only(sender: int, is_answered: bool) -> None:
    assert answers(Leader(flushes=False).produce("a", acks=0, sender=sender)) == [ErrorCode.NONE] * is_answered
