"""What an administrator is told of a group of the newer protocol."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.messages import ConsumerGroupDescribeRequest
from tests.support.worlds.group_world import Person, stable, world_of
from tests.support.worlds.newcomer import ORDERS, Newcomer


def test_members_are_described_with_what_they_have_and_what_they_are_to_have() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b", instance_id="shelf")
    first.join(rack_id="r1")
    second.join()
    told = world.ask(ConsumerGroupDescribeRequest(groups=("g",)))
    assert told.groups == ((0, "g", "Reconciling", 2, 2, "uniform"),)
    assert told.members == (
        ("g", "a", "", "r1", 1, "app", "", ("orders",), ""),
        ("g", "b", "shelf", "", 2, "app", "", ("orders",), ""),
    )
    assert told.current == tuple(("g", "a", ORDERS, "orders", index) for index in range(10))
    assert len([row for row in told.target if row[1] == "a"]) == 5


def test_a_classic_group_is_none_that_could_be_described_so() -> None:
    world = world_of()
    stable(world, Person(world, "old"))
    told = world.ask(ConsumerGroupDescribeRequest(groups=("g", "nowhere")))
    missing = int(ErrorCode.GROUP_ID_NOT_FOUND)
    assert told.groups == ((missing, "g", "", 0, 0, ""), (missing, "nowhere", "", 0, 0, ""))
