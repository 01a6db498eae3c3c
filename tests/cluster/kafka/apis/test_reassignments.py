"""Clients move replicas: the controller is asked about each partition, and what moves is listed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.kafka.apis import reassignments as apis
from cluster.kafka.apis.reassignments import ALTER_PARTITION_REASSIGNMENTS, LIST_PARTITION_REASSIGNMENTS
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ReassignPartitionRequest, ReassignPartitionResponse
from cluster.model.partition_state import PartitionState
from tests.support.clients.client_world import ENDPOINTS, request_of, told

STATE = PartitionState(
    topic_id=7, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)
MOVING = replace(STATE, replicas=(2, 3, 1), adding_replicas=(3,), removing_replicas=(1,))
VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={TopicPartition("orders", 0): STATE, TopicPartition("orders", 1): MOVING},
)


@pytest.mark.parametrize("version", ALTER_PARTITION_REASSIGNMENTS.versions)
def test_the_controller_is_asked_about_each_partition_and_its_words_are_told(version: int) -> None:
    partitions = [apis.ReassignablePartition(0, [2, 3]), apis.ReassignablePartition(1, None)]
    topics = [apis.ReassignableTopic("orders", partitions)]
    message = apis.AlterPartitionReassignmentsRequest(1_000, False, topics)
    request = request_of(ALTER_PARTITION_REASSIGNMENTS, version, message)
    exchange = request.api.begin(request, VIEW)
    move, cancel = exchange.requests
    assert move == ReassignPartitionRequest(
        topic="orders", partition=0, replicas=(2, 3), may_change_factor=version == 0
    ), "version 0 cannot forbid another factor"
    assert isinstance(cancel, ReassignPartitionRequest) and cancel.replicas is None
    error = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    exchange.answer(cancel, ReassignPartitionResponse(error=error, reason="nothing moves"))
    assert not exchange.is_complete
    exchange.answer(move, ReassignPartitionResponse())
    assert exchange.is_complete
    response = told(request, exchange.response())
    ((begun, refused),) = [topic.partitions for topic in response.responses]
    assert (begun.partition_index, begun.error_code, begun.error_message) == (0, 0, None)
    assert (refused.partition_index, refused.error_code, refused.error_message) == (1, error, "nothing moves")


@pytest.mark.parametrize(
    ("named", "found"),
    [(None, [1]), ([0, 1], [1]), ([0], [])],
    ids=["all", "two of which one moves", "one that stays"],
)
def test_only_what_moves_is_listed(named: list[int] | None, found: list[int]) -> None:
    topics = None if named is None else [apis.ListPartitionReassignmentsTopics("orders", named)]
    request = request_of(LIST_PARTITION_REASSIGNMENTS, 0, apis.ListPartitionReassignmentsRequest(1_000, topics))
    response = told(request, request.api.begin(request, VIEW).response())
    listed = [each for topic in response.topics for each in topic.partitions]
    assert [each.partition_index for each in listed] == found
    for each in listed:
        assert (each.replicas, each.adding_replicas, each.removing_replicas) == ([2, 3, 1], [3], [1])


def test_where_nothing_moves_nothing_is_listed() -> None:
    view = replace(VIEW, partitions={TopicPartition("orders", 0): STATE})
    request = request_of(LIST_PARTITION_REASSIGNMENTS, 0, apis.ListPartitionReassignmentsRequest(1_000, None))
    response = told(request, request.api.begin(request, view).response())
    assert (response.error_code, response.topics) == (0, [])
