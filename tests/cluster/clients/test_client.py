"""A client against answers written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cluster.clients.client import DELIVERY_FACTOR
from cluster.clients.rules.retries import NO_ANSWER
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    OperationFailed,
    OperationInvoked,
    OperationRedirected,
    OperationRetried,
    OperationSucceeded,
    OperationUnknown,
)
from cluster.model.inputs import ClientRequest, Disconnected
from cluster.model.messages import (
    CreateTopicRequest,
    CreateTopicResponse,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    FetchRequest,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
)
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from tests.support.worlds.talk import Talk, done, produce, row_of


def test_it_asks_for_the_leader_then_produces_to_it() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(2)
    assert (talk.sent[-1].target, type(talk.sent[-1].message)) == (2, ProduceRequest)
    talk.answer(done(7))
    ok = talk.named(OperationSucceeded)[0]
    assert (ok.base_offset, ok.count, len(ok.values)) == (7, 1, 1)
    assert talk.client.idle
    assert talk.timers == {}, "an idle client waits for nothing"


def test_in_flight_bounds_what_is_on_its_way() -> None:
    talk = Talk()
    talk.give(produce(5, batch=2, in_flight=2))
    talk.leader(1)
    assert len(talk.requests(ProduceRequest)) == 2
    talk.answer(done(0), which=-2)
    assert len(talk.requests(ProduceRequest)) == 3
    talk.answer(done(2))
    talk.answer(done(4), which=-2)
    assert [event.count for event in talk.named(OperationSucceeded)] == [2, 2, 1] or talk.client.idle
    assert sum(event.count for event in talk.named(OperationSucceeded)) == 5
    assert talk.client.idle


def test_a_refusal_that_may_pass_is_tried_again_at_the_leader_it_names() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(1)
    talk.answer(done(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id=3))
    assert talk.sent[-1].target == 3
    retried = talk.named(OperationRetried)[0]
    assert (retried.error, retried.attempt, retried.target) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, 2, 3)
    talk.answer(done(1))
    assert talk.client.idle


def test_without_a_hint_it_waits_and_asks_for_metadata_again() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(1)
    talk.answer(done(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id=-1))
    assert talk.fire() == "client.retry"
    talk.leader(2)
    assert talk.sent[-1].target == 2


def test_a_broken_connection_is_an_answer_that_never_comes() -> None:
    talk = Talk()
    talk.give(produce(retries=0))
    talk.leader(1)
    talk.give(Disconnected(peer=1))
    assert [event.error for event in talk.named(OperationUnknown)] == [NO_ANSWER]
    assert talk.client.idle


def test_a_silent_leader_is_given_up_after_the_request_timeout() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(1)
    assert talk.fire() == "client.request"
    talk.fire()
    talk.leader(2)
    late = done(3)
    talk.answer(late, which=1)
    assert not talk.named(OperationSucceeded), "the answer to an attempt that was given up is dropped"
    talk.answer(done(4))
    assert talk.named(OperationSucceeded)[0].base_offset == 4


def test_a_certain_refusal_without_retries_ends_the_command() -> None:
    talk = Talk()
    talk.give(produce(3, retries=0))
    talk.leader(1)
    talk.answer(done(error=ErrorCode.NOT_ENOUGH_REPLICAS))
    assert [event.error for event in talk.named(OperationFailed)] == [ErrorCode.NOT_ENOUGH_REPLICAS]
    assert len(talk.named(OperationInvoked)) == 1
    assert talk.client.idle


def test_an_attempt_that_may_have_happened_makes_the_outcome_unknown_for_good() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(1)
    talk.answer(done(error=ErrorCode.REQUEST_TIMED_OUT))
    talk.fire()
    talk.leader(1)
    talk.now_ms = 10 * Settings().request_timeout_ms
    talk.answer(done(error=ErrorCode.NOT_ENOUGH_REPLICAS))
    assert [event.error for event in talk.named(OperationUnknown)] == [ErrorCode.NOT_ENOUGH_REPLICAS]


def test_acks_0_is_over_when_it_is_sent() -> None:
    talk = Talk()
    talk.give(produce(2000, acks=0))
    talk.leader(1)
    assert len(talk.requests(ProduceRequest)) == 2000
    assert {event.base_offset for event in talk.named(OperationSucceeded)} == {-1}
    assert talk.client.idle


def test_no_leader_is_asked_for_until_there_is_one() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(-1)
    talk.fire()
    talk.leader(-1)
    talk.fire()
    talk.leader(3)
    assert talk.sent[-1].target == 3
    asked = [send.target for send in talk.requests(MetadataRequest)]
    assert asked == [1, 2, 3], "another broker each time"


def test_the_metadata_of_a_broker_that_is_behind_is_not_believed() -> None:
    talk = Talk()
    talk.give(produce())
    row = row_of(2, 5)
    talk.answer(MetadataResponse(brokers=(2, 3), partitions=(row,)))
    talk.answer(done(error=ErrorCode.REQUEST_TIMED_OUT))
    talk.fire()
    talk.leader(1)
    assert not [send for send in talk.requests(ProduceRequest) if send.target == 1]


def test_a_lost_metadata_request_is_sent_again() -> None:
    talk = Talk()
    talk.give(produce())
    talk.fire()
    assert len(talk.requests(MetadataRequest)) == 2


def test_a_late_metadata_answer_still_serves() -> None:
    talk = Talk()
    talk.give(produce())
    talk.fire()
    row = row_of(3, 0)
    talk.answer(MetadataResponse(brokers=(1, 2, 3), partitions=(row,)), which=0)
    assert talk.requests(ProduceRequest)[0].target == 3


def test_it_gives_up_when_no_broker_ever_answers() -> None:
    talk = Talk()
    talk.give(produce(5))
    while talk.timers:
        talk.fire()
    assert [event.error for event in talk.named(OperationFailed)] == [ErrorCode.BROKER_NOT_AVAILABLE]
    assert talk.client.idle
    assert talk.now_ms <= DELIVERY_FACTOR * Settings().request_timeout_ms + Settings().retry_backoff_ms


def test_the_last_attempt_ends_with_the_delivery_time() -> None:
    talk = Talk()
    talk.give(produce())
    while talk.timers:
        if isinstance(talk.sent[-1].message, MetadataRequest):
            talk.leader(1)
        talk.fire()
    assert [event.error for event in talk.named(OperationUnknown)] == [NO_ANSWER]
    assert talk.now_ms <= DELIVERY_FACTOR * Settings().request_timeout_ms + Settings().retry_backoff_ms


def test_brokers_that_name_each_other_are_not_asked_in_a_tight_loop() -> None:
    talk = Talk()
    talk.give(produce())
    talk.leader(1)
    talk.answer(done(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id=3))
    talk.answer(done(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id=1))
    assert talk.sent[-1].target == 3, "waits"
    assert talk.fire() == "client.retry"
    assert talk.sent[-1].target == 1


def test_an_administrator_follows_the_hint_to_the_active_controller() -> None:
    talk = Talk()
    arguments: dict[str, int | str] = {
        "topic": "t", "partitions": 1, "replication_factor": 3, "min_insync_replicas": 2, "assignment": "1,2,3",
    }  # fmt: skip
    talk.give(ClientRequest(operation="create_topic", arguments=arguments))
    assert talk.sent[-1].target == 101
    request = talk.sent[-1].message
    assert isinstance(request, CreateTopicRequest)
    assert request.assignments == ((1, 2, 3),)
    talk.answer(CreateTopicResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=102))
    assert talk.sent[-1].target == 102
    talk.answer(CreateTopicResponse())
    assert talk.client.idle


def test_a_busy_client_takes_no_second_command() -> None:
    talk = Talk()
    talk.give(produce())
    with pytest.raises(ValueError, match="still busy"):
        talk.give(ClientRequest(operation="consume", arguments={"topic": "orders", "partition": 0, "offset": 0}))


def test_a_busy_producer_takes_more_records() -> None:
    talk = Talk()
    talk.give(produce(1, in_flight=2))
    talk.leader(1)
    talk.give(produce(1))
    assert len(talk.requests(ProduceRequest)) == 2
    talk.answer(done(0), which=-2)
    talk.answer(done(1))
    assert talk.client.idle


def test_an_acks_1_produce_that_waited_for_the_disk_of_a_former_leader_is_in_doubt() -> None:
    talk = Talk(replace(Settings(), flush_partitions=True))
    talk.give(produce(acks=1, retries=0))
    talk.leader(1)
    talk.answer(done(error=ErrorCode.NOT_LEADER_OR_FOLLOWER))
    assert len(talk.named(OperationUnknown)) == 1


def deletion(before_offset: int) -> ClientRequest:
    arguments: dict[str, str | int] = {"topic": "orders", "partition": 0, "before_offset": before_offset}
    return ClientRequest(operation="delete_records", arguments=arguments)


def deleted(low_watermark: int = -1, error: ErrorCode = ErrorCode.NONE, leader_id: int = -1) -> DeleteRecordsResponse:
    return DeleteRecordsResponse(
        topic="orders", partition=0, error=error, low_watermark=low_watermark, leader_id=leader_id
    )


def test_records_are_deleted_at_the_leader_that_is_found() -> None:
    talk = Talk()
    talk.give(deletion(7))
    talk.leader(1)
    talk.answer(deleted(error=ErrorCode.NOT_LEADER_OR_FOLLOWER, leader_id=2))
    asked = talk.requests(DeleteRecordsRequest)
    assert [send.target for send in asked] == [1, 2]
    assert [each.before_offset for each in talk.asked(DeleteRecordsRequest)] == [7, 7]
    talk.answer(deleted(7))
    (done_,) = talk.named(OperationSucceeded)
    assert (done_.function, done_.base_offset, done_.count) == ("delete_records", 7, 0)
    assert [event.value for event in talk.named(OperationInvoked)] == ["before 7"]
    assert talk.client.idle


def test_a_deletion_past_the_high_watermark_is_refused_for_good() -> None:
    talk = Talk()
    talk.give(deletion(-1))
    talk.leader(1)
    talk.answer(deleted(error=ErrorCode.OFFSET_OUT_OF_RANGE))
    assert [event.error for event in talk.named(OperationFailed)] == [ErrorCode.OFFSET_OUT_OF_RANGE]
    assert [event.value for event in talk.named(OperationInvoked)] == ["before the high watermark"]
    assert talk.client.idle


def test_a_deletion_that_a_leader_may_have_made_is_no_failure() -> None:
    talk = Talk()
    talk.give(deletion(7))
    talk.leader(1)
    talk.answer(deleted(error=ErrorCode.REQUEST_TIMED_OUT))
    talk.fire()
    talk.leader(2)
    talk.answer(deleted(error=ErrorCode.OFFSET_OUT_OF_RANGE))
    assert [event.error for event in talk.named(OperationUnknown)] == [ErrorCode.OFFSET_OUT_OF_RANGE]


def test_of_several_requests_each_is_given_up_in_its_own_time() -> None:
    talk = Talk()
    talk.give(produce(3, in_flight=2, retries=0))
    talk.leader(1)
    talk.now_ms += 400
    talk.answer(done(0), which=-2)
    given_up = []
    while not talk.client.idle:
        assert talk.fire() == "client.request"
        given_up.append((talk.now_ms, len(talk.named(OperationUnknown))))
    timeout_ms = Settings().request_timeout_ms
    assert given_up == [(timeout_ms, 1), (timeout_ms + 400, 2)]
    assert talk.timers == {}


def consume(**changes: int | str) -> ClientRequest:
    arguments: dict[str, int | str] = {"topic": "orders", "partition": 0, "offset": 0, "rack": "r3"}
    return ClientRequest(operation="consume", arguments=arguments | changes)


def fetched(**fields: Any) -> FetchResponse:
    return FetchResponse(topic="orders", partition=0, high_watermark=1, **fields)


def test_a_consumer_goes_where_the_leader_sends_it_and_stays_there() -> None:
    talk = Talk()
    talk.give(consume())
    talk.leader(1)
    assert talk.asked(FetchRequest)[0].client_rack == "r3"
    talk.answer(fetched(preferred_read_replica=3))
    assert talk.sent[-1].target == 3
    told = talk.named(OperationRedirected)[0]
    assert (told.source, told.target, told.operation_id) == (1, 3, 1)
    assert talk.named(OperationRetried) == [], "it is the same attempt"
    talk.answer(fetched(records=encode_batch([Record(None, b"one")])))
    (read,) = talk.named(OperationSucceeded)
    assert (read.base_offset, read.count, talk.client.idle) == (0, 1, True)


def test_what_a_follower_does_not_reach_the_leader_is_asked_for() -> None:
    talk = Talk()
    talk.give(consume(offset=1, retries=0))
    talk.leader(1)
    talk.answer(fetched(preferred_read_replica=3))
    talk.answer(fetched(error=ErrorCode.OFFSET_OUT_OF_RANGE, log_start_offset=5))
    assert talk.fire() == "client.retry"
    assert talk.sent[-1].target == 1
    assert [event.error for event in talk.named(OperationRetried)] == [ErrorCode.OFFSET_OUT_OF_RANGE]
    talk.answer(fetched(error=ErrorCode.OFFSET_OUT_OF_RANGE, log_start_offset=5))
    assert talk.named(OperationFailed)[0].error == ErrorCode.OFFSET_OUT_OF_RANGE, "the leader's word counts"


def test_a_read_replica_that_fails_is_left() -> None:
    talk = Talk()
    talk.give(consume())
    talk.leader(1)
    talk.answer(fetched(preferred_read_replica=3))
    talk.give(Disconnected(peer=3))
    assert talk.fire() == "client.retry"
    talk.leader(1)
    assert talk.sent[-1].target == 1


def test_without_a_rack_a_consumer_reads_from_leaders_only() -> None:
    talk = Talk()
    talk.give(consume(rack=""))
    talk.leader(1)
    assert talk.asked(FetchRequest)[0].client_rack is None
