"""Produce requests of clients against real replicas."""

from __future__ import annotations

import pytest
from client_batches import client_batch
from client_world import give, request_of, run, told
from replica_world import ReplicaWorld

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.produce import ProduceExchange
from cluster.kafka.frames import Request
from cluster.kafka.records import ClientRecord
from cluster.kafka.schema.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import ProduceResponse as CoreResponse

GOOD = client_batch(
    [ClientRecord(0, 1_700_000_000_000, b"k", b"one"), ClientRecord(1, 1_700_000_000_001, b"k", b"two")]
)


def produce(
    *batches: tuple[str, int, bytes | None], acks: int = -1, version: int = 9, transactional_id: str | None = None
) -> Request:
    topics: dict[str, TopicProduceData] = {}
    for name, index, records in batches:
        data = PartitionProduceData(index, records)
        topics.setdefault(name, TopicProduceData(name, [])).partition_data.append(data)
    message = ProduceRequest(transactional_id, acks, 800, list(topics.values()))
    return request_of(ApiKey.PRODUCE, version, message)


def only(response) -> PartitionProduceResponse:  # type: ignore[no-untyped-def]  # the class differs from test to test
    (topic,) = response.responses
    (partition,) = topic.partition_responses
    return partition  # type: ignore[no-any-return]


@pytest.mark.parametrize("version", APIS[ApiKey.PRODUCE].versions)
def test_a_batch_is_committed_and_its_offset_told_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "before")
    request = produce(("orders", 0, GOOD), version=version)
    found = only(run(world, 1, request, ProduceExchange(request)))
    assert (found.error_code, found.base_offset, found.error_message) == (0, 1, None)
    assert world.values(1) == world.values(2) == ["before", "one", "two"]


def test_the_core_sees_the_bytes_the_acks_and_the_name_of_the_client() -> None:
    (asked,) = ProduceExchange(produce(("orders", 0, GOOD), acks=1)).requests
    assert (asked.topic, asked.partition, asked.acks, asked.timeout_ms) == ("orders", 0, 1, 800)
    assert (asked.client_id, asked.records) == ("kcat", GOOD)
    assert type(asked.records) is bytes


def test_a_broker_that_does_not_lead_says_so() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 2, request, ProduceExchange(request)))
    assert (found.error_code, found.base_offset) == (KafkaError.NOT_LEADER_OR_FOLLOWER, -1)


def test_a_bad_batch_never_reaches_the_core_and_the_others_do() -> None:
    world = ReplicaWorld()
    bad = GOOD[:-1] + b"!"
    request = produce(("orders", 0, GOOD), ("orders", 1, bad), ("stock", 0, None), version=8)
    exchange = ProduceExchange(request)
    assert [(asked.topic, asked.partition) for asked in exchange.requests] == [("orders", 0)]
    response = run(world, 1, request, exchange)
    assert [(topic.name, [each.index for each in topic.partition_responses]) for topic in response.responses] == [
        ("orders", [0, 1]),
        ("stock", [0]),
    ]
    good, corrupt = response.responses[0].partition_responses
    assert good.error_code == 0
    assert (corrupt.error_code, corrupt.error_message) == (KafkaError.CORRUPT_MESSAGE, "the CRC does not match")
    assert response.responses[1].partition_responses[0].error_code == KafkaError.INVALID_RECORD
    assert world.values(1) == ["one", "two"]


def test_words_are_only_for_versions_that_have_room_for_them() -> None:
    request = produce(("orders", 0, b"junk"), version=7)
    exchange = ProduceExchange(request)
    assert exchange.is_complete
    assert only(told(request, exchange.response())).error_message is None


def test_a_partition_named_twice_is_refused_twice() -> None:
    request = produce(("orders", 0, GOOD), ("orders", 0, GOOD))
    exchange = ProduceExchange(request)
    assert exchange.requests == []
    (topic,) = told(request, exchange.response()).responses
    assert [each.error_code for each in topic.partition_responses] == [KafkaError.INVALID_REQUEST] * 2


@pytest.mark.parametrize("acks", [-2, 2, 3])
def test_acks_are_minus_one_zero_or_one(acks: int) -> None:
    request = produce(("orders", 0, GOOD), acks=acks)
    exchange = ProduceExchange(request)
    assert only(told(request, exchange.response())).error_code == KafkaError.INVALID_REQUIRED_ACKS


def test_transactions_are_refused_with_an_error_that_clients_take_as_final() -> None:
    request = produce(("orders", 0, GOOD), transactional_id="tx")
    exchange = ProduceExchange(request)
    expected = KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert only(told(request, exchange.response())).error_code == expected


def test_acks_0_is_handed_on_and_not_answered() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD), acks=0)
    exchange = ProduceExchange(request)
    assert exchange.is_complete
    assert not exchange.must_close
    assert run(world, 1, request, exchange) is None
    world.until(lambda: world.values(1) == ["one", "two"])


def test_a_refused_batch_with_acks_0_closes_the_connection() -> None:
    exchange = ProduceExchange(produce(("orders", 0, b"junk"), acks=0))
    assert exchange.must_close
    assert exchange.response() is None


def test_answers_that_nobody_waits_for_are_dropped() -> None:
    request = produce(("orders", 0, GOOD))
    exchange = ProduceExchange(request)
    give(exchange, CoreResponse(topic="orders", partition=9, base_offset=1))
    assert not exchange.is_complete
    give(exchange, CoreResponse(topic="orders", partition=0, base_offset=5))
    give(exchange, CoreResponse(topic="orders", partition=0, base_offset=6))
    assert only(exchange.response()).base_offset == 5


def test_an_error_between_nodes_is_not_told() -> None:
    request = produce(("orders", 0, GOOD))
    exchange = ProduceExchange(request)
    give(exchange, CoreResponse(topic="orders", partition=0, error=ErrorCode.STALE_BROKER_EPOCH))
    assert only(told(request, exchange.response())).error_code == KafkaError.UNKNOWN_SERVER_ERROR


def test_min_isr_is_told_as_kafka_tells_it() -> None:
    world = ReplicaWorld(min_isr=3)
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 1, request, ProduceExchange(request)))
    assert found.error_code == KafkaError.NOT_ENOUGH_REPLICAS
