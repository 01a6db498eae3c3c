"""Replicas stay where they were put, and whoever would move them is told so."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import reassignments as alter
from cluster.kafka.apis import reassignments as listing
from cluster.kafka.apis.reassignments import ALTER_PARTITION_REASSIGNMENTS, LIST_PARTITION_REASSIGNMENTS
from cluster.kafka.broker_view import BrokerView, Endpoint
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.partition_state import PartitionState
from tests.support.clients.client_world import ENDPOINTS, request_of, told

STATE = PartitionState(
    topic_id=7, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)
VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={TopicPartition("orders", 0): STATE},
    fenced={3: Endpoint("127.0.0.1", 9003)},
)


@pytest.mark.parametrize("version", ALTER_PARTITION_REASSIGNMENTS.versions)
@pytest.mark.parametrize(
    ("index", "replicas", "error"),
    [
        (0, [1, 2], ErrorCode.NONE),
        (0, [2, 3], ErrorCode.UNSUPPORTED_VERSION),
        (0, None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
        (0, [], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (0, [1, 1], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (0, [1, 9], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (5, [1, 2], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_a_move_is_refused_for_the_first_reason(
    version: int, index: int, replicas: list[int] | None, error: ErrorCode
) -> None:
    topics = [alter.ReassignableTopic("orders", [alter.ReassignablePartition(index, replicas)])]
    message = alter.AlterPartitionReassignmentsRequest(1_000, True, topics)
    request = request_of(ALTER_PARTITION_REASSIGNMENTS, version, message)
    response = told(request, request.api.begin(request, VIEW).response())
    assert response.error_code == 0
    ((found,),) = [topic.partitions for topic in response.responses]
    assert (found.partition_index, found.error_code, found.error_message is None) == (index, error, not error)


@pytest.mark.parametrize("topics", [None, [listing.ListPartitionReassignmentsTopics("orders", [0])]])
def test_nothing_moves(topics: list[listing.ListPartitionReassignmentsTopics] | None) -> None:
    message = listing.ListPartitionReassignmentsRequest(1_000, topics)
    request = request_of(LIST_PARTITION_REASSIGNMENTS, 0, message)
    response = told(request, request.api.begin(request, VIEW).response())
    assert (response.error_code, response.topics) == (0, [])
