"""What members of the newer protocol bring about is told once it is written, and outlives its coordinator."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import (
    ConsumerGroupLoaded,
    GroupMemberLeft,
)
from tests.support.worlds.group_world import world_of
from tests.support.worlds.newcomer import HEARTBEAT_MS, Newcomer, pair, settle


def test_nothing_is_told_before_it_is_committed_and_who_comes_meanwhile_waits() -> None:
    world = world_of()
    first, second = pair(world)
    world.commits = False
    asked = world.send_heartbeat(first.member_id, first.epoch, topics=())
    behind = world.send_heartbeat(second.member_id, second.epoch)
    assert asked not in world.answers and behind not in world.answers
    world.commits = True
    world.commit_all()
    assert world.answers[asked].error == ErrorCode.NONE
    assert world.answers[behind].error == ErrorCode.NONE


def test_a_change_that_the_offsets_topic_refuses_has_not_happened() -> None:
    world = world_of()
    first, _ = pair(world)
    before = world.group().consumer
    world.refuses = ErrorCode.NOT_ENOUGH_REPLICAS
    assert first.leave() == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.group().consumer == before
    world.refuses = ErrorCode.NONE
    assert first.leave() == ErrorCode.NONE


def test_a_silent_member_that_could_not_be_put_out_is_put_out_half_a_second_later() -> None:
    world = world_of()
    Newcomer(world, "a").join()
    world.refuses = ErrorCode.NOT_ENOUGH_REPLICAS
    world.pass_ms(45_000)
    world.refuses = ErrorCode.NONE
    world.pass_ms(499)
    assert world.told(GroupMemberLeft) == []
    world.pass_ms(1)
    assert [event.why for event in world.told(GroupMemberLeft)] == ["session_expired"]


def test_a_member_whose_first_try_was_not_written_is_watched_once_it_is_in() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    world.refuses = ErrorCode.NOT_ENOUGH_REPLICAS
    assert member.join() == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.pass_ms(50_000)
    world.refuses = ErrorCode.NONE
    assert member.join() == ErrorCode.NONE
    world.pass_ms(45_000)
    assert [event.why for event in world.told(GroupMemberLeft)] == ["session_expired"]


def test_the_first_member_of_a_group_that_dies_before_it_is_committed_is_out_once_it_is() -> None:
    world = world_of()
    world.commits = False
    world.send_heartbeat("a", 0, topics=("orders",), rebalance_timeout_ms=60_000, owned=())
    world.pass_ms(46_000)
    assert world.told(GroupMemberLeft) == []
    world.commits = True
    world.commit_all()
    assert [event.why for event in world.told(GroupMemberLeft)] == ["session_expired"]


def test_who_waits_is_sent_away_when_the_coordinator_resigns() -> None:
    world = world_of()
    first, second = pair(world)
    world.commits = False
    asked = world.send_heartbeat(first.member_id, first.epoch, topics=())
    behind = world.send_heartbeat(second.member_id, second.epoch)
    world.resign()
    assert world.answers[asked].error == world.answers[behind].error == ErrorCode.NOT_COORDINATOR


def test_a_new_coordinator_goes_on_where_the_old_one_was() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b", instance_id="shelf")
    first.join()
    second.join()
    first.beat()
    before = world.group().consumer
    world.start()
    world.lead(1)
    assert world.group().consumer == before
    (told,) = world.told(ConsumerGroupLoaded)
    assert (told.group_epoch, told.target_epoch) == (2, 2)
    assert told.members == (("a", "app", 1), ("b", "app", 2))
    assert len([row for row in told.held if row[0] == "a"]) == 10, "it has not said that it gave anything up"
    settle(first, second)
    assert len(first.partitions) == len(second.partitions) == 5


def test_a_new_coordinator_gives_a_session_and_a_rebalance_timeout_anew() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    first.join()
    second.join()
    first.beat()
    world.start()
    world.lead(1)
    for _ in range(11):
        world.pass_ms(HEARTBEAT_MS)
        first.say()
    assert ("b", "session_expired") in [(event.member_id, event.why) for event in world.told(GroupMemberLeft)]
    world.pass_ms(HEARTBEAT_MS)
    assert ("a", "rebalance_expired") in [(event.member_id, event.why) for event in world.told(GroupMemberLeft)]


def test_a_member_whose_first_join_was_refused_long_ago_has_a_session_when_it_comes_at_last() -> None:
    world = world_of(consumer_group_session_timeout_ms=9_000)
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    assert first.join() == ErrorCode.NONE
    world.refuses = ErrorCode.NOT_ENOUGH_REPLICAS
    assert second.join() == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.refuses = ErrorCode.NONE
    for _ in range(2):
        world.pass_ms(HEARTBEAT_MS)
        assert first.beat() == ErrorCode.NONE
    assert world.group().presence.keys() == {"a"}, "nobody waits for who is not in the group"
    assert second.join() == ErrorCode.NONE
    for _ in range(2):
        world.pass_ms(HEARTBEAT_MS)
        first.beat()
    assert [(event.member_id, event.why) for event in world.told(GroupMemberLeft)] == [("b", "session_expired")]
