"""Fetch requests of consumers against real replicas."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.fetch_sessions.session_cache import FetchSessionCache
from cluster.kafka.api import Request
from cluster.kafka.apis.fetch import (
    FETCH,
    READ_COMMITTED,
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
    ReplicaState,
)
from cluster.kafka.broker_view import LeaderIdAndEpoch
from cluster.model.errors import ErrorCode
from cluster.model.events import ReplicaDiverged
from cluster.model.identifiers import EpochEnd
from cluster.model.messages import FetchRequest as CoreRequest
from cluster.model.messages import FetchResponse as CoreResponse
from cluster.model.record_batch import Record, batches, encode_batch
from cluster.model.uuids import topic_uuid
from tests.support.clients.client_batches import read_records
from tests.support.clients.client_world import VIEW as NO_TOPICS
from tests.support.clients.client_world import give, request_of, run, told
from tests.support.kinds import all_as, as_kind
from tests.support.worlds.replica_world import ReplicaWorld

BATCH = encode_batch([Record(None, b"x" * 100)])
ORDERS_ID = topic_uuid(5)
VIEW = replace(NO_TOPICS, topic_names={ORDERS_ID: "orders"})
BEGIN = FETCH.begin


def fetch(
    *positions: tuple[int, int], version: int = 12, wait_ms: int = 0, topic_id: bytes = ORDERS_ID, **changes: object
) -> Request:
    partitions = [
        FetchPartition(index, fetch_offset=offset, partition_max_bytes=1 << 20) for index, offset in positions
    ]
    topics = [FetchTopic("orders", topic_id, partitions)]
    fields = {"max_wait_ms": wait_ms, "min_bytes": 1, "max_bytes": 50 << 20, "topics": topics, **changes}
    return request_of(FETCH, version, FetchRequest(**fields))  # type: ignore[arg-type]  # fields as given


def only(response) -> PartitionData:  # type: ignore[no-untyped-def]  # what the codec read
    (topic,) = response.responses
    (partition,) = topic.partitions
    return partition  # type: ignore[no-any-return]


def values(data: PartitionData) -> list[bytes | None]:
    return [record.value for _, batch in batches(bytes(data.records or b"")) for record in read_records(batch)]


def core(partition: int = 0, records: bytes = b"", **fields: object) -> CoreResponse:
    known = {"high_watermark": 9, "log_start_offset": 2, "leader_id": 1, "leader_epoch": 4, **fields}
    return CoreResponse(topic="orders", partition=partition, records=records, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", FETCH.versions)
def test_committed_records_are_read_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "one", "two")
    request = fetch((0, 0), version=version)
    response = run(world, 1, request, BEGIN(request, VIEW))
    found = only(response)
    assert found.error_code == 0
    assert values(found) == [b"one", b"two"]
    assert found.high_watermark == found.last_stable_offset == 2
    assert (response.responses[0].topic, response.responses[0].topic_id) == (
        ("orders", bytes(16)) if version < 13 else ("", ORDERS_ID)
    )
    assert response.session_id == 0


def test_a_consumer_waits_for_records_no_longer_than_it_said() -> None:
    world = ReplicaWorld()
    request = fetch((0, 0), wait_ms=400)
    exchange = BEGIN(request, VIEW)
    assert [asked.max_wait_ms for asked in all_as(CoreRequest, exchange.requests)] == [0]
    began_ms = world.now_ms
    found = only(run(world, 1, request, exchange))
    assert values(found) == []
    assert found.records == b""
    assert 400 <= world.now_ms - began_ms < 500


def test_a_record_that_comes_ends_the_wait() -> None:
    world = ReplicaWorld()
    request = fetch((0, 0), wait_ms=60_000)
    exchange = BEGIN(request, VIEW)
    first = world.answer_of(world.send_as_client(1, exchange.requests[0]))
    (second,) = give(exchange, first)
    assert (second.max_wait_ms, exchange.is_complete) == (60_000, False)
    parked = world.send_as_client(1, second)
    world.produce(1, "late")
    assert give(exchange, world.answer_of(parked)) == []
    assert exchange.is_complete
    assert values(only(told(request, exchange.response()))) == [b"late"]
    assert world.now_ms < 60_000


def test_the_first_partition_with_enough_ends_the_wait_for_all() -> None:
    request = fetch((0, 0), (1, 0), (2, 0), wait_ms=500)
    exchange = BEGIN(request, VIEW)
    assert give(exchange, core(0)) == []
    assert give(exchange, core(1)) == []
    second = give(exchange, core(2))
    assert [(asked.partition, asked.max_wait_ms) for asked in second] == [(0, 500), (1, 500), (2, 500)]
    give(exchange, core(1, BATCH, high_watermark=10))
    assert exchange.is_complete
    zero, one, two = told(request, exchange.response()).responses[0].partitions
    assert (zero.records, one.records, two.records) == (b"", BATCH, b"")
    assert (zero.high_watermark, one.high_watermark) == (9, 10)
    assert give(exchange, core(0, BATCH)) == []


def test_what_the_first_round_brought_is_kept_while_more_is_waited_for() -> None:
    request = fetch((0, 0), (1, 0), wait_ms=500, min_bytes=len(BATCH) + 1)
    exchange = BEGIN(request, VIEW)
    give(exchange, core(0, BATCH))
    second = give(exchange, core(1))
    assert [asked.partition for asked in second] == [1]
    assert not exchange.is_complete
    give(exchange, core(1))
    assert [each.records for each in told(request, exchange.response()).responses[0].partitions] == [BATCH, b""]


def test_when_all_have_given_records_nothing_more_is_waited_for() -> None:
    exchange = BEGIN(fetch((0, 0), (1, 0), wait_ms=500, min_bytes=1 << 20), VIEW)
    give(exchange, core(0, BATCH))
    assert give(exchange, core(1, BATCH)) == []
    assert exchange.is_complete


@pytest.mark.parametrize(("wait_ms", "min_bytes"), [(0, 1), (500, 0)])
def test_who_does_not_wait_is_asked_for_once(wait_ms: int, min_bytes: int) -> None:
    exchange = BEGIN(fetch((0, 0), wait_ms=wait_ms, min_bytes=min_bytes), VIEW)
    assert give(exchange, core(0)) == []
    assert exchange.is_complete


def test_an_error_ends_the_wait() -> None:
    request = fetch((0, 0), (1, 0), wait_ms=500)
    exchange = BEGIN(request, VIEW)
    give(exchange, core(0))
    assert give(exchange, core(1, error=ErrorCode.OFFSET_OUT_OF_RANGE, log_end_offset=7)) == []
    _, bad = told(request, exchange.response()).responses[0].partitions
    assert (bad.error_code, bad.high_watermark, bad.log_start_offset) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1, -1)


def test_a_consumer_whose_last_epoch_never_was_is_out_of_range() -> None:
    world = ReplicaWorld()
    world.produce(1, "one")
    topics = [FetchTopic("orders", partitions=[FetchPartition(0, -1, 0, 99, partition_max_bytes=100)])]
    request = request_of(FETCH, 12, FetchRequest(max_wait_ms=0, topics=topics))
    assert only(run(world, 1, request, BEGIN(request, VIEW))).error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_consumer_that_read_what_is_no_more_is_told_where_its_log_parts() -> None:
    world = ReplicaWorld()
    world.produce(1, "one")
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    world.produce(2, "two", "three")
    topics = [FetchTopic("orders", partitions=[FetchPartition(0, -1, 2, 0, partition_max_bytes=100)])]
    request = request_of(FETCH, 12, FetchRequest(max_wait_ms=0, topics=topics))
    found = only(run(world, 2, request, BEGIN(request, VIEW)))
    assert found.error_code == ErrorCode.NONE
    assert found.diverging_epoch == EpochEndOffset(0, 1)
    assert not world.named(ReplicaDiverged), "no replica parts from another"


def test_where_the_logs_part_is_told() -> None:
    request = fetch((0, 0), wait_ms=500)
    exchange = BEGIN(request, VIEW)
    assert give(exchange, core(0, diverging=EpochEnd(3, 6))) == []
    found = only(told(request, exchange.response())).diverging_epoch
    assert found is not None
    assert (found.epoch, found.end_offset) == (3, 6)


@pytest.mark.parametrize("version", [11, 15, 16])
def test_a_broker_that_does_not_lead_names_the_leader_where_there_is_room(version: int) -> None:
    request = fetch((0, 0), version=version, wait_ms=500)
    exchange = BEGIN(request, VIEW)
    give(exchange, core(0, error=ErrorCode.NOT_LEADER_OR_FOLLOWER))
    response = told(request, exchange.response())
    found = only(response)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert found.current_leader == (LeaderIdAndEpoch(1, 4) if version >= 16 else None)
    named = [(each.node_id, each.host, each.port) for each in response.node_endpoints]
    assert named == ([(1, "127.0.0.1", 19_091)] if version >= 16 else [])


@pytest.mark.parametrize("version", [10, 11, 16])
def test_a_follower_serves_consumers_that_know_of_it(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "one")
    world.until(world.settled(1, 2, 3))
    request = fetch((0, 0), version=version)
    found = only(run(world, 2, request, BEGIN(request, VIEW)))
    if version < 11:
        assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    else:
        assert (found.error_code, values(found), found.preferred_read_replica) == (0, [b"one"], -1)


@pytest.mark.parametrize("version", [10, 11, 16])
def test_a_leader_sends_a_consumer_to_the_follower_in_its_rack_at_once(version: int) -> None:
    world = ReplicaWorld(broker_racks=3, replica_selector="rack")
    world.produce(1, "one")
    world.until(world.settled(1, 2, 3))
    rack: dict[str, Any] = {"rack_id": "r3"} if version >= 11 else {}
    request = fetch((0, 1), version=version, wait_ms=300, **rack)
    began_ms = world.now_ms
    found = only(run(world, 1, request, BEGIN(request, VIEW)))
    assert (found.error_code, found.records, found.high_watermark) == (0, b"", 1)
    assert found.preferred_read_replica == (3 if version >= 11 else -1)
    assert (world.now_ms - began_ms < 300) == (version >= 11), "nobody waits for records that are to be read elsewhere"


def test_a_fenced_epoch_is_told() -> None:
    world = ReplicaWorld()
    topics = [FetchTopic("orders", partitions=[FetchPartition(0, 99, 0, partition_max_bytes=100)])]
    request = request_of(FETCH, 12, FetchRequest(max_wait_ms=0, topics=topics))
    found = only(run(world, 1, request, BEGIN(request, VIEW)))
    assert found.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


def test_a_topic_id_that_nobody_has_is_told_at_once() -> None:
    request = fetch((0, 0), version=13, wait_ms=500, topic_id=topic_uuid(6))
    exchange = BEGIN(request, VIEW)
    assert exchange.requests == []
    assert exchange.is_complete
    assert only(told(request, exchange.response())).error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("epoch", [0, -1])
def test_a_full_fetch_is_served_whatever_session_it_ends(epoch: int) -> None:
    exchange = BEGIN(fetch((0, 0), session_id=77, session_epoch=epoch), VIEW)
    assert len(exchange.requests) == 1
    give(exchange, core(0, BATCH))
    assert as_kind(FetchResponse, exchange.response()).session_id == 0


def test_p32_a_consumer_that_loses_its_session_begins_anew_and_reads_everything_once() -> None:
    world = ReplicaWorld()
    view = replace(VIEW, fetch_sessions=FetchSessionCache(1, "start-1", lambda: 0))
    read: list[bytes | None] = []
    session, epoch = 0, 0
    errors = []
    for number in range(8):
        world.produce(1, str(number))
        if number == 4:  # the broker begins anew
            view = replace(VIEW, fetch_sessions=FetchSessionCache(1, "start-2", lambda: 0))
        for _ in range(2):
            request = fetch((0, len(read)), version=12, session_id=session, session_epoch=epoch)
            response = run(world, 1, request, BEGIN(request, view))
            if response.error_code:
                errors.append(response.error_code)
                session = epoch = 0
                continue
            session, epoch = response.session_id, epoch + 1
            for topic in response.responses:
                for data in topic.partitions:
                    read += values(data)
    assert read == [str(number).encode() for number in range(8)]
    assert errors == [ErrorCode.FETCH_SESSION_ID_NOT_FOUND]


@pytest.mark.parametrize("version", [7, 12, 13, 18])
def test_a_session_leaves_out_what_has_not_changed(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "one")
    view = replace(VIEW, fetch_sessions=FetchSessionCache(1, "start-1", lambda: 0))

    def ask(*positions: tuple[int, int], **session: Any) -> Any:
        request = fetch(*positions, version=version, **session)
        return run(world, 1, request, BEGIN(request, view))

    first = ask((0, 1), session_id=0, session_epoch=0)
    assert only(first).error_code == 0
    second = ask(session_id=first.session_id, session_epoch=1)
    assert (second.error_code, second.session_id, second.responses) == (0, first.session_id, [])
    world.produce(1, "two")
    assert values(only(ask(session_id=first.session_id, session_epoch=2))) == [b"two"]


def test_a_consumer_older_than_sessions_gets_none() -> None:
    world = ReplicaWorld()
    sessions = FetchSessionCache(1, "start-1", lambda: 0)
    request = fetch((0, 0), version=6)
    run(world, 1, request, BEGIN(request, replace(VIEW, fetch_sessions=sessions)))
    assert len(sessions) == 0


def test_a_session_that_nobody_gave_is_not_known() -> None:
    request = fetch((0, 0), session_id=77, session_epoch=1)
    exchange = BEGIN(request, VIEW)
    assert exchange.requests == []
    response = told(request, exchange.response())
    assert (response.error_code, response.responses) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, [])


@pytest.mark.parametrize(
    ("version", "who"), [(4, {"replica_id": 2}), (12, {"replica_id": 2}), (15, {"replica_state": ReplicaState(2, 1)})]
)
def test_nobody_acknowledges_records_for_a_replica_through_this_door(version: int, who: dict[str, Any]) -> None:
    request = fetch((0, 0), version=version, **who)
    exchange = BEGIN(request, VIEW)
    assert exchange.requests == []
    response = told(request, exchange.response())
    error = response.error_code if version >= 7 else only(response).error_code
    assert error == ErrorCode.INVALID_REQUEST


def test_read_committed_gets_an_empty_list_of_aborted_transactions() -> None:
    for level, expected in ((0, None), (READ_COMMITTED, [])):
        request = fetch((0, 0), isolation_level=level)
        exchange = BEGIN(request, VIEW)
        give(exchange, core(0))
        assert only(told(request, exchange.response())).aborted_transactions == expected


def test_max_bytes_bounds_the_response_but_the_first_records_are_always_given() -> None:
    request = fetch((0, 0), (1, 0), (2, 0), max_bytes=len(BATCH) - 1)
    exchange = BEGIN(request, VIEW)
    assert all(asked.max_bytes == len(BATCH) - 1 for asked in all_as(CoreRequest, exchange.requests))
    give(exchange, core(0))
    give(exchange, core(1, BATCH))
    give(exchange, core(2, BATCH))
    found = told(request, exchange.response()).responses[0].partitions
    assert [bytes(each.records) for each in found] == [b"", BATCH, b""]


def test_records_are_handed_on_by_reference() -> None:
    request = fetch((0, 0))
    exchange = BEGIN(request, VIEW)
    give(exchange, core(0, BATCH))
    assert as_kind(FetchResponse, exchange.response()).responses[0].partitions[0].records is BATCH


def test_many_partitions_are_asked_a_few_at_a_time_and_what_no_longer_fits_is_not_kept() -> None:
    request = fetch(*((index, 0) for index in range(40)), max_bytes=3 * len(BATCH))
    exchange = BEGIN(request, VIEW)
    asked, kept = all_as(CoreRequest, exchange.requests), []
    assert len(asked) < 40
    for each in asked:
        kept.append(core(each.partition, BATCH))
        asked += give(exchange, kept[-1])
    assert len(asked) == 40
    assert exchange.is_complete
    assert sum(len(each.records) for each in kept) == 3 * len(BATCH)
    found = told(request, exchange.response()).responses[0].partitions
    assert [len(each.records) for each in found] == [len(BATCH)] * 3 + [0] * 37
    assert {each.high_watermark for each in found} == {9}, "the others still hear how far the partition is"
