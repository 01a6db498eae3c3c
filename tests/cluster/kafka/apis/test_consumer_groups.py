"""Members of the newer protocol, as bytes of a client."""

from __future__ import annotations

from typing import Any

from cluster.kafka.apis import consumer_groups as describe_schema
from cluster.kafka.apis import consumer_groups as schema
from cluster.kafka.apis import group_offsets as commit_schema
from cluster.kafka.apis import group_offsets as fetch_schema
from cluster.kafka.apis.consumer_groups import CONSUMER_GROUP_DESCRIBE, CONSUMER_GROUP_HEARTBEAT
from cluster.kafka.apis.group_offsets import OFFSET_COMMIT, OFFSET_FETCH
from cluster.model.errors import ErrorCode
from cluster.model.uuids import topic_uuid
from tests.support.clients.group_client import ask
from tests.support.worlds.group_world import GroupWorld, Person, stable

ORDERS = topic_uuid(7)


def serving() -> GroupWorld:
    world = GroupWorld()
    world.lead()
    return world


def beat(world: GroupWorld, member_id: str, epoch: int, version: int = 1, **said: Any) -> Any:
    request = schema.ConsumerGroupHeartbeatRequest(
        **{"group_id": "g", "member_id": member_id, "member_epoch": epoch, "topic_partitions": None, **said}
    )
    return ask(world, CONSUMER_GROUP_HEARTBEAT, version, request)


def join(world: GroupWorld, member_id: str, version: int = 1, **said: Any) -> Any:
    first = {"rebalance_timeout_ms": 1_000, "subscribed_topic_names": ["orders"], "topic_partitions": []}
    return beat(world, member_id, 0, version, **(first | said))


def owns(*indexes: int) -> list[schema.TopicPartitions]:
    return [schema.TopicPartitions(ORDERS, list(indexes))]


def test_a_member_is_given_partitions_of_topic_ids() -> None:
    told = join(serving(), "a")
    assert (told.error_code, told.error_message, told.member_id, told.member_epoch) == (0, None, "a", 1)
    assert told.heartbeat_interval_ms == 5_000
    assert told.assignment.topic_partitions == owns(*range(10))


def test_a_heartbeat_names_its_group() -> None:
    told = join(serving(), "a", group_id="")
    assert (told.error_code, told.error_message) == (ErrorCode.INVALID_REQUEST, "it has no group id")


def test_a_heartbeat_that_changes_nothing_is_told_no_assignment() -> None:
    world = serving()
    join(world, "a")
    assert beat(world, "a", 1).assignment is None


def test_an_old_client_is_given_a_member_id() -> None:
    told = join(serving(), "", version=0)
    assert told.error_code == 0 and len(told.member_id) == 36
    assert join(serving(), "").error_code == ErrorCode.INVALID_REQUEST


def test_what_a_member_says_that_it_owns_is_heard() -> None:
    world = serving()
    join(world, "a")
    join(world, "b")
    kept = beat(world, "a", 1).assignment.topic_partitions[0].partitions
    assert len(kept) == 5
    stranger = schema.TopicPartitions(b"\x01" * 16, [0])
    assert beat(world, "a", 1, topic_partitions=[*owns(*kept), stranger]).member_epoch == 2
    assert len(beat(world, "b", 2).assignment.topic_partitions[0].partitions) == 5


def test_who_is_refused_is_told_why() -> None:
    world = serving()
    join(world, "a")
    assert beat(world, "a", 5).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    told = join(world, "b", server_assignor="sticky")
    assert told.error_code == ErrorCode.UNSUPPORTED_ASSIGNOR and "uniform, range" in told.error_message
    stable(world, Person(world, "old", group="classic"))
    told = join(world, "b", group_id="classic")
    assert told.error_code == ErrorCode.GROUP_ID_NOT_FOUND and "not migrated online" in told.error_message


def test_a_pattern_of_topics_is_taken_from_version_1_on_and_described() -> None:
    world = serving()
    told = join(world, "a", subscribed_topic_names=None, subscribed_topic_regex="^ord.*")
    assert told.assignment.topic_partitions == owns(*range(10))
    request = describe_schema.ConsumerGroupDescribeRequest(["g"])
    (member,) = ask(world, CONSUMER_GROUP_DESCRIBE, 1, request).groups[0].members
    assert (member.subscribed_topic_regex, member.subscribed_topic_names) == ("^ord.*", [])
    told = join(world, "b", subscribed_topic_names=None, subscribed_topic_regex="ord(")
    assert told.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION and "a ( without its )" in told.error_message


def test_offsets_carry_the_member_epoch_from_version_9_on() -> None:
    world = serving()
    join(world, "a")
    for version, epoch, error in (
        (9, 1, ErrorCode.NONE),
        (9, 0, ErrorCode.STALE_MEMBER_EPOCH),
        (8, 1, ErrorCode.UNSUPPORTED_VERSION),
    ):
        topics = [commit_schema.OffsetCommitRequestTopic("orders", [commit_schema.OffsetCommitRequestPartition(0, 5)])]
        request = commit_schema.OffsetCommitRequest(
            group_id="g", generation_id_or_member_epoch=epoch, member_id="a", topics=topics
        )
        told = ask(world, OFFSET_COMMIT, version, request)
        assert told.topics[0].partitions[0].error_code == error
    for epoch, error in ((1, ErrorCode.NONE), (4, ErrorCode.STALE_MEMBER_EPOCH)):
        groups = [fetch_schema.OffsetFetchRequestGroup("g", "a", epoch, None)]
        told = ask(world, OFFSET_FETCH, 9, fetch_schema.OffsetFetchRequest(groups=groups))
        assert told.groups[0].error_code == error


def test_a_group_is_described_with_names_and_ids() -> None:
    world = serving()
    join(world, "a", instance_id="shelf")
    request = describe_schema.ConsumerGroupDescribeRequest(["g", "nowhere"])
    found, missing = ask(world, CONSUMER_GROUP_DESCRIBE, 1, request).groups
    assert (found.group_state, found.group_epoch, found.assignment_epoch) == ("Stable", 1, 1)
    (member,) = found.members
    assert (member.instance_id, member.member_epoch, member.member_type) == ("shelf", 1, 1)
    everything = [describe_schema.DescribedTopicPartitions(ORDERS, "orders", list(range(10)))]
    assert member.assignment.topic_partitions == member.target_assignment.topic_partitions == everything
    assert missing.error_code == ErrorCode.GROUP_ID_NOT_FOUND
