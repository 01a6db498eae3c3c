"""Which replica a consumer reads from."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE
from cluster.replication.rules.read_replica import ReadReplica, select_read_replica


def follower(node: int, rack: str = "r2", *, start: int = 0, end: int = 10, ms_ago: int = 0) -> ReadReplica:
    return ReadReplica(node, rack, start, end, ms_ago)


def chosen(*followers: ReadReplica, rack: str = "r2", offset: int = 5) -> int:
    return select_read_replica(rack, "r1", followers, offset).value


def test_a_consumer_reads_in_its_own_rack() -> None:
    ruling = select_read_replica("r3", "r1", [follower(2), follower(3, "r3")], 5)
    assert (ruling.value, ruling.granted) == (3, True)
    assert ruling.numbers == {"rack": "r3", "leader_rack": "r1", "fetch_offset": 5, "its_log_end_offset": 10}


def test_the_leader_is_read_from_when_it_stands_there_or_nobody_else_does_or_no_rack_is_named() -> None:
    assert chosen(follower(2, "r1"), rack="r1") == NO_NODE
    assert chosen(follower(2), rack="r9") == NO_NODE
    assert chosen(follower(2, ""), rack="") == NO_NODE
    assert select_read_replica("r1", "r1", [], 5).reason == "the leader stands in the consumer's rack"
    assert select_read_replica("", "r1", [], 5).reason == "the consumer names no rack"


def test_a_follower_that_does_not_reach_the_offset_or_has_deleted_it_is_passed_over() -> None:
    assert chosen(follower(2, end=4)) == NO_NODE
    assert chosen(follower(2, start=6)) == NO_NODE
    assert chosen(follower(2, start=5, end=5)) == 2, "where it ends the next record will come"


def test_of_several_the_one_with_the_most_then_the_latest_then_the_largest_number() -> None:
    assert chosen(follower(2, end=9), follower(3, end=10), follower(4, end=8)) == 3
    assert chosen(follower(2, ms_ago=5), follower(3, ms_ago=40)) == 2
    assert chosen(follower(2), follower(3)) == 3
