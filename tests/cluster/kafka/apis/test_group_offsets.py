"""Offsets of groups in Kafka's bytes, in every version."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import group_offsets as offset_commit
from cluster.kafka.apis import group_offsets as offset_delete
from cluster.kafka.apis import group_offsets as offset_fetch
from cluster.kafka.apis.group_offsets import OFFSET_COMMIT, OFFSET_DELETE, OFFSET_FETCH
from cluster.model.errors import ErrorCode
from tests.support.clients.group_client import Call, ask
from tests.support.worlds.group_world import Person, committed, one


def commit_message(person: Person, **changes: object) -> offset_commit.OffsetCommitRequest:
    items = [
        offset_commit.OffsetCommitRequestPartition(0, 7, committed_metadata="here"),
        offset_commit.OffsetCommitRequestPartition(99, 7),
    ]
    message = offset_commit.OffsetCommitRequest(
        "g", person.generation, person.member_id, topics=[offset_commit.OffsetCommitRequestTopic("orders", items)]
    )
    for name, value in changes.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize("version", OFFSET_COMMIT.versions)
def test_a_commit_is_answered_partition_by_partition_once_it_is_safe(version: int) -> None:
    world, a = one()
    world.commits = False
    call = Call(world, OFFSET_COMMIT, version, commit_message(a))
    assert call.read() is None
    world.commit_all()
    (topic,) = call.read().topics
    assert [(item.partition_index, item.error_code) for item in topic.partitions] == [
        (0, ErrorCode.NONE), (99, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]  # fmt: skip
    assert committed(world, 0) == 7


def test_an_error_of_the_whole_commit_stands_at_each_partition() -> None:
    world, a = one()
    told = ask(world, OFFSET_COMMIT, 8, commit_message(a, generation_id_or_member_epoch=9))
    assert {item.error_code for item in told.topics[0].partitions} == {ErrorCode.ILLEGAL_GENERATION}


@pytest.mark.parametrize("version", OFFSET_FETCH.versions)
def test_committed_offsets_are_fetched(version: int) -> None:
    world, a = one()
    Call(world, OFFSET_COMMIT, 8, commit_message(a))
    if version < 8:
        asked = [offset_fetch.OffsetFetchRequestTopic("orders", [0, 1])]
        topics = ask(world, OFFSET_FETCH, version, offset_fetch.OffsetFetchRequest("g", asked)).topics
    else:
        wanted = [offset_fetch.OffsetFetchRequestTopic("orders", [0, 1])]
        groups = [offset_fetch.OffsetFetchRequestGroup(name, topics=wanted) for name in ("g", "nobody")]
        told = ask(world, OFFSET_FETCH, version, offset_fetch.OffsetFetchRequest(groups=groups)).groups
        assert [each.group_id for each in told] == ["g", "nobody"]
        assert [item.committed_offset for item in told[1].topics[0].partitions] == [-1, -1]
        topics = told[0].topics
    assert [(item.partition_index, item.committed_offset, item.metadata) for item in topics[0].partitions] == [
        (0, 7, "here"), (1, -1, ""),
    ]  # fmt: skip


@pytest.mark.parametrize("version", [2, 7, 8])
def test_no_topics_ask_for_all_offsets(version: int) -> None:
    world, a = one()
    Call(world, OFFSET_COMMIT, 8, commit_message(a))
    if version < 8:
        told = ask(world, OFFSET_FETCH, version, offset_fetch.OffsetFetchRequest("g", None))
        topics = told.topics
    else:
        groups = [offset_fetch.OffsetFetchRequestGroup("g", topics=None)]
        topics = ask(world, OFFSET_FETCH, 8, offset_fetch.OffsetFetchRequest(groups=groups)).groups[0].topics
    assert [item.committed_offset for item in topics[0].partitions] == [7]


@pytest.mark.parametrize("version", [1, 5, 9])
def test_a_broker_that_does_not_coordinate_says_so_where_the_version_has_room(version: int) -> None:
    world, _ = one()
    world.resign()
    if version < 8:
        asked = [offset_fetch.OffsetFetchRequestTopic("orders", [0])]
        told = ask(world, OFFSET_FETCH, version, offset_fetch.OffsetFetchRequest("g", asked))
        error = told.error_code if version >= 2 else told.topics[0].partitions[0].error_code
    else:
        groups = [offset_fetch.OffsetFetchRequestGroup("g", topics=None)]
        error = ask(world, OFFSET_FETCH, 9, offset_fetch.OffsetFetchRequest(groups=groups)).groups[0].error_code
    assert error == ErrorCode.NOT_COORDINATOR


def test_offsets_that_members_need_are_not_deleted() -> None:
    world, a = one()
    Call(world, OFFSET_COMMIT, 8, commit_message(a))
    topics = [offset_delete.OffsetDeleteRequestTopic("orders", [offset_delete.OffsetDeleteRequestPartition(0)])]
    told = ask(world, OFFSET_DELETE, 0, offset_delete.OffsetDeleteRequest("g", topics))
    assert told.topics[0].partitions[0].error_code == ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    told = ask(world, OFFSET_DELETE, 0, offset_delete.OffsetDeleteRequest("nobody", topics))
    assert told.error_code == ErrorCode.GROUP_ID_NOT_FOUND and told.topics == []
