"""Admin requests through Kafka's protocol, with a real controller and real brokers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.kafka.api import Api, Whom
from cluster.kafka.apis import alter_configs as alter
from cluster.kafka.apis import create_partitions as grow
from cluster.kafka.apis import delete_records as trim
from cluster.kafka.apis import delete_topics as remove
from cluster.kafka.apis import describe_configs as configs
from cluster.kafka.apis import describe_producers as producers
from cluster.kafka.apis import describe_quorum as quorum
from cluster.kafka.apis.alter_configs import ALTER_CONFIGS, INCREMENTAL_ALTER_CONFIGS
from cluster.kafka.apis.create_partitions import CREATE_PARTITIONS
from cluster.kafka.apis.delete_records import DELETE_RECORDS
from cluster.kafka.apis.delete_topics import DELETE_TOPICS
from cluster.kafka.apis.describe_configs import DESCRIBE_CONFIGS
from cluster.kafka.apis.describe_producers import DESCRIBE_PRODUCERS
from cluster.kafka.apis.describe_quorum import DESCRIBE_QUORUM
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ProduceRequest
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from cluster.model.uuids import topic_uuid
from tests.support.clients.client_world import ENDPOINTS, request_of, run
from tests.support.worlds.replica_world import ReplicaWorld

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={}, log_dir="/data/1")
TOPIC, BROKER = 2, 4
MIN_ISR = "min.insync.replicas"


@pytest.fixture(scope="module")
def world() -> ReplicaWorld:
    return ReplicaWorld()


def ask(world: ReplicaWorld, api: Api, version: int, message: Any, view: BrokerView = VIEW) -> Any:
    """As the listener of broker 1 does it: the API says whom to ask."""
    request = request_of(api, version, message)
    node = world.active() if api.whom is Whom.CONTROLLER else 1
    return run(world, node, request, api.begin(request, view))


@pytest.mark.parametrize("version", CREATE_PARTITIONS.versions)
def test_topics_grow_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    topics = [
        grow.CreatePartitionsTopic("orders", 3, None),
        grow.CreatePartitionsTopic("nothing", 3, None),
        grow.CreatePartitionsTopic("twice", 3, None),
        grow.CreatePartitionsTopic("twice", 4, None),
    ]
    message = grow.CreatePartitionsRequest(topics, 1_000, validate_only=False)
    told = ask(world, CREATE_PARTITIONS, version, message).results
    assert [(each.name, each.error_code) for each in told] == [
        ("orders", 0),
        ("nothing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("twice", ErrorCode.INVALID_REQUEST),
    ]
    assert [each.error_message for each in told] == [None, "no such topic", "a topic named twice"]
    world.until(lambda: world.replicas[1].is_open(TopicPartition("orders", 2)))


@pytest.mark.parametrize("version", INCREMENTAL_ALTER_CONFIGS.versions)
def test_settings_change_and_are_told_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    changes = [alter.ConfigChange(MIN_ISR, 0, "3")]
    bad = [alter.ConfigChange("no.such.thing", 0, "3")]
    resources = [
        alter.ResourceChanges(TOPIC, "orders", changes),
        alter.ResourceChanges(TOPIC, "nothing", changes),
        alter.ResourceChanges(BROKER, "1", bad),
    ]
    message = alter.IncrementalAlterConfigsRequest(resources, validate_only=False)
    told = ask(world, INCREMENTAL_ALTER_CONFIGS, version, message).responses
    assert [(each.resource_name, each.error_code) for each in told] == [
        ("orders", 0),
        ("nothing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("1", ErrorCode.INVALID_REQUEST),
    ]
    world.until(lambda: world.nodes[1].image.topics["orders"].min_insync_replicas == 3)
    found = described(world, 4, configs.DescribeConfigsResource(TOPIC, "orders", [MIN_ISR]))
    assert [(each.name, each.value, each.config_source) for each in found.configs] == [(MIN_ISR, "3", 1)]
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    assert world.produce(1, "a").error == ErrorCode.NOT_ENOUGH_REPLICAS


def described(world: ReplicaWorld, version: int, resource: configs.DescribeConfigsResource) -> Any:
    message = configs.DescribeConfigsRequest([resource], include_synonyms=True, include_documentation=True)
    (found,) = ask(world, DESCRIBE_CONFIGS, version, message).results
    return found


@pytest.mark.parametrize("version", DESCRIBE_CONFIGS.versions)
def test_settings_of_a_broker_are_told_in_every_version(world: ReplicaWorld, version: int) -> None:
    found = described(world, version, configs.DescribeConfigsResource(BROKER, "1", None))
    told = {each.name: each for each in found.configs}
    assert found.error_code == 0
    assert told["message.max.bytes"].value == "1048588"
    assert told["message.max.bytes"].read_only
    assert [each.value for each in told["message.max.bytes"].synonyms] == ["1048588"]
    assert told["advertised.listeners"].value == told["listeners"].value == "PLAINTEXT://127.0.0.1:19091"
    assert told["log.dirs"].value == "/data/1"
    assert not any(each.is_sensitive for each in found.configs)
    if version >= 3:
        assert told["message.max.bytes"].documentation.startswith("Largest record batch")
        assert told["log.flush.interval.ms"].documentation.endswith("has no effect here.")
        assert told["process.roles"].config_type == 7
        assert [name for name, each in told.items() if not each.documentation] == []
    assert told["message.max.bytes"].config_type == (3 if version >= 3 else 0)
    assert described(world, version, configs.DescribeConfigsResource(BROKER, "9", None)).error_message


def test_that_there_is_a_password_is_told_and_not_which(world: ReplicaWorld) -> None:
    view = replace(VIEW, settings=Settings(client_auth=True))
    message = configs.DescribeConfigsRequest([configs.DescribeConfigsResource(BROKER, "1", [])])
    (found,) = ask(world, DESCRIBE_CONFIGS, 4, message, view).results
    (secret,) = [each for each in found.configs if each.is_sensitive]
    assert (secret.value, secret.config_type) == (None, 9)
    told = {each.name: each.value for each in found.configs}
    assert told["listeners"] == "SASL_PLAINTEXT://127.0.0.1:19091"
    assert told["sasl.enabled.mechanisms"] == "PLAIN"


@pytest.mark.parametrize("version", ALTER_CONFIGS.versions)
def test_settings_may_be_given_all_at_once(version: int) -> None:
    world = ReplicaWorld()
    wanted = [[("retention.ms", "1000"), ("cleanup.policy", "compact")], [("retention.ms", "2000")]]
    for pairs in wanted:
        resources = [alter.AlterConfigsResource(TOPIC, "orders", [alter.AlterableConfig(*each) for each in pairs])]
        resources.append(alter.AlterConfigsResource(TOPIC, "nothing", []))
        message = alter.AlterConfigsRequest(resources, validate_only=False)
        told = ask(world, ALTER_CONFIGS, version, message).responses
        assert [each.error_code for each in told] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert told[1].error_message == "no such topic"
    world.until(lambda: world.nodes[1].image.topics["orders"].own == {"retention.ms": "2000"})


def test_a_topic_may_take_less_or_more_than_the_run(world: ReplicaWorld) -> None:
    world = ReplicaWorld()
    large = encode_batch([Record(None, bytes(1_200_000))])
    asked = ProduceRequest(client_id="p", topic="orders", partition=0, acks=-1, timeout_ms=800, records=large)
    for limit, error in (("1000", ErrorCode.MESSAGE_TOO_LARGE), ("2000000", ErrorCode.NONE)):
        change = [alter.ConfigChange("max.message.bytes", 0, limit)]
        resources = [alter.ResourceChanges(TOPIC, "orders", change)]
        ask(world, INCREMENTAL_ALTER_CONFIGS, 1, alter.IncrementalAlterConfigsRequest(resources))
        world.until(lambda limit=limit: world.nodes[1].image.topics["orders"].own == {"max.message.bytes": limit})
        assert world.answer_of(world.send_as_client(1, asked)).error == error


@pytest.mark.parametrize("version", DESCRIBE_QUORUM.versions)
def test_the_quorum_is_told_in_every_version(world: ReplicaWorld, version: int) -> None:
    topic = quorum.RequestedTopic("__cluster_metadata", [quorum.RequestedPartition(0)])
    view = replace(VIEW, wall_ms=lambda: 1_700_000_000_000)
    told = ask(world, DESCRIBE_QUORUM, version, quorum.DescribeQuorumRequest([topic]), view)
    ((partition,),) = [each.partitions for each in told.topics]
    assert (partition.error_code, partition.leader_id) == (0, world.active())
    assert [each.replica_id for each in partition.current_voters] == [101, 102, 103]
    assert [each.replica_id for each in partition.observers] == [1, 2, 3]
    assert partition.high_watermark == world.nodes[world.active()].quorum.high_watermark
    if version >= 1:
        fetched = [each.last_fetch_timestamp for each in partition.current_voters]
        assert all(1_699_999_990_000 < at_ms <= 1_700_000_000_000 for at_ms in fetched)
    assert [each.node_id for each in told.nodes] == ([101, 102, 103] if version >= 2 else [])


def test_only_the_metadata_log_has_a_quorum(world: ReplicaWorld) -> None:
    topic = quorum.RequestedTopic("orders", [quorum.RequestedPartition(0)])
    told = ask(world, DESCRIBE_QUORUM, 2, quorum.DescribeQuorumRequest([topic]))
    assert told.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_producers_are_told(world: ReplicaWorld) -> None:
    data = encode_batch([Record(None, b"v")], timestamp_ms=5_000, sequenced=(9, 1, 3))
    written = ProduceRequest(client_id="p", topic="orders", partition=0, acks=-1, timeout_ms=800, records=data)
    assert world.answer_of(world.send_as_client(1, written)).error == 0
    message = producers.DescribeProducersRequest([producers.TopicRequest("orders", [0, 7])])
    (topic,) = ask(world, DESCRIBE_PRODUCERS, 0, message).topics
    assert [each.error_code for each in topic.partitions] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    (told,) = topic.partitions[0].active_producers
    assert (told.producer_id, told.producer_epoch, told.last_sequence, told.last_timestamp) == (9, 1, 3, 5_000)


@pytest.mark.parametrize("version", DELETE_TOPICS.versions)
def test_topics_are_deleted_by_name_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    names = ["orders", "nothing", "twice", "twice"]
    message = remove.DeleteTopicsRequest(names, [remove.DeleteTopicState(name) for name in names], 1_000)
    told = ask(world, DELETE_TOPICS, version, message).responses
    first = [(each.name, each.error_code) for each in told[:2]]
    assert first == [("orders", 0), ("nothing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    assert {(each.name, each.error_code) for each in told[2:]} == {("twice", ErrorCode.INVALID_REQUEST)}
    world.until(lambda: "orders" not in world.nodes[1].image.topics)


def test_topics_are_deleted_by_id() -> None:
    world = ReplicaWorld()
    orders = topic_uuid(world.state().topic_id)
    view = replace(VIEW, topic_names={orders: "orders"})
    asked = [
        remove.DeleteTopicState(None, orders),
        remove.DeleteTopicState(None, topic_uuid(9_999)),
        remove.DeleteTopicState("orders", orders),
        remove.DeleteTopicState(None),
    ]
    told = ask(world, DELETE_TOPICS, 6, remove.DeleteTopicsRequest([], asked[1:]), view).responses
    assert [each.error_code for each in told] == [
        ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST,
    ]  # fmt: skip
    (told,) = ask(world, DELETE_TOPICS, 6, remove.DeleteTopicsRequest([], asked[:1]), view).responses
    assert (told.name, told.topic_id, told.error_code) == ("orders", orders, 0)


@pytest.mark.parametrize("version", DELETE_RECORDS.versions)
def test_records_are_deleted_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    world.produce(1, "b")
    world.until(world.settled(1, 2, 3))
    partitions = [trim.DeleteRecordsPartition(0, 1), trim.DeleteRecordsPartition(9, 1)]
    message = trim.DeleteRecordsRequest([trim.DeleteRecordsTopic("orders", partitions)], 5_000)
    (topic,) = ask(world, DELETE_RECORDS, version, message).topics
    assert [(each.partition_index, each.low_watermark, each.error_code) for each in topic.partitions] == [
        (0, 1, 0), (9, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]  # fmt: skip
