"""The assignment is a committed record before anybody has a part."""

from __future__ import annotations

import pytest

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupAssigned, GroupMemberLeft
from tests.support.worlds.group_world import GroupWorld, Person, part, stable


def begun(*names: str) -> tuple[GroupWorld, list[Person]]:
    world = GroupWorld()
    world.lead()
    people = [Person(world, name) for name in names]
    for person in people:
        person.join()
    world.pass_ms(6_000)
    for person in people:
        person.joined()
    return world, people


def test_nobody_has_a_part_before_the_assignment_is_committed() -> None:
    world, (a, b) = begun("a", "b")
    world.commits = False
    b.sync()
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    assert a.synced() is None and b.synced() is None and world.told(GroupAssigned) == []
    world.commit_all()
    told_a, told_b = a.synced(), b.synced()
    assert told_a and told_b and (told_a.assignment, told_b.assignment) == (part(0), part(1))
    assigned = world.told(GroupAssigned)[0]
    assert assigned.assignments == ((a.member_id, "orders", 0), (b.member_id, "orders", 1))
    assert world.group().state is GroupState.STABLE


def test_a_member_that_the_leader_forgot_has_no_part() -> None:
    world, (a, b) = begun("a", "b")
    b.sync()
    a.sync({a.member_id: part(0)})
    told = b.synced()
    assert told and told.error == ErrorCode.NONE and told.assignment == b""


def test_who_comes_late_gets_its_part_at_once() -> None:
    world, (a, b) = begun("a", "b")
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    told = b.sync()
    assert told and told.assignment == part(1)


def test_a_request_that_comes_twice_is_answered_once_and_one_that_comes_anew_takes_its_place() -> None:
    world, (a, b) = begun("a", "b")
    b.sync()
    first, world.counter = world.counter, world.counter - 1
    b.sync()
    assert world.counter == first and b.synced() is None, "the network sent it twice"
    b.sync()
    assert world.answers[first].error == ErrorCode.REBALANCE_IN_PROGRESS
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    told = b.synced()
    assert told and told.assignment == part(1)


def test_who_never_asks_for_its_part_is_out_after_the_rebalance_timeout() -> None:
    world, (a, b) = begun("a", "b")
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    for _ in range(12):
        world.pass_ms(5_000)
        a.heartbeat()
        b.heartbeat()
    assert [(event.member_id, event.why) for event in world.told(GroupMemberLeft)] == [(b.member_id, "not_synced")]
    assert world.group().state is GroupState.PREPARING


@pytest.mark.parametrize("error", [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.REQUEST_TIMED_OUT])
def test_an_assignment_that_is_not_committed_is_nobodys(error: ErrorCode) -> None:
    world, (a, b) = begun("a", "b")
    b.sync()
    world.refuses = error
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    told = b.synced()
    assert told and told.error == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.group().state is GroupState.PREPARING


def test_an_assignment_that_takes_too_long_is_given_up() -> None:
    world, (a,) = begun("a")
    world.commits = False
    a.sync({a.member_id: part(0)})
    world.pass_ms(5_000)
    told = a.synced()
    assert told and told.error == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.commit_all()
    assert [event.generation for event in world.told(GroupAssigned)] == [1], "it is committed all the same"
    assert world.group().state is GroupState.PREPARING


def test_sync_is_refused_while_members_join_and_for_strangers() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    b.join()
    told = a.sync()
    assert told and told.error == ErrorCode.REBALANCE_IN_PROGRESS
    told = a.sync(generation=7)
    assert told and told.error == ErrorCode.ILLEGAL_GENERATION
    told = a.sync(member_id="somebody")
    assert told and told.error == ErrorCode.UNKNOWN_MEMBER_ID
    told = a.sync(protocol="sticky")
    assert told and told.error == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    told = a.sync(group="other")
    assert told and told.error == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_rebalance_sends_those_who_wait_for_a_part_back_to_join() -> None:
    world, (a, b) = begun("a", "b")
    b.sync()
    Person(world, "c").join()
    told = b.synced()
    assert told and told.error == ErrorCode.REBALANCE_IN_PROGRESS


def test_parts_that_are_committed_once_the_next_rebalance_has_begun_are_nobodys() -> None:
    world, (a, b) = begun("a", "b")
    world.commits = False
    b.sync()
    a.sync({a.member_id: part(0), b.member_id: part(1)})
    Person(world, "c").join()
    world.commit_all()
    assert world.group().state is GroupState.PREPARING
    assert {member.assignment for member in world.group().members.values()} == {b""}
