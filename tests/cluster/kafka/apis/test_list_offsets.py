"""Times to offsets, with a real broker."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Request
from cluster.kafka.apis.list_offsets import (
    LIST_OFFSETS,
    ListOffsetsExchange,
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import ListOffsetsRequest as CoreRequest
from cluster.model.messages import ListOffsetsResponse
from cluster.model.messages.records import EARLIEST, EARLIEST_LOCAL, LATEST, LATEST_TIERED, MAX_TIMESTAMP
from tests.support.clients.client_world import VIEW, give, request_of, run, told
from tests.support.kinds import all_as
from tests.support.worlds.replica_world import ReplicaWorld


def ask(version: int, *times: int, epoch: int = -1) -> Request:
    partitions = [ListOffsetsPartition(index, epoch, time_ms) for index, time_ms in enumerate(times)]
    message = ListOffsetsRequest(-1, 0, [ListOffsetsTopic("orders", partitions)])
    return request_of(LIST_OFFSETS, version, message)


@pytest.mark.parametrize("version", LIST_OFFSETS.versions)
def test_the_end_that_a_consumer_is_told_is_the_high_watermark_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    world.produce(1, "b")
    request = ask(version, LATEST)
    (topic,) = run(world, 1, request, ListOffsetsExchange(request, VIEW)).topics
    (partition,) = topic.partitions
    assert (partition.error_code, partition.offset, partition.timestamp) == (0, 2, -1)
    assert partition.leader_epoch == (0 if version >= 4 else -1)


def test_a_partition_that_is_not_there_is_unknown_and_the_others_are_told() -> None:
    world = ReplicaWorld()
    request = ask(7, EARLIEST, LATEST)
    first, second = run(world, 1, request, ListOffsetsExchange(request, VIEW)).topics[0].partitions
    assert (first.error_code, first.offset) == (0, 0)
    assert (second.error_code, second.offset) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)


def test_a_follower_sends_the_client_away() -> None:
    world = ReplicaWorld()
    request = ask(7, LATEST)
    (partition,) = run(world, 2, request, ListOffsetsExchange(request, VIEW)).topics[0].partitions
    assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(
    ("time_ms", "first"), [(MAX_TIMESTAMP, 7), (EARLIEST_LOCAL, 8), (LATEST_TIERED, 9), (LATEST_TIERED - 1, 11)]
)
def test_a_special_time_is_known_from_its_version_on(time_ms: int, first: int) -> None:
    for version in LIST_OFFSETS.versions:
        exchange = ListOffsetsExchange(ask(version, time_ms), VIEW)
        asked = [each.timestamp_ms for each in all_as(CoreRequest, exchange.requests)]
        assert asked == ([time_ms] if version >= first else [])
        if version < first:
            (partition,) = exchange.response().topics[0].partitions
            assert partition.error_code == ErrorCode.UNSUPPORTED_VERSION


def test_a_partition_named_twice_is_refused_and_not_asked() -> None:
    message = ListOffsetsRequest(-1, 0, [ListOffsetsTopic("orders", [ListOffsetsPartition(0, -1, LATEST)] * 2)])
    exchange = ListOffsetsExchange(request_of(LIST_OFFSETS, 7, message), VIEW)
    assert exchange.requests == []
    codes = [each.error_code for each in exchange.response().topics[0].partitions]
    assert codes == [ErrorCode.INVALID_REQUEST] * 2


def test_errors_are_told_in_the_words_of_the_version() -> None:
    for version, told_error in ((4, ErrorCode.LEADER_NOT_AVAILABLE), (5, ErrorCode.OFFSET_NOT_AVAILABLE)):
        request = ask(version, LATEST)
        exchange = ListOffsetsExchange(request, VIEW)
        give(exchange, ListOffsetsResponse(error=ErrorCode.OFFSET_NOT_AVAILABLE, topic="orders", partition=0, offset=8))
        give(exchange, ListOffsetsResponse(topic="orders", partition=0, offset=9))
        (partition,) = told(request, exchange.response()).topics[0].partitions
        assert (partition.error_code, partition.offset) == (told_error, -1)
