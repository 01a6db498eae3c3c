"""Topics made through Kafka's protocol, with a real controller."""

from __future__ import annotations

import pytest
from client_world import request_of, told
from replica_world import ReplicaWorld

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.create_topics import CreateTopicsExchange
from cluster.kafka.exchanges.exchange import TopicDefaults
from cluster.kafka.frames import Request
from cluster.kafka.schema.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from cluster.model.messages import CreateTopicResponse

DEFAULTS = TopicDefaults(partitions=2, replication_factor=3, min_insync_replicas=2)


def ask(*topics: CreatableTopic, version: int = 7, validate_only: bool = False) -> Request:
    return request_of(ApiKey.CREATE_TOPICS, version, CreateTopicsRequest(list(topics), 1_000, validate_only))


def run(world: ReplicaWorld, request: Request) -> CreateTopicsResponse:
    exchange = CreateTopicsExchange(request, DEFAULTS)
    for asked in exchange.requests:
        exchange.answer(asked, world.answer_of(world.send_as_client(world.active(), asked)))
    assert exchange.is_complete
    found: CreateTopicsResponse = told(request, exchange.response())
    return found


def refused(topic: CreatableTopic, **changes: bool) -> CreatableTopicResult:
    exchange = CreateTopicsExchange(ask(topic, **changes), DEFAULTS)
    assert exchange.requests == []
    (found,) = exchange.response().topics
    assert found.error_message
    return found


@pytest.mark.parametrize("version", APIS[ApiKey.CREATE_TOPICS].versions)
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
        KafkaError.TOPIC_ALREADY_EXISTS,
        KafkaError.INVALID_TOPIC_EXCEPTION,
        KafkaError.INVALID_REPLICATION_FACTOR,
    ]
    assert [topic.num_partitions for topic in response.topics] == [-1, -1, -1]


def test_replicas_and_min_isr_may_be_given() -> None:
    assignments = [CreatableReplicaAssignment(index, [3, 1]) for index in (1, 0)]
    configs = [CreatableTopicConfig("min.insync.replicas", "1")]
    (asked,) = CreateTopicsExchange(ask(CreatableTopic("a", -1, -1, assignments, configs)), DEFAULTS).requests
    assert (asked.partitions, asked.assignment, asked.min_insync_replicas) == (2, (3, 1), 1)


def test_what_the_core_does_not_know_is_refused_and_not_left_out() -> None:
    def assigned(*lists: tuple[int, list[int]], partitions: int = -1) -> CreatableTopic:
        return CreatableTopic("a", partitions, -1, [CreatableReplicaAssignment(*each) for each in lists])

    def configured(name: str, value: str | None) -> CreatableTopic:
        return CreatableTopic("a", 1, 1, [], [CreatableTopicConfig(name, value)])

    assert refused(assigned((0, [1]), (1, [2]))).error_code == KafkaError.INVALID_REPLICA_ASSIGNMENT
    assert refused(assigned((0, [1]), (2, [1]))).error_code == KafkaError.INVALID_REPLICA_ASSIGNMENT
    assert refused(assigned((0, [1]), partitions=1)).error_code == KafkaError.INVALID_REQUEST
    assert refused(configured("cleanup.policy", "compact")).error_code == KafkaError.INVALID_CONFIG
    for value in (None, "", "0", "-1", "two", "\u0662"):
        assert refused(configured("min.insync.replicas", value)).error_code == KafkaError.INVALID_CONFIG
    assert refused(CreatableTopic("a", 1, 1), validate_only=True).error_code == KafkaError.INVALID_REQUEST


def test_a_topic_named_twice_is_refused_once() -> None:
    exchange = CreateTopicsExchange(ask(CreatableTopic("a", 1, 1), CreatableTopic("a", 2, 1)), DEFAULTS)
    assert exchange.requests == []
    assert [topic.error_code for topic in exchange.response().topics] == [KafkaError.INVALID_REQUEST]


def test_a_second_answer_is_dropped() -> None:
    exchange = CreateTopicsExchange(ask(CreatableTopic("a", 1, 1)), DEFAULTS)
    (asked,) = exchange.requests
    exchange.answer(asked, CreateTopicResponse())
    exchange.answer(asked, CreateTopicResponse(error=KafkaError.NOT_CONTROLLER))
    assert exchange.response().topics[0].error_code == 0
