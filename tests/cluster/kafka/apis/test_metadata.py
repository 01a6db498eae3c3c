"""What clients are told of brokers, topics and leaders."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.kafka.apis.metadata import (
    METADATA,
    MetadataExchange,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    metadata_response,
)
from cluster.kafka.broker_view import BrokerView, Endpoint, TopicDefaults
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import CreateTopicRequest
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from cluster.model.uuids import topic_uuid
from tests.support.clients.client_world import ENDPOINTS, request_of, told
from tests.support.kinds import all_as
from tests.support.worlds.replica_world import ReplicaWorld

STATE = PartitionState(
    topic_id=5, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=6, min_insync_replicas=2
)
VIEW = BrokerView(
    node_id=2,
    cluster_id="c1",
    controller_id=2,
    brokers=ENDPOINTS,
    partitions={
        TopicPartition("orders", 1): replace(STATE, leader=2),
        TopicPartition("orders", 0): STATE,
        TopicPartition("__consumer_offsets", 0): replace(STATE, topic_id=9),
    },
)


def ask(version: int, topics: list[MetadataRequestTopic] | None, view: BrokerView = VIEW) -> MetadataResponse:
    request = request_of(METADATA, version, MetadataRequest(topics))
    found: MetadataResponse = told(request, metadata_response(request, view))
    return found


@pytest.mark.parametrize("version", METADATA.versions)
def test_a_topic_is_described_in_every_version(version: int) -> None:
    found = ask(version, [MetadataRequestTopic(name="orders")])
    assert [(each.node_id, each.host, each.port) for each in found.brokers] == [
        (node, "127.0.0.1", 19_090 + node) for node in (1, 2, 3)
    ]
    (topic,) = found.topics
    assert (topic.error_code, topic.name) == (0, "orders")
    assert topic.topic_id == (topic_uuid(5) if version >= 10 else bytes(16))
    assert [(each.partition_index, each.leader_id) for each in topic.partitions] == [(0, 1), (1, 2)]
    first = topic.partitions[0]
    assert (first.replica_nodes, first.isr_nodes, first.error_code) == ([1, 2, 3], [1, 2], 0)
    assert first.leader_epoch == (4 if version >= 7 else -1)
    assert found.controller_id == (2 if version >= 1 else -1)
    assert found.cluster_id == ("c1" if version >= 2 else None)


def test_all_topics_are_asked_for_with_null_and_in_version_0_with_nothing() -> None:
    everything = ["__consumer_offsets", "orders"]
    assert [topic.name for topic in ask(0, []).topics] == everything
    assert [topic.name for topic in ask(1, None).topics] == everything
    assert ask(1, []).topics == []
    assert [topic.is_internal for topic in ask(1, None).topics] == [True, False]


@pytest.mark.parametrize("name", ["", ".", "..", "a" * 250, "a/b", "\x1b[31m", "\u00e9"])
def test_a_name_that_no_topic_may_have_is_refused(name: str) -> None:
    (topic,) = ask(9, [MetadataRequestTopic(name=name)]).topics
    assert (topic.error_code, topic.name) == (ErrorCode.INVALID_TOPIC_EXCEPTION, name)


def test_an_unknown_topic_is_unknown() -> None:
    (topic,) = ask(9, [MetadataRequestTopic(name="a" * 249)]).topics
    assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_topic_is_found_by_its_id() -> None:
    known, unknown = ask(
        12, [MetadataRequestTopic(topic_uuid(5), None), MetadataRequestTopic(topic_uuid(6), None)]
    ).topics
    assert (known.error_code, known.name) == (0, "orders")
    assert (unknown.error_code, unknown.name, unknown.topic_id) == (ErrorCode.UNKNOWN_TOPIC_ID, None, topic_uuid(6))


@pytest.mark.parametrize("version", [10, 11])
def test_an_unknown_id_can_be_told_in_versions_without_null_names(version: int) -> None:
    (topic,) = ask(version, [MetadataRequestTopic(topic_uuid(6), None)]).topics
    assert (topic.error_code, topic.name) == (ErrorCode.UNKNOWN_TOPIC_ID, "")


def test_a_partition_without_a_leader_says_so() -> None:
    for state in (replace(STATE, leader=-1), replace(STATE, leader=7)):
        view = replace(VIEW, partitions={TopicPartition("orders", 0): state})
        (topic,) = ask(12, None, view).topics
        (partition,) = topic.partitions
        assert (partition.leader_id, partition.error_code) == (-1, ErrorCode.LEADER_NOT_AVAILABLE)
        assert (topic.error_code, partition.leader_epoch) == (0, 4)


def test_a_dead_replica_is_offline_and_in_version_0_left_out() -> None:
    view = replace(VIEW, brokers={1: Endpoint("127.0.0.1", 1), 3: Endpoint("127.0.0.1", 3)})
    (partition,) = ask(12, [MetadataRequestTopic(name="__consumer_offsets")], view).topics[0].partitions
    assert (partition.replica_nodes, partition.isr_nodes, partition.offline_replicas) == ([1, 2, 3], [1, 2], [2])
    assert partition.error_code == 0
    (partition,) = ask(0, [MetadataRequestTopic(name="__consumer_offsets")], view).topics[0].partitions
    assert (partition.replica_nodes, partition.isr_nodes) == ([1, 3], [1])
    assert partition.error_code == ErrorCode.REPLICA_NOT_AVAILABLE


def test_the_image_of_a_living_broker_is_told() -> None:
    world = ReplicaWorld()
    image = world.nodes[2].image
    brokers = {node: ENDPOINTS[node] for node in image.unfenced_brokers()}
    view = BrokerView(node_id=2, cluster_id="c1", controller_id=1, brokers=brokers, partitions=image.partitions)
    (topic,) = ask(12, [MetadataRequestTopic(name="orders")], view).topics
    (partition,) = topic.partitions
    assert (partition.leader_id, partition.isr_nodes) == (1, [1, 2, 3])
    assert topic.topic_id == topic_uuid(image.topics["orders"].topic_id)


def test_a_topic_that_nobody_has_created_is_created_when_client_and_run_allow_it() -> None:
    topics = [MetadataRequestTopic(name=name) for name in ("orders", "new", "a/b", "__transaction_state", "also-new")]
    view = replace(VIEW, defaults=TopicDefaults(partitions=1, replication_factor=3))
    exchange = MetadataExchange(request_of(METADATA, 9, MetadataRequest(topics)), view)
    asked = all_as(CreateTopicRequest, exchange.requests)
    assert [(each.topic, each.partitions, each.replication_factor) for each in asked] == [
        ("new", 1, 3),
        ("also-new", 1, 3),
    ]
    assert exchange.is_complete, "whoever asked asks again"
    refused = request_of(METADATA, 9, MetadataRequest(topics, allow_auto_topic_creation=False))
    assert MetadataExchange(refused, view).requests == []
    strict = replace(view, settings=Settings(auto_create_topics=False))
    assert MetadataExchange(request_of(METADATA, 9, MetadataRequest(topics)), strict).requests == []
