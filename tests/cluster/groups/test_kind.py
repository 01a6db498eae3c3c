"""A group is of one protocol at a time."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupStateChanged
from cluster.model.messages import (
    DeleteGroupsRequest,
    DescribeGroupsRequest,
    ListGroupsRequest,
)
from tests.support.worlds.group_world import Person, committed, stable, world_of
from tests.support.worlds.newcomer import Newcomer


def test_members_of_one_kind_are_refused_by_a_group_of_the_other() -> None:
    world = world_of()
    stable(world, Person(world, "old"))
    assert Newcomer(world, "a").join() == ErrorCode.GROUP_ID_NOT_FOUND
    assert Newcomer(world, "b", group="new").join() == ErrorCode.NONE
    refused = Person(world, "old", group="new").ask_to_join()
    assert refused is not None and refused.error == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    stray = Person(world, "old", group="new")
    stray.member_id, stray.generation = "b", 1
    assert stray.heartbeat() == ErrorCode.UNKNOWN_MEMBER_ID
    assert stray.leave() == ErrorCode.UNKNOWN_MEMBER_ID
    synced = stray.sync()
    assert synced is not None and synced.error == ErrorCode.UNKNOWN_MEMBER_ID


def test_an_empty_classic_group_begins_anew_and_keeps_its_offsets() -> None:
    world = world_of()
    old = Person(world, "old")
    stable(world, old)
    old.commit(0, 7)
    old.leave()
    assert world.group().state is GroupState.EMPTY
    new = Newcomer(world, "a")
    assert new.join() == ErrorCode.NONE and new.epoch == 1
    assert committed(world, 0) == 7
    assert "Dead" in [event.state for event in world.told(GroupStateChanged)]
    world.start()
    world.lead(1)
    assert world.group().consumer is not None and committed(world, 0) == 7


def test_an_empty_group_of_the_newer_protocol_becomes_a_classic_one_and_keeps_its_offsets() -> None:
    world = world_of()
    new = Newcomer(world, "a")
    new.join()
    new.commit(0, 7)
    new.leave()
    old = Person(world, "old")
    stable(world, old)
    assert world.group().consumer is None and committed(world, 0) == 7
    world.start()
    world.lead(1)
    assert world.group().consumer is None and committed(world, 0) == 7
    assert list(world.group().members) == [old.member_id]


def test_a_classic_member_that_comes_while_the_last_newcomer_leaves_waits() -> None:
    world = world_of()
    new = Newcomer(world, "a")
    new.join()
    world.commits = False
    world.send_heartbeat("a", -1)
    old = Person(world, "old")
    assert old.ask_to_join() is None
    world.commits = True
    world.commit_all()
    told = old.joined()
    assert told is not None and told.error == ErrorCode.MEMBER_ID_REQUIRED


def test_an_empty_group_is_deleted_with_all_its_records() -> None:
    world = world_of()
    new = Newcomer(world, "a")
    new.join()
    new.commit(0, 7)
    assert world.ask(DeleteGroupsRequest(groups=("g",))).groups == (("g", ErrorCode.NON_EMPTY_GROUP),)
    new.leave()
    assert world.ask(DeleteGroupsRequest(groups=("g",))).groups == (("g", ErrorCode.NONE),)
    world.start()
    world.lead(1)
    assert world.coordinator.group("g") is None


def test_offsets_of_subscribed_topics_do_not_expire_and_an_empty_group_is_forgotten() -> None:
    world = world_of(offsets_retention_ms=1_000_000, consumer_group_session_timeout_ms=10**9)
    new = Newcomer(world, "a")
    new.join()
    new.commit(0, 7)
    world.pass_ms(3_000_000)
    assert committed(world, 0) == 7
    new.leave()
    world.pass_ms(600_000)
    assert world.coordinator.group("g") is None


def test_lists_name_the_kind_and_the_older_description_knows_no_newcomers() -> None:
    world = world_of()
    stable(world, Person(world, "old"))
    Newcomer(world, "a", group="new").join()
    listed = world.ask(ListGroupsRequest()).groups
    assert listed == (("g", "consumer", "Stable", "classic"), ("new", "consumer", "Stable", "consumer"))
    assert [row[0] for row in world.ask(ListGroupsRequest(types=("consumer",))).groups] == ["new"]
    described = world.ask(DescribeGroupsRequest(groups=("new",)))
    assert described.groups == ((0, "new", "Dead", "", ""),) and described.members == ()
