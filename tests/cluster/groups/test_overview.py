"""Describe, list and delete groups."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.messages import DeleteGroupsRequest, DescribeGroupsRequest, ListGroupsRequest
from tests.support.worlds.group_world import GroupWorld, Person, committed, part, stable, subscription


def test_a_stable_group_is_described_with_parts_and_subscriptions() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    response = world.ask(DescribeGroupsRequest(groups=("g", "nobody")))
    assert response.groups == (
        (ErrorCode.NONE, "g", "Stable", "consumer", "range"), (ErrorCode.NONE, "nobody", "Dead", "", ""),
    )  # fmt: skip
    assert response.members == (("g", a.member_id, "", "a", "", subscription(), part(0)),)


def test_a_group_that_rebalances_is_described_without_parts() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    Person(world, "b").join()
    response = world.ask(DescribeGroupsRequest(groups=("g",)))
    assert response.groups[0][2:] == ("PreparingRebalance", "consumer", "")
    assert {item[5:] for item in response.members} == {(b"", b"")}


def test_groups_are_listed_by_state() -> None:
    world = GroupWorld()
    world.lead()
    stable(world, Person(world, "a"))
    Person(world, "simple", group="h").commit(0, 1)
    assert [item[0] for item in world.ask(ListGroupsRequest()).groups] == ["g", "h"]
    assert world.ask(ListGroupsRequest(states=("stable",))).groups == (("g", "consumer", "Stable", "classic"),)
    assert [item[0] for item in world.ask(ListGroupsRequest(types=("Classic",))).groups] == ["g", "h"]
    assert world.ask(ListGroupsRequest(types=("consumer",))).groups == ()


def test_only_empty_groups_are_deleted_and_the_answer_waits_for_the_replicas() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    simple = Person(world, "simple", group="h")
    simple.commit(0, 1)
    world.commits = False
    asked = world.send(DeleteGroupsRequest(groups=("g", "h", "nobody")))
    assert asked not in world.answers
    world.commit_all()
    answer = world.answers[asked]
    assert dict(answer.groups) == {
        "g": ErrorCode.NON_EMPTY_GROUP, "h": ErrorCode.NONE, "nobody": ErrorCode.GROUP_ID_NOT_FOUND,
    }  # fmt: skip
    assert committed(world, 0, "h") == -1
