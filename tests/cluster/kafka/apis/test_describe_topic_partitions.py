"""Topics page by page."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.kafka.apis.describe_topic_partitions import (
    DESCRIBE_TOPIC_PARTITIONS,
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
    describe_topic_partitions,
)
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.partition_state import PartitionState
from tests.support.clients.client_world import ENDPOINTS, request_of, told

STATE = PartitionState(
    topic_id=5,
    replicas=(1, 2, 7),
    isr=(1,),
    elr=(2,),
    leader=1,
    leader_epoch=4,
    partition_epoch=6,
    min_insync_replicas=2,
)
VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={TopicPartition(name, index): STATE for name in ("b", "a") for index in (2, 0, 1)},
)


def ask(
    *names: str, limit: int = 2000, cursor: Cursor | None = None, view: BrokerView = VIEW
) -> tuple[list[tuple[str, list[int]]], DescribeTopicPartitionsResponse]:
    message = DescribeTopicPartitionsRequest([TopicRequest(name) for name in names], limit, cursor)
    request = request_of(DESCRIBE_TOPIC_PARTITIONS, 0, message)
    found = told(request, describe_topic_partitions(request, view))
    return [(topic.name, [each.partition_index for each in topic.partitions]) for topic in found.topics], found


def test_no_name_asks_for_all_topics_in_order() -> None:
    topics, found = ask()
    assert topics == [("a", [0, 1, 2]), ("b", [0, 1, 2])]
    assert found.next_cursor is None


def test_pages_follow_each_other_without_a_gap() -> None:
    seen: list[tuple[str, int]] = []
    cursor: Cursor | None = None
    for _ in range(10):
        topics, found = ask(limit=2, cursor=cursor)
        page = [(name, index) for name, indexes in topics for index in indexes]
        assert len(page) <= 2
        seen += page
        cursor = found.next_cursor
        if cursor is None:
            break
    assert seen == [(name, index) for name in ("a", "b") for index in range(3)]


def test_eligible_leaders_and_dead_replicas_are_told() -> None:
    _, found = ask("a")
    first = found.topics[0].partitions[0]
    assert (first.leader_id, first.isr_nodes, first.eligible_leader_replicas) == (1, [1], [2])
    assert (first.offline_replicas, first.last_known_elr) == ([7], [])


def test_a_partition_without_a_leader_says_so() -> None:
    gone = replace(STATE, leader=-1, last_known_leader=2)
    _, found = ask(view=replace(VIEW, partitions={TopicPartition("a", 0): gone}))
    (partition,) = found.topics[0].partitions
    assert (partition.leader_id, partition.error_code) == (-1, ErrorCode.LEADER_NOT_AVAILABLE)
    assert partition.last_known_elr == [2]


def test_what_is_not_there_is_unknown_or_no_name_at_all() -> None:
    _, found = ask("c", "a/b")
    assert [(topic.name, topic.error_code) for topic in found.topics] == [
        ("a/b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("c", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
