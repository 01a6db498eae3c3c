"""Produce requests of clients against real replicas."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.kafka.api import Request
from cluster.kafka.apis.produce import (
    PRODUCE,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from cluster.kafka.batches.times import TopicTimes
from cluster.kafka.broker_view import LeaderIdAndEpoch
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceAnswered
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition
from cluster.model.messages import DeleteRecordsRequest, ListOffsetsRequest
from cluster.model.messages import ProduceRequest as CoreRequest
from cluster.model.messages import ProduceResponse as CoreResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import batches
from cluster.model.uuids import topic_uuid
from tests.support.clients.client_batches import ClientRecord, client_batch, read_records
from tests.support.clients.client_world import VIEW, give, request_of, run, told, view_of
from tests.support.kinds import all_as
from tests.support.worlds.replica_world import ReplicaWorld

GOOD = client_batch(
    [ClientRecord(0, 1_700_000_000_000, b"k", b"one"), ClientRecord(1, 1_700_000_000_001, b"k", b"two")]
)
TRANSACTIONAL = client_batch([ClientRecord(0, 1_700_000_000_000, b"k", b"one")], attributes=0x10, producer=(7, 0, 0))
BEGIN = PRODUCE.begin
ORDERS_ID = topic_uuid(5)
OFFSETS = TopicPartition(OFFSETS_TOPIC, 0)
STATE = PartitionState(
    topic_id=5, replicas=(2, 3), isr=(2, 3), leader=3, leader_epoch=4, partition_epoch=6, min_insync_replicas=1
)


def produce(
    *batches: tuple[str, int, bytes | None], acks: int = -1, version: int = 9, transactional_id: str | None = None
) -> Request:
    topics: dict[str, TopicProduceData] = {}
    for name, index, records in batches:
        data = PartitionProduceData(index, records)
        topics.setdefault(name, TopicProduceData(name, ORDERS_ID, [])).partition_data.append(data)
    message = ProduceRequest(transactional_id, acks, 800, list(topics.values()))
    return request_of(PRODUCE, version, message)


def only(response) -> PartitionProduceResponse:  # type: ignore[no-untyped-def]  # the class differs from test to test
    (topic,) = response.responses
    (partition,) = topic.partition_responses
    return partition  # type: ignore[no-any-return]


@pytest.mark.parametrize("version", PRODUCE.versions)
def test_a_batch_is_committed_and_its_offset_told_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "before")
    request = produce(("orders", 0, GOOD), version=version)
    found = only(run(world, 1, request, BEGIN(request, replace(VIEW, topic_names={ORDERS_ID: "orders"}))))
    assert (found.error_code, found.base_offset, found.error_message) == (0, 1, None)
    assert world.values(1) == world.values(2) == ["before", "one", "two"]


def test_the_core_sees_the_bytes_the_acks_and_the_name_of_the_client() -> None:
    (asked,) = all_as(CoreRequest, BEGIN(produce(("orders", 0, GOOD), acks=1), VIEW).requests)
    assert (asked.topic, asked.partition, asked.acks, asked.timeout_ms) == ("orders", 0, 1, 800)
    assert (asked.client_id, asked.records) == ("kcat", GOOD)
    assert type(asked.records) is bytes


def test_a_batch_for_a_compacted_topic_is_opened_here_and_not_by_its_leader() -> None:
    keyless = client_batch([ClientRecord(0, 5, b"k", b"v"), ClientRecord(1, 5, None, b"v")])
    asked = produce(("orders", 0, GOOD), ("orders", 1, keyless), ("plain", 0, GOOD))
    view = replace(VIEW, compacted={"orders"})
    sent = [message for message in BEGIN(asked, view).requests if isinstance(message, CoreRequest)]
    assert [message.are_keyed for message in sent] == [True, False, False]


def test_a_broker_that_does_not_lead_says_so() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 2, request, BEGIN(request, VIEW)))
    assert (found.error_code, found.base_offset) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)


def test_a_bad_batch_never_reaches_the_core_and_the_others_do() -> None:
    world = ReplicaWorld()
    bad = GOOD[:-1] + b"!"
    request = produce(("orders", 0, GOOD), ("orders", 1, bad), ("stock", 0, None), version=8)
    exchange = BEGIN(request, VIEW)
    assert [(asked.topic, asked.partition) for asked in all_as(CoreRequest, exchange.requests)] == [("orders", 0)]
    response = run(world, 1, request, exchange)
    assert [(topic.name, [each.index for each in topic.partition_responses]) for topic in response.responses] == [
        ("orders", [0, 1]),
        ("stock", [0]),
    ]
    good, corrupt = response.responses[0].partition_responses
    assert good.error_code == 0
    assert (corrupt.error_code, corrupt.error_message) == (ErrorCode.CORRUPT_MESSAGE, "the CRC does not match")
    assert response.responses[1].partition_responses[0].error_code == ErrorCode.INVALID_RECORD
    assert world.values(1) == ["one", "two"]


def test_words_are_only_for_versions_that_have_room_for_them() -> None:
    request = produce(("orders", 0, b"junk"), version=7)
    exchange = BEGIN(request, VIEW)
    assert exchange.is_complete
    assert only(told(request, exchange.response())).error_message is None


def test_a_partition_named_twice_is_refused_twice() -> None:
    request = produce(("orders", 0, GOOD), ("orders", 0, GOOD))
    exchange = BEGIN(request, VIEW)
    assert exchange.requests == []
    (topic,) = told(request, exchange.response()).responses
    assert [each.error_code for each in topic.partition_responses] == [ErrorCode.INVALID_REQUEST] * 2


@pytest.mark.parametrize("acks", [-2, 2, 3])
def test_acks_are_minus_one_zero_or_one(acks: int) -> None:
    request = produce(("orders", 0, GOOD), acks=acks)
    exchange = BEGIN(request, VIEW)
    assert only(told(request, exchange.response())).error_code == ErrorCode.INVALID_REQUIRED_ACKS


def test_a_batch_of_a_transaction_needs_a_transactional_id() -> None:
    request = produce(("orders", 0, TRANSACTIONAL))
    exchange = BEGIN(request, VIEW)
    expected = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert only(told(request, exchange.response())).error_code == expected


def test_acks_0_is_handed_on_and_not_answered() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD), acks=0)
    exchange = BEGIN(request, VIEW)
    assert run(world, 1, request, exchange) is None
    assert exchange.why_closed == ""
    assert world.values(1) == ["one", "two"]
    assert world.named(ProduceAnswered) == []


def test_a_refused_batch_with_acks_0_closes_the_connection() -> None:
    exchange = BEGIN(produce(("orders", 0, b"junk"), acks=0), VIEW)
    assert exchange.why_closed == "refused without acks: orders-0 INVALID_RECORD"
    assert exchange.response() is None


def test_acks_0_to_a_broker_that_does_not_lead_closes_the_connection() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD), ("nothing", 3, GOOD), acks=0)
    exchange = BEGIN(request, VIEW)
    assert run(world, 2, request, exchange) is None
    assert exchange.why_closed == "refused without acks: orders-0 NOT_LEADER_OR_FOLLOWER and 1 more"


def test_an_answer_tells_where_the_log_begins() -> None:
    world = ReplicaWorld()
    world.produce(1, "a", "b")
    asked = DeleteRecordsRequest(topic="orders", partition=0, before_offset=1, timeout_ms=800)
    assert world.answer_of(world.send_as_client(1, asked)).error == 0
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 1, request, BEGIN(request, VIEW)))
    assert (found.base_offset, found.log_start_offset) == (2, 1)


def test_records_that_are_not_replicated_in_time_are_told_with_their_offset() -> None:
    world = ReplicaWorld()
    world.produce(1, "before")
    world.cuts |= {(1, 2), (1, 3)}
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 1, request, BEGIN(request, VIEW)))
    assert found.error_code == ErrorCode.REQUEST_TIMED_OUT
    assert (found.base_offset, found.log_start_offset) == (1, 0)


@pytest.mark.parametrize("version", [9, 10])
def test_a_broker_that_does_not_lead_names_the_leader_where_there_is_room(version: int) -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD), version=version)
    response = run(world, 2, request, BEGIN(request, view_of(world, 2)))
    found = only(response)
    assert (found.error_code, found.base_offset, found.log_start_offset) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, -1)
    leader = LeaderIdAndEpoch(1, world.state().leader_epoch)
    assert found.current_leader == (leader if version >= 10 else None)
    named = [(each.node_id, each.host, each.port) for each in response.node_endpoints]
    assert named == ([(1, "127.0.0.1", 19_091)] if version >= 10 else [])


def test_a_broker_without_a_replica_of_a_known_partition_names_its_leader() -> None:
    request = produce(("orders", 0, GOOD), version=10)
    exchange = BEGIN(request, replace(VIEW, partitions={TopicPartition("orders", 0): STATE}))
    give(exchange, CoreResponse(topic="orders", partition=0, error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
    response = told(request, exchange.response())
    assert only(response).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert only(response).current_leader == LeaderIdAndEpoch(3, 4)
    assert [each.node_id for each in response.node_endpoints] == [3]


def test_a_client_may_not_write_into_a_topic_that_the_cluster_keeps_for_itself() -> None:
    view = replace(VIEW, partitions={OFFSETS: STATE, TopicPartition("orders", 0): STATE})
    request = produce((*OFFSETS, GOOD), ("orders", 0, GOOD))
    exchange = BEGIN(request, view)
    assert [each.topic for each in all_as(CoreRequest, exchange.requests)] == ["orders"]
    give(exchange, CoreResponse(topic="orders", partition=0, base_offset=5))
    response = told(request, exchange.response())
    codes = [each.partition_responses[0].error_code for each in response.responses]
    assert codes == [ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE], "each partition by itself, as Kafka does"


def test_a_record_from_the_far_future_is_refused_and_the_log_stays() -> None:
    world = ReplicaWorld()
    request = produce(("orders", 0, GOOD))
    hour_before_ms = 1_700_000_000_000 - 3_600_000
    view = replace(VIEW, wall_ms=lambda: hour_before_ms)
    found = only(run(world, 1, request, BEGIN(request, view)))
    assert (found.error_code, found.base_offset) == (ErrorCode.INVALID_TIMESTAMP, -1)
    assert found.error_message == "a record of 3600001 ms from now, at most 3600000 are taken"
    assert world.values(1) == []


def test_append_times_of_a_producer_are_kept_as_its_own() -> None:
    world = ReplicaWorld()
    records = [ClientRecord(0, 1_700_000_000_000, b"k", b"one")]
    request = produce(("orders", 0, client_batch(records, attributes=8)))
    assert only(run(world, 1, request, BEGIN(request, VIEW))).error_code == 0
    (kept,) = (batch for _, batch in batches(world.log(1).read(0, 1 << 20)))
    assert (kept[21:23], [each.timestamp_ms for each in read_records(kept)]) == (bytes(2), [1_700_000_000_000])


def test_a_topic_with_append_times_gets_them_from_its_broker_which_tells_them() -> None:
    world, now_ms = ReplicaWorld(), 1_800_000_000_000
    times = {"orders": TopicTimes.of({"message.timestamp.type": "LogAppendTime"})}
    view = replace(VIEW, wall_ms=lambda: now_ms, times=times)
    request = produce(("orders", 0, GOOD), ("orders", 1, GOOD))
    first, unknown = run(world, 1, request, BEGIN(request, view)).responses[0].partition_responses
    assert (first.error_code, first.log_append_time_ms) == (0, now_ms)
    assert (unknown.error_code, unknown.log_append_time_ms) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    (kept,) = (batch for _, batch in batches(world.log(1).read(0, 1 << 20)))
    assert {each.timestamp_ms for each in read_records(kept)} == {now_ms}
    found = world.answer_of(world.send_as_client(1, ListOffsetsRequest(topic="orders", partition=0, timestamp_ms=1)))
    assert (found.offset, found.timestamp_ms) == (0, now_ms)
    usual = produce(("orders", 0, GOOD))
    assert only(run(world, 1, usual, BEGIN(usual, VIEW))).log_append_time_ms == -1


def test_how_large_a_batch_may_be_is_for_the_leader_to_say() -> None:
    large = client_batch([ClientRecord(0, 1_700_000_000_000, b"k", bytes(1_100_000))])
    request = produce(("orders", 0, large))
    assert [each.records for each in all_as(CoreRequest, BEGIN(request, VIEW).requests)] == [large]
    found = only(run(ReplicaWorld(), 1, request, BEGIN(request, VIEW)))
    assert found.error_code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_topic_id_that_nobody_has_is_told_and_the_others_are_written() -> None:
    world = ReplicaWorld()
    message = produce(("orders", 0, GOOD), version=13).message
    message.topic_data.append(TopicProduceData(topic_id=topic_uuid(6), partition_data=[PartitionProduceData(0, GOOD)]))
    request = request_of(PRODUCE, 13, message)
    found = run(world, 1, request, BEGIN(request, replace(VIEW, topic_names={ORDERS_ID: "orders"})))
    assert [
        (each.name, each.topic_id, each.partition_responses[0].error_code, each.partition_responses[0].base_offset)
        for each in found.responses
    ] == [("", ORDERS_ID, 0, 0), ("", topic_uuid(6), ErrorCode.UNKNOWN_TOPIC_ID, -1)]


def test_a_topic_of_the_cluster_that_there_is_not_yet_is_unknown() -> None:
    world = ReplicaWorld()
    request = produce((*OFFSETS, GOOD))
    found = only(run(world, 1, request, BEGIN(request, view_of(world, 1))))
    assert found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_the_admin_tool_may_write_into_a_topic_of_the_cluster() -> None:
    message = produce((*OFFSETS, GOOD)).message
    request = request_of(PRODUCE, 9, message, "__admin_client")
    exchange = BEGIN(request, replace(VIEW, partitions={OFFSETS: STATE}))
    assert [each.topic for each in all_as(CoreRequest, exchange.requests)] == [OFFSETS_TOPIC]


def test_answers_that_nobody_waits_for_are_dropped() -> None:
    request = produce(("orders", 0, GOOD))
    exchange = BEGIN(request, VIEW)
    give(exchange, CoreResponse(topic="orders", partition=9, base_offset=1))
    assert not exchange.is_complete
    give(exchange, CoreResponse(topic="orders", partition=0, base_offset=5))
    give(exchange, CoreResponse(topic="orders", partition=0, base_offset=6))
    assert only(exchange.response()).base_offset == 5


def test_an_error_between_nodes_is_not_told() -> None:
    request = produce(("orders", 0, GOOD))
    exchange = BEGIN(request, VIEW)
    give(exchange, CoreResponse(topic="orders", partition=0, error=ErrorCode.STALE_BROKER_EPOCH))
    assert only(told(request, exchange.response())).error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_min_isr_is_told_as_kafka_tells_it() -> None:
    world = ReplicaWorld(min_isr=3)
    world.kill(3)
    world.until(lambda: world.state().isr == (1, 2))
    request = produce(("orders", 0, GOOD))
    found = only(run(world, 1, request, BEGIN(request, VIEW)))
    assert found.error_code == ErrorCode.NOT_ENOUGH_REPLICAS
