"""Committed offsets: only what is committed is told; who may; how long they stay."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import OffsetCommitRefused, OffsetsCommitted, OffsetsForgotten
from cluster.model.messages import OffsetDeleteRequest, OffsetFetchRequest
from tests.support.worlds.group_world import GroupWorld, Person, committed, one, stable


def test_a_committed_offset_is_told_once_its_replicas_have_it() -> None:
    world, a = one()
    world.commits = False
    assert a.commit(0, 7) is None
    assert committed(world, 0) == -1
    world.commit_all()
    assert committed(world, 0) == 7
    (told,) = world.told(OffsetsCommitted)
    assert told.offsets == (("orders", 0, 7),) and told.generation == 1


def test_a_commit_that_takes_too_long_is_refused_and_may_still_count() -> None:
    world, a = one()
    world.commits = False
    asked = world.counter + 1
    a.commit(0, 7)
    world.pass_ms(5_000)
    assert world.answers[asked].error == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.told(OffsetCommitRefused)
    world.commit_all()
    assert committed(world, 0) == 7


def test_too_few_replicas_are_told_as_no_coordinator() -> None:
    world, a = one()
    world.refuses = ErrorCode.NOT_ENOUGH_REPLICAS
    response = a.commit(0, 7)
    assert response and response.error == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert committed(world, 0) == -1


def test_a_stale_generation_changes_nothing() -> None:
    world, a = one()
    a.commit(0, 7)
    for changes, error in (
        ({"generation": 0}, ErrorCode.ILLEGAL_GENERATION),
        ({"member_id": "somebody"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"group": "other"}, ErrorCode.ILLEGAL_GENERATION),
    ):
        response = a.commit(0, 9, **changes)
        assert response and response.error == error
    assert committed(world, 0) == 7
    assert len(world.told(OffsetCommitRefused)) == 3


def test_a_consumer_of_no_group_stores_offsets_under_a_name() -> None:
    world = GroupWorld()
    world.lead()
    response = Person(world, "simple").commit(3, 12)
    assert response and response.partitions == (("orders", 3, ErrorCode.NONE),)
    assert committed(world, 3) == 12
    assert world.group().state is GroupState.EMPTY


def test_each_partition_has_its_own_error() -> None:
    world, a = one()
    response = a.commit(
        0, 0, offsets=(("orders", 0, 4, -1, ""), ("orders", 99, 4, -1, ""), ("orders", 1, 4, -1, "x" * 4097))
    )
    assert response and [error for _, _, error in response.partitions] == [
        ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.OFFSET_METADATA_TOO_LARGE,
    ]  # fmt: skip
    assert (committed(world, 0), committed(world, 1)) == (4, -1)


def test_all_offsets_of_a_group_are_told_when_none_is_named() -> None:
    world, a = one()
    a.commit(1, 5)
    a.commit(0, 4)
    response = world.ask(OffsetFetchRequest(group="g"))
    assert [item[:3] for item in response.offsets] == [("orders", 0, 4), ("orders", 1, 5)]


def test_offsets_go_when_the_group_was_empty_for_the_retention_and_then_the_group_goes() -> None:
    world = GroupWorld(offsets_retention_ms=50_000, offsets_retention_check_interval_ms=10_000)
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    a.commit(0, 7)
    for _ in range(20):
        world.pass_ms(5_000)
        a.heartbeat()
    assert committed(world, 0) == 7, "a member subscribes"
    a.leave()
    world.pass_ms(40_000)
    assert committed(world, 0) == 7
    world.pass_ms(20_000)
    assert world.coordinator.group("g") is None
    assert [event.why for event in world.told(OffsetsForgotten)] == ["expired"]
    assert committed(world, 0) == -1


def test_offsets_of_a_deleted_topic_are_forgotten_for_good() -> None:
    world, a = one()
    a.commit(0, 7)
    world.forget_topics("orders")
    assert committed(world, 0) == -1
    assert [(event.why, event.partitions) for event in world.told(OffsetsForgotten)] == [
        ("topic deleted", (("orders", 0),))
    ]
    world.start()
    world.lead(leader_epoch=1)
    assert committed(world, 0) == -1


def test_offsets_of_partitions_that_the_cluster_does_not_have_cannot_be_deleted() -> None:
    world, a = one()
    a.commit(0, 7)
    a.leave()
    asked = ("nothing", 0), ("orders", 10), ("orders", 0)
    response = world.ask(OffsetDeleteRequest(group="g", partitions=asked))
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert response.partitions == (("nothing", 0, unknown), ("orders", 10, unknown), ("orders", 0, ErrorCode.NONE))


def test_offsets_of_topics_that_members_want_are_not_deleted() -> None:
    world, a = one()
    a.commit(0, 7)
    response = world.ask(OffsetDeleteRequest(group="g", partitions=(("orders", 0),)))
    assert response.partitions == (("orders", 0, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC),)
    a.leave()
    response = world.ask(OffsetDeleteRequest(group="g", partitions=(("orders", 0), ("orders", 5))))
    assert [error for _, _, error in response.partitions] == [ErrorCode.NONE, ErrorCode.NONE]
    assert committed(world, 0) == -1
    assert world.ask(OffsetDeleteRequest(group="x", partitions=())).error == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_commit_of_which_nothing_is_kept_is_a_sign_of_life_too() -> None:
    world, a = one()
    world.pass_ms(a.session_timeout_ms - 10)
    answer = a.commit(99, 7)
    assert answer is not None and answer.partitions[0][2] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    world.pass_ms(a.session_timeout_ms - 10)
    assert a.heartbeat() == ErrorCode.NONE
