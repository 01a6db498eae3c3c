"""Members of the newer protocol join, stay, leave and fall silent."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    ConsumerGroupTargeted,
    ConsumerMemberReconciled,
    GroupMemberJoined,
    GroupMemberLeft,
    GroupRequestRefused,
    GroupStateChanged,
)
from tests.support.worlds.group_world import committed, world_of
from tests.support.worlds.newcomer import HEARTBEAT_MS, ORDERS, Newcomer, pair, settle


def test_the_first_member_has_everything_with_its_first_heartbeat() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    assert member.join() == ErrorCode.NONE
    assert (member.epoch, member.partitions) == (1, list(range(10)))
    assert world.group().state is GroupState.STABLE
    assert [event.generation for event in world.told(GroupMemberJoined)] == [1]


def test_a_member_is_told_when_to_come_again() -> None:
    told = Newcomer(world_of(consumer_group_heartbeat_interval_ms=700), "a").say(
        rebalance_timeout_ms=1, topics=("orders",), owned=()
    )
    assert told.heartbeat_interval_ms == 700


def test_a_second_member_gets_its_share_only_when_the_first_has_given_it_up() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    first.join()
    second.join()
    assert (second.epoch, second.partitions) == (2, []), "everything is still the first one's"
    assert world.group().state is GroupState.RECONCILING
    first.beat()
    assert first.epoch == 1 and len(first.wanted) == 5, "it is asked to give up, and stays in its epoch"
    second.beat()
    assert second.partitions == []
    first.beat()
    assert first.epoch == 2 and len(first.partitions) == 5
    second.beat()
    assert len(second.partitions) == 5 and not set(first.partitions) & set(second.partitions)
    assert world.group().state is GroupState.STABLE


def test_the_assignment_is_told_only_when_it_has_changed_or_everything_is_told() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    member.join()
    assert member.say().assignment is None
    told = member.say(rebalance_timeout_ms=60_000, topics=("orders",), owned=())
    assert told.assignment is not None and len(told.assignment) == 10


def test_a_member_that_leaves_frees_what_it_had_at_once() -> None:
    world = world_of()
    first, second = pair(world)
    assert second.leave() == ErrorCode.NONE
    assert world.group().state is GroupState.ASSIGNING
    first.beat()
    assert (first.epoch, len(first.partitions)) == (3, 10)
    assert [(event.why, event.silent_ms) for event in world.told(GroupMemberLeft)] == [("left", 0)]


def test_a_member_that_is_silent_for_its_session_is_out() -> None:
    world = world_of(consumer_group_session_timeout_ms=9_000)
    first, second = pair(world)
    for _ in range(2):
        world.pass_ms(HEARTBEAT_MS)
        first.beat()
    (left,) = world.told(GroupMemberLeft)
    assert (left.member_id, left.why, left.silent_ms) == ("b", "session_expired", 9_000)
    assert len(first.partitions) == 10
    assert second.beat() == ErrorCode.UNKNOWN_MEMBER_ID
    assert second.join() == ErrorCode.NONE


def test_a_member_that_does_not_give_up_in_its_rebalance_timeout_is_out() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    first.join()
    second.join()
    for _ in range(12):
        first.say()
        second.beat()
        world.pass_ms(HEARTBEAT_MS)
    second.beat()
    assert [(event.member_id, event.why) for event in world.told(GroupMemberLeft)] == [("a", "rebalance_expired")]
    assert len(second.partitions) == 10


def test_a_member_that_gives_up_in_time_stays() -> None:
    world = world_of()
    first, second = pair(world)
    for _ in range(14):
        settle(first, second)
        world.pass_ms(HEARTBEAT_MS)
    assert world.told(GroupMemberLeft) == []


def test_an_epoch_that_is_not_the_members_is_fenced() -> None:
    world = world_of()
    first, _ = pair(world)
    assert first.beat(member_epoch=9) == ErrorCode.FENCED_MEMBER_EPOCH
    assert first.beat(member_epoch=1) == ErrorCode.FENCED_MEMBER_EPOCH, "it did not say what it owns"
    too_much = tuple((ORDERS, index) for index in range(10))
    assert first.beat(member_epoch=1, owned=too_much) == ErrorCode.FENCED_MEMBER_EPOCH
    assert first.join() == ErrorCode.NONE and first.epoch == 2


def test_the_epoch_before_is_taken_from_a_member_that_owns_no_more_than_it_may() -> None:
    world = world_of()
    first, _ = pair(world)
    assert world.group().consumer is not None
    owned = tuple(sorted(first.owned))
    assert first.beat(member_epoch=1, owned=owned) == ErrorCode.NONE and first.epoch == 2


def test_who_is_not_known_has_to_join() -> None:
    world = world_of()
    stranger = Newcomer(world, "x")
    stranger.epoch = 3
    assert stranger.beat() == ErrorCode.GROUP_ID_NOT_FOUND
    pair(world)
    assert stranger.beat() == ErrorCode.UNKNOWN_MEMBER_ID
    assert stranger.leave() == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_member_id_that_no_record_can_hold_is_refused() -> None:
    world = world_of()
    assert Newcomer(world, "m" * 40_000).join() == ErrorCode.INVALID_REQUEST
    assert Newcomer(world, "m" * 30_000).join() == ErrorCode.NONE


def test_a_full_group_takes_nobody_new() -> None:
    world = world_of(consumer_group_max_size=1)
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    assert first.join() == ErrorCode.NONE
    assert second.join() == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert first.beat() == ErrorCode.NONE


def test_a_static_member_that_left_for_a_while_gets_its_part_back_and_nobody_else_moves() -> None:
    world = world_of()
    first, second = Newcomer(world, "a"), Newcomer(world, "b", instance_id="shelf")
    first.join()
    second.join()
    settle(first, second)
    had = second.partitions
    assert second.leave(-2) == ErrorCode.NONE
    assert first.beat() == ErrorCode.NONE and len(first.partitions) == 5
    back = Newcomer(world, "b2", instance_id="shelf")
    assert back.join() == ErrorCode.NONE
    assert (back.epoch, back.partitions) == (2, had)
    assert [(event.member_id, event.why) for event in world.told(GroupMemberLeft)] == [("b", "replaced")]
    assert second.beat(member_epoch=2) == ErrorCode.FENCED_INSTANCE_ID


def test_an_instance_id_that_is_in_use_is_not_released() -> None:
    world = world_of()
    Newcomer(world, "a", instance_id="shelf").join()
    assert Newcomer(world, "b", instance_id="shelf").join() == ErrorCode.UNRELEASED_INSTANCE_ID


def test_a_static_member_that_does_not_come_back_is_out_after_its_session() -> None:
    world = world_of()
    member = Newcomer(world, "a", instance_id="shelf")
    member.join()
    member.leave(-2)
    world.pass_ms(45_000)
    assert [event.why for event in world.told(GroupMemberLeft)] == ["session_expired"]
    assert world.group().state is GroupState.EMPTY


def test_a_static_member_that_leaves_for_good_is_out() -> None:
    world = world_of()
    member = Newcomer(world, "a", instance_id="shelf")
    member.join()
    assert member.leave() == ErrorCode.NONE
    assert world.group().state is GroupState.EMPTY


def test_another_subscription_brings_a_new_epoch() -> None:
    world = world_of()
    world.topics.counts["users"] = (8, 2)
    member = Newcomer(world, "a")
    member.join()
    assert member.beat(topics=("orders", "users")) == ErrorCode.NONE
    assert member.epoch == 2 and (8, 1) in member.owned


def test_partitions_that_are_added_are_assigned_with_the_next_heartbeat() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    member.join()
    world.topics.counts["orders"] = (ORDERS, 12)
    member.beat()
    assert (member.epoch, len(member.partitions)) == (2, 12)


def test_a_topic_that_is_made_anew_is_another_one() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    member.join()
    world.topics.counts["orders"] = (9, 2)
    member.beat()
    member.beat()
    assert member.owned == {(9, 0), (9, 1)}


def test_a_pattern_takes_in_topics_that_are_made_later() -> None:
    world = world_of()
    member = Newcomer(world, "a")
    member.topics = ()
    assert member.join(topics=None, pattern="^(orders|users).*") == ErrorCode.NONE
    assert (member.epoch, len(member.owned)) == (1, 10)
    world.topics.counts["users-eu"] = (8, 2)
    member.beat()
    assert (member.epoch, len(member.owned)) == (2, 12)
    world.start()
    world.lead(1)
    member.beat()
    assert member.epoch == 2, "the new coordinator knows the pattern"
    assert member.beat(pattern="", topics=("orders",)) == ErrorCode.NONE
    member.beat()
    assert (member.epoch, len(member.owned)) == (3, 10)


def test_offsets_of_topics_that_match_a_pattern_are_kept() -> None:
    world = world_of(offsets_retention_ms=1_000_000, consumer_group_session_timeout_ms=10**9)
    member = Newcomer(world, "a")
    member.join(topics=None, pattern="ord.*")
    member.commit(0, 7)
    world.pass_ms(3_000_000)
    assert committed(world, 0) == 7


def test_the_assignor_that_members_name_is_taken() -> None:
    world = world_of()
    first = Newcomer(world, "a")
    first.assignor = "range"
    first.join()
    second = Newcomer(world, "b")
    second.join()
    settle(first, second)
    assert {event.assignor for event in world.told(ConsumerGroupTargeted)} == {"range"}
    assert (first.partitions, second.partitions) == ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9])


def test_states_are_those_of_kafka() -> None:
    world = world_of()
    first, second = pair(world)
    first.leave()
    second.leave()
    states = [(event.before, event.state) for event in world.told(GroupStateChanged)]
    assert states == [
        ("Empty", "Stable"),
        ("Stable", "Reconciling"),
        ("Reconciling", "Stable"),
        ("Stable", "Assigning"),
        ("Assigning", "Empty"),
    ]


def test_offsets_are_committed_in_the_members_epoch_only() -> None:
    world = world_of()
    first, second = pair(world)
    assert first.commit(0, 5) == ErrorCode.NONE and committed(world, 0) == 5
    assert first.commit(0, 6, generation=1) == ErrorCode.STALE_MEMBER_EPOCH
    assert first.commit(0, 6, member_id="x") == ErrorCode.UNKNOWN_MEMBER_ID
    assert first.commit(0, 6, generation=-1, member_id="") == ErrorCode.UNKNOWN_MEMBER_ID
    assert first.commit(0, 6, knows_member_epochs=False) == ErrorCode.UNSUPPORTED_VERSION
    assert committed(world, 0) == 5
    first.leave()
    second.leave()
    assert first.commit(0, 6, generation=-1, member_id="") == ErrorCode.NONE, "an empty group takes them from outside"


def test_a_commit_that_comes_while_the_epoch_changes_is_judged_by_the_new_one() -> None:
    world = world_of()
    first, second = pair(world)
    assert first.beat(topics=()) == ErrorCode.NONE
    world.commits = False
    asked = world.send_heartbeat(first.member_id, first.epoch, owned=())
    commit = world.send_commit(first.member_id, first.epoch, 3)
    assert asked not in world.answers and commit not in world.answers
    world.commits = True
    world.commit_all()
    assert world.answers[asked].member_epoch == 3
    assert world.answers[commit].partitions[0][2] == ErrorCode.STALE_MEMBER_EPOCH
    del second


def test_offsets_are_read_in_the_members_epoch_only() -> None:
    world = world_of()
    first, _ = pair(world)
    assert first.fetch_error() == ErrorCode.NONE
    assert first.fetch_error(member_epoch=1) == ErrorCode.STALE_MEMBER_EPOCH
    assert first.fetch_error(member_id="x") == ErrorCode.UNKNOWN_MEMBER_ID
    assert first.fetch_error(member_id=None, member_epoch=-1) == ErrorCode.NONE


def test_each_step_of_a_member_is_told_once() -> None:
    world = world_of()
    first, second = pair(world)
    steps = [(event.member_id, event.member_epoch, event.state) for event in world.told(ConsumerMemberReconciled)]
    assert steps == [
        ("a", 1, "stable"),
        ("b", 2, "unreleased_partitions"),
        ("a", 1, "unrevoked_partitions"),
        ("a", 2, "stable"),
        ("b", 2, "stable"),
    ]
    del first, second


def test_a_refusal_tells_what_was_asked_and_of_which_group() -> None:
    world = world_of()
    stranger = Newcomer(world, "z")
    assert stranger.say(member_epoch=5).error == ErrorCode.GROUP_ID_NOT_FOUND
    Newcomer(world, "a").join()
    assert stranger.leave() == ErrorCode.UNKNOWN_MEMBER_ID
    assert stranger.leave(epoch=-2) == ErrorCode.INVALID_REQUEST
    assert stranger.join(owned=((ORDERS, 0),)) == ErrorCode.INVALID_REQUEST
    told = [
        (event.function, event.generation, event.group_generation, event.state)
        for event in world.told(GroupRequestRefused)
    ]
    assert told == [
        ("consumer heartbeat", 5, -1, ""),
        ("leave", -1, 1, "Stable"),
        ("leave", -2, 1, "Stable"),
        ("consumer heartbeat", 0, 1, "Stable"),
    ]
