"""A broker that has no replica of a partition that there is."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.kafka.api import Api
from cluster.kafka.apis import delete_records, describe_producers, list_offsets, offset_for_leader_epoch
from cluster.kafka.apis.delete_records import DELETE_RECORDS
from cluster.kafka.apis.describe_producers import DESCRIBE_PRODUCERS
from cluster.kafka.apis.list_offsets import LIST_OFFSETS
from cluster.kafka.apis.offset_for_leader_epoch import OFFSET_FOR_LEADER_EPOCH
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    DeleteRecordsResponse,
    DescribeProducersResponse,
    ListOffsetsResponse,
    OffsetForLeaderEpochResponse,
)
from cluster.model.partition_state import PartitionState
from tests.support.clients.client_world import VIEW, give, request_of, told

ELSEWHERE = PartitionState(
    topic_id=5, replicas=(2, 3), isr=(2, 3), leader=3, leader_epoch=4, partition_epoch=6, min_insync_replicas=1
)
EPOCH = offset_for_leader_epoch
REQUESTS: dict[Api, tuple[Any, Any]] = {
    LIST_OFFSETS: (
        list_offsets.ListOffsetsRequest(
            -1, 0, [list_offsets.ListOffsetsTopic("orders", [list_offsets.ListOffsetsPartition(0, -1, -1)])]
        ),
        ListOffsetsResponse,
    ),
    OFFSET_FOR_LEADER_EPOCH: (
        EPOCH.OffsetForLeaderEpochRequest(
            topics=[EPOCH.OffsetForLeaderTopic("orders", [EPOCH.OffsetForLeaderPartition(0, -1, 0)])]
        ),
        OffsetForLeaderEpochResponse,
    ),
    DESCRIBE_PRODUCERS: (
        describe_producers.DescribeProducersRequest([describe_producers.TopicRequest("orders", [0])]),
        DescribeProducersResponse,
    ),
    DELETE_RECORDS: (
        delete_records.DeleteRecordsRequest(
            [delete_records.DeleteRecordsTopic("orders", [delete_records.DeleteRecordsPartition(0, 1)])], 100
        ),
        DeleteRecordsResponse,
    ),
}


@pytest.mark.parametrize(
    ("api", "version"), [(LIST_OFFSETS, 9), (OFFSET_FOR_LEADER_EPOCH, 4), (DESCRIBE_PRODUCERS, 0), (DELETE_RECORDS, 2)]
)
def test_it_sends_the_client_away_and_does_not_call_the_topic_unknown(api: Api, version: int) -> None:
    message, answer = REQUESTS[api]
    request = request_of(api, version, message)
    for partitions, expected in (
        ({}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({TopicPartition("orders", 0): ELSEWHERE}, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ):
        exchange = api.begin(request, replace(VIEW, partitions=partitions))
        give(exchange, answer(topic="orders", partition=0, error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        (topic,) = told(request, exchange.response()).topics
        assert topic.partitions[0].error_code == expected
