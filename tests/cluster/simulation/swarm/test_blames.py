"""Errors that blame who asked are findings, unless something else may be the cause."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import (
    OperationFailed,
    OperationInvoked,
    OperationRetried,
    OperationUnknown,
    PartitionApplied,
    TopicDeleted,
)
from cluster.simulation.swarm.blames import Blames
from tests.support.traces.traces import Trace


@pytest.mark.parametrize(
    ("function", "error", "is_blamed"),
    [
        ("reassign", ErrorCode.INVALID_REPLICATION_FACTOR, True),
        ("create_topic", ErrorCode.INVALID_REPLICATION_FACTOR, False),
        ("create_topic", ErrorCode.INVALID_CONFIG, True),
        ("produce", ErrorCode.NOT_ENOUGH_REPLICAS, False),
        ("reassign", ErrorCode.INVALID_REQUEST, False),
        ("init_producer_id", ErrorCode.INVALID_REQUEST, True),
        ("reassign", ErrorCode.INVALID_REPLICA_ASSIGNMENT, False),
    ],
)
def test_only_what_depends_on_the_request_alone_blames_who_asked(
    function: str, error: ErrorCode, is_blamed: bool
) -> None:
    trace, blames = Trace(), Blames()
    failed = OperationFailed(
        client_id="admin-1", operation_id=1, function=function, topic="t", partition=0, error=error
    )
    trace.add(1001, failed)
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed


@pytest.mark.parametrize(("is_older_open", "error", "is_blamed"), [
    (True, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, True),
    (False, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, False),
    (True, ErrorCode.NOT_ENOUGH_REPLICAS, False),
])  # fmt: skip
def test_nobody_gives_up_for_a_gap_that_an_older_batch_may_close(
    is_older_open: bool, error: ErrorCode, is_blamed: bool
) -> None:
    trace, blames = Trace(), Blames()
    write: dict[str, Any] = {"client_id": "p", "function": "produce", "topic": "t", "partition": 0}
    for number in (1, 2):
        trace.add(1001, OperationInvoked(operation_id=number, acks=-1, value="", **write))
    if not is_older_open:
        trace.add(1001, OperationUnknown(operation_id=1, error=error, **write))
    trace.add(1001, OperationFailed(operation_id=2, error=error, **write))
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed


@pytest.mark.parametrize(("error", "is_blamed"), [
    (ErrorCode.ELECTION_NOT_NEEDED, True),
    (ErrorCode.INVALID_CONFIG, True),
    (ErrorCode.NOT_CONTROLLER, False),
    (ErrorCode.UNKNOWN_SERVER_ERROR, False),
])  # fmt: skip
def test_nobody_tries_again_after_an_error_that_stays(error: ErrorCode, is_blamed: bool) -> None:  # noqa: FBT001
    trace, blames = Trace(), Blames()
    trace.add(1001, OperationRetried(client_id="p", operation_id=1, error=error, attempt=2, target=1))
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed


@pytest.mark.parametrize(("function", "is_blamed"), [("consume", True), ("produce", False)])
def test_who_only_reads_knows_that_it_changed_nothing(function: str, is_blamed: bool) -> None:  # noqa: FBT001
    trace, blames = Trace(), Blames()
    trace.add(1001, OperationUnknown(
        client_id="p", operation_id=1, function=function, topic="t", partition=0, error=ErrorCode.REQUEST_TIMED_OUT
    ))  # fmt: skip
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed


@pytest.mark.parametrize(("is_applied", "is_deleted", "is_blamed"), [
    (True, False, True), (False, False, False), (True, True, False),
])  # fmt: skip
def test_a_partition_that_a_broker_has_applied_is_there(is_applied: bool, is_deleted: bool, is_blamed: bool) -> None:
    trace, blames = Trace(), Blames()
    where: dict[str, Any] = {"topic": "t", "partition": 0}
    if is_applied:
        trace.add(1, PartitionApplied(leader=1, leader_epoch=0, partition_epoch=0, isr=(1,), elr=(), replicas=(1,),
                                      min_insync_replicas=1, **where))  # fmt: skip
    asked: dict[str, Any] = {"client_id": "admin-1", "operation_id": 1, "function": "reassign", **where}
    trace.add(1001, OperationInvoked(acks=-1, value="", **asked))
    if is_deleted:
        trace.add(101, TopicDeleted(topic="t", topic_id=7, partitions=1))
    trace.add(1001, OperationFailed(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, **asked))
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed
