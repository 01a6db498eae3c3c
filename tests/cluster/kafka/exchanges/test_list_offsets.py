"""Times to offsets."""

from __future__ import annotations

import pytest
from client_world import request_of, told

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.list_offsets import (
    AskedOffset,
    FoundOffset,
    SpecialTime,
    asked_offsets,
    list_offsets_response,
    special_offset,
)
from cluster.kafka.schema.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition

FIRST, SECOND = TopicPartition("orders", 0), TopicPartition("orders", 1)
MESSAGE = ListOffsetsRequest(
    -1,
    0,
    [ListOffsetsTopic("orders", [ListOffsetsPartition(0, 4, SpecialTime.LATEST), ListOffsetsPartition(1, -1, 77)])],
)


@pytest.mark.parametrize("version", APIS[ApiKey.LIST_OFFSETS].versions)
def test_offsets_are_told_in_every_version(version: int) -> None:
    request = request_of(ApiKey.LIST_OFFSETS, version, MESSAGE)
    epoch = 4 if version >= 4 else -1
    assert asked_offsets(request) == {FIRST: AskedOffset(-1, epoch), SECOND: AskedOffset(77, -1)}
    found = {
        FIRST: FoundOffset(offset=9, leader_epoch=4),
        SECOND: FoundOffset(offset=3, timestamp_ms=80, leader_epoch=2),
    }
    (topic,) = told(request, list_offsets_response(request, found)).topics
    assert [(each.partition_index, each.error_code, each.offset, each.timestamp) for each in topic.partitions] == [
        (0, 0, 9, -1),
        (1, 0, 3, 80),
    ]
    assert topic.partitions[0].leader_epoch == epoch


@pytest.mark.parametrize(
    ("time_ms", "offset"),
    [
        (SpecialTime.LATEST, 40),
        (SpecialTime.EARLIEST, 10),
        (SpecialTime.EARLIEST_LOCAL, 10),
        (SpecialTime.LATEST_TIERED, -1),
    ],
)
def test_special_times_need_no_search(time_ms: int, offset: int) -> None:
    found = special_offset(time_ms, 10, 40, 3)
    assert found is not None
    assert (found.offset, found.error) == (offset, 0)


@pytest.mark.parametrize("time_ms", [0, 1_700_000_000_000, SpecialTime.MAX_TIMESTAMP])
def test_other_times_must_be_searched(time_ms: int) -> None:
    assert special_offset(time_ms, 10, 40, 3) is None


def test_errors_are_told_in_the_words_of_the_version() -> None:
    for version, told_error in ((4, KafkaError.LEADER_NOT_AVAILABLE), (5, KafkaError.OFFSET_NOT_AVAILABLE)):
        request = request_of(ApiKey.LIST_OFFSETS, version, MESSAGE)
        response = list_offsets_response(request, {FIRST: FoundOffset(error=ErrorCode.OFFSET_NOT_AVAILABLE, offset=8)})
        first, second = told(request, response).topics[0].partitions
        assert (first.error_code, first.offset) == (told_error, -1)
        assert second.error_code == KafkaError.UNKNOWN_TOPIC_OR_PARTITION
