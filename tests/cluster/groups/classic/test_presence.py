"""Heartbeats, leaving, silence."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupMemberLeft
from cluster.model.messages import LeaveGroupRequest
from tests.support.worlds.group_world import GroupWorld, Person, stable


def two() -> tuple[GroupWorld, Person, Person]:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a, b)
    return world, a, b


def test_a_heartbeat_hears_that_members_join_again() -> None:
    world, a, _ = two()
    assert a.heartbeat() == ErrorCode.NONE
    Person(world, "c").join()
    assert a.heartbeat() == ErrorCode.REBALANCE_IN_PROGRESS


def test_a_heartbeat_of_a_stranger_or_of_another_generation_is_refused() -> None:
    _, a, _ = two()
    assert a.heartbeat(generation=0) == ErrorCode.ILLEGAL_GENERATION
    assert a.heartbeat(member_id="somebody") == ErrorCode.UNKNOWN_MEMBER_ID
    assert a.heartbeat(group="other") == ErrorCode.UNKNOWN_MEMBER_ID


def test_who_is_silent_for_its_session_is_out_and_who_is_not_stays() -> None:
    world, a, b = two()
    for _ in range(3):
        world.pass_ms(3_000)
        a.heartbeat()
    assert world.group().state is GroupState.STABLE
    world.pass_ms(1_000)
    (left,) = world.told(GroupMemberLeft)
    assert (left.member_id, left.why, left.silent_ms) == (b.member_id, "session_expired", 10_000)
    assert a.heartbeat() == ErrorCode.REBALANCE_IN_PROGRESS
    assert b.heartbeat() == ErrorCode.UNKNOWN_MEMBER_ID


def test_who_leaves_is_out_at_once_and_the_others_share_anew() -> None:
    world, a, b = two()
    assert b.leave() == ErrorCode.NONE
    assert world.group().state is GroupState.PREPARING
    response = a.join()
    assert response and response.generation == 2 and len(response.members) == 1


def test_the_last_to_leave_empties_the_group_and_its_generation_goes_on() -> None:
    world, a, b = two()
    a.leave()
    b.leave()
    assert world.group().state is GroupState.EMPTY
    generation = world.group().generation
    c = Person(world, "c")
    c.join()
    world.pass_ms(6_000)
    c.joined()
    assert c.generation == generation + 1


def test_leaving_twice_is_refused() -> None:
    _, _, b = two()
    b.leave()
    assert b.leave() == ErrorCode.UNKNOWN_MEMBER_ID


def test_an_administrator_takes_static_members_out_by_their_instance_ids() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b", instance_id="shelf-1")
    stable(world, a, b)
    response = world.ask(LeaveGroupRequest(group="g", members=(("", "shelf-1"), ("", "shelf-2"))))
    assert [error for _, _, error in response.members] == [ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID]
    assert list(world.group().members) == [a.member_id]


def test_who_waits_for_the_next_generation_is_not_silent() -> None:
    world, a, b = two()
    a.join()
    assert world.group().state is GroupState.PREPARING
    for _ in range(6):
        world.pass_ms(3_000)
        b.heartbeat()
    assert a.member_id in world.group().members
