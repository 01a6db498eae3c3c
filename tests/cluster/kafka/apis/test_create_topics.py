"""Topics made through Kafka's protocol, with a real controller."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.kafka.api import Request
from cluster.kafka.apis.create_topics import (
    CREATE_TOPICS,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsExchange,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from cluster.kafka.broker_view import TopicDefaults
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import CreateTopicResponse
from cluster.model.uuids import topic_uuid
from tests.support.clients.client_world import VIEW, request_of, told
from tests.support.worlds.replica_world import ReplicaWorld

WITH_DEFAULTS = replace(VIEW, defaults=TopicDefaults(partitions=2, replication_factor=3, min_insync_replicas=2))


def ask(*topics: CreatableTopic, version: int = 7, validate_only: bool = False) -> Request:
    return request_of(CREATE_TOPICS, version, CreateTopicsRequest(list(topics), 1_000, validate_only))


def run(world: ReplicaWorld, request: Request) -> CreateTopicsResponse:
    exchange = CreateTopicsExchange(request, WITH_DEFAULTS)
    for asked in exchange.requests:
        exchange.answer(asked, world.answer_of(world.send_as_client(world.active(), asked)))
    assert exchange.is_complete
    found: CreateTopicsResponse = told(request, exchange.response())
    return found


@pytest.mark.parametrize("version", CREATE_TOPICS.versions)
def test_topics_are_made_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    response = run(world, ask(CreatableTopic("a", 4, 2), CreatableTopic("b", -1, -1), version=version))
    assert [(topic.name, topic.error_code) for topic in response.topics] == [("a", 0), ("b", 0)]
    sizes = [(topic.num_partitions, topic.replication_factor) for topic in response.topics]
    assert sizes == ([(4, 2), (2, 3)] if version >= 5 else [(-1, -1)] * 2)
    image = world.nodes[world.active()].image
    made = {tp: state for tp, state in image.partitions.items() if tp.topic in "ab"}
    assert sorted(made) == [("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", 0), ("b", 1)]
    assert {len(state.replicas) for tp, state in made.items() if tp.topic == "a"} == {2}
    assert image.topics["b"].min_insync_replicas == 2


def test_what_the_controller_refuses_is_told() -> None:
    world = ReplicaWorld()
    many = CreatableTopic("many", 1, 9)
    response = run(world, ask(CreatableTopic("orders", 1, 1), CreatableTopic("a/b", 1, 1), many))
    assert [topic.error_code for topic in response.topics] == [
        ErrorCode.TOPIC_ALREADY_EXISTS,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.INVALID_REPLICATION_FACTOR,
    ]
    assert [topic.num_partitions for topic in response.topics] == [-1, -1, -1]
    assert all(topic.error_message for topic in response.topics)


def test_each_partition_may_be_given_its_replicas() -> None:
    world = ReplicaWorld()
    assignments = [CreatableReplicaAssignment(1, [3, 1]), CreatableReplicaAssignment(0, [2, 3])]
    response = run(world, ask(CreatableTopic("a", -1, -1, assignments)))
    (made,) = response.topics
    assert (made.error_code, made.num_partitions, made.replication_factor) == (0, 2, 2)
    image = world.nodes[world.active()].image
    assert [image.partitions[TopicPartition("a", index)].replicas for index in (0, 1)] == [(2, 3), (3, 1)]
    assert made.topic_id == topic_uuid(image.topics["a"].topic_id)


def test_settings_are_taken_and_told_in_the_answer() -> None:
    world = ReplicaWorld()
    configs = [CreatableTopicConfig("min.insync.replicas", "1"), CreatableTopicConfig("retention.ms", "60000")]
    (made,) = run(world, ask(CreatableTopic("a", 1, 3, [], configs))).topics
    told = {each.name: (each.value, each.config_source, each.read_only) for each in made.configs or ()}
    assert told["min.insync.replicas"] == ("1", 1, False)
    assert told["retention.ms"] == ("60000", 1, False)
    assert told["cleanup.policy"] == ("delete", 5, False)
    assert made.topic_config_error_code == 0
    assert world.nodes[world.active()].image.topics["a"].min_insync_replicas == 1


def test_a_check_makes_nothing() -> None:
    world = ReplicaWorld()
    (checked,) = run(world, ask(CreatableTopic("a", 2, 3), validate_only=True)).topics
    assert (checked.error_code, checked.num_partitions, checked.topic_id) == (0, 2, bytes(16))
    assert "a" not in world.nodes[world.active()].image.topics
    (refused_one,) = run(world, ask(CreatableTopic("orders", 1, 1), validate_only=True)).topics
    assert refused_one.error_code == ErrorCode.TOPIC_ALREADY_EXISTS


def test_what_cannot_be_is_refused_in_words() -> None:
    world = ReplicaWorld()

    def assigned(*lists: tuple[int, list[int]], partitions: int = -1) -> CreatableTopic:
        return CreatableTopic("a", partitions, -1, [CreatableReplicaAssignment(*each) for each in lists])

    def configured(name: str, value: str | None) -> CreatableTopic:
        return CreatableTopic("a", 1, 1, [], [CreatableTopicConfig(name, value)])

    wrong = {
        ErrorCode.INVALID_REPLICA_ASSIGNMENT: [
            assigned((0, [1]), (1, [2, 3])), assigned((0, [1]), (2, [1])), assigned((0, [1]), (0, [2])),
            assigned((0, [])), assigned((0, [1, 1])), assigned((0, [9])), assigned((-1, [1])),
        ],
        ErrorCode.INVALID_REQUEST: [assigned((0, [1]), partitions=1)],
        ErrorCode.INVALID_PARTITIONS: [CreatableTopic("a", 0, 1), CreatableTopic("a", -2, 1)],
        ErrorCode.INVALID_REPLICATION_FACTOR: [CreatableTopic("a", 1, 0), CreatableTopic("a", 1, -2)],
        ErrorCode.INVALID_CONFIG: [
            configured("no.such.thing", "1"), configured("retention.ms", None),
            *(configured("min.insync.replicas", value) for value in ("", "0", "-1", "two", "\u0662")),
        ],
    }  # fmt: skip
    for error, topics in wrong.items():
        for topic in topics:
            (told_of,) = run(world, ask(topic)).topics
            assert (told_of.error_code, bool(told_of.error_message)) == (error, True), topic


def test_a_topic_named_twice_is_refused_once() -> None:
    exchange = CreateTopicsExchange(ask(CreatableTopic("a", 1, 1), CreatableTopic("a", 2, 1)), WITH_DEFAULTS)
    assert exchange.requests == []
    assert [topic.error_code for topic in exchange.response().topics] == [ErrorCode.INVALID_REQUEST]


def test_a_second_answer_is_dropped() -> None:
    exchange = CreateTopicsExchange(ask(CreatableTopic("a", 1, 1)), WITH_DEFAULTS)
    (asked,) = exchange.requests
    exchange.answer(asked, CreateTopicResponse())
    exchange.answer(asked, CreateTopicResponse(error=ErrorCode.NOT_CONTROLLER))
    assert exchange.response().topics[0].error_code == 0
