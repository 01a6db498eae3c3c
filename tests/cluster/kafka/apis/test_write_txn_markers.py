"""Markers that a client asks for: an administrator ends what hangs, and what is wrong leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.apis.write_txn_markers import (
    WRITE_TXN_MARKERS,
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import MarkerWritten
from cluster.model.identifiers import TRANSACTIONS_TOPIC
from tests.support.clients.client_world import request_of, run, view_of
from tests.support.worlds.replica_world import BROKERS
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld

E = ErrorCode
EPOCH = 1
"""Of the producer whose transaction is open; its last one had epoch 0."""
STRANGER = 99


@pytest.fixture
def world() -> TransactionWorld:
    """A producer that has committed once, with records of its next transaction before the last stable offset."""
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    assert producer.write("a").error == E.NONE
    assert producer.end().error == E.NONE
    assert producer.write("b").error == E.NONE
    assert (producer.producer_id, producer.epoch) == (0, EPOCH)
    world.until(lambda: world.high_watermark(1) == world.end(1))
    return world


def mark(world: TransactionWorld, *markers: tuple[int, int, int, str, int], node: int = 1) -> list[ErrorCode]:
    """Abort these (producer id, epoch, coordinator epoch, topic, partition); what is told of each."""
    message = WriteTxnMarkersRequest([
        WritableTxnMarker(producer_id, epoch, False, [WritableTxnMarkerTopic(topic, [partition])], coordinator_epoch)
        for producer_id, epoch, coordinator_epoch, topic, partition in markers
    ])  # fmt: skip
    request = request_of(WRITE_TXN_MARKERS, 1, message)
    answer: Any = run(world, node, request, WRITE_TXN_MARKERS.begin(request, view_of(world, node)))
    assert [marker.producer_id for marker in answer.markers] == [marker[0] for marker in markers]
    parts = [part for marker in answer.markers for topic in marker.topics for part in topic.partitions]
    return [ErrorCode(part.error_code) for part in parts]


@pytest.mark.parametrize(
    ("marker", "node", "error"),
    [
        ((0, EPOCH, 5, "nothing", 0), 1, E.UNKNOWN_TOPIC_OR_PARTITION),
        ((0, EPOCH, 5, "orders", 9), 1, E.UNKNOWN_TOPIC_OR_PARTITION),
        ((0, EPOCH, 5, "orders", 0), 2, E.NOT_LEADER_OR_FOLLOWER),
        ((0, EPOCH - 1, 5, "orders", 0), 1, E.INVALID_PRODUCER_EPOCH),
        ((0, EPOCH - 1, -1, "orders", 0), 1, E.INVALID_PRODUCER_EPOCH),
        ((0, EPOCH, -1, "orders", 0), 1, E.TRANSACTION_COORDINATOR_FENCED),
        ((-1, 0, 0, "orders", 0), 1, E.UNKNOWN_SERVER_ERROR),
        ((0, -1, 0, "orders", 0), 1, E.UNKNOWN_SERVER_ERROR),
        ((0, EPOCH, 5, TRANSACTIONS_TOPIC, 0), 1, E.INVALID_REQUEST),
    ],
)
def test_a_wrong_marker_gets_kafka_s_code_and_leaves_nothing(
    world: TransactionWorld, marker: tuple[int, int, int, str, int], node: int, error: ErrorCode
) -> None:
    before = whole(world)
    assert mark(world, marker, node=node) == [error]
    assert whole(world) == before


def whole(world: TransactionWorld) -> object:
    """Every log, and what its leader remembers of producers."""
    logs = {(node, where): log.batches[:] for node in BROKERS for where, log in world.disks[node].logs.items()}
    answer = world.read()
    return logs, answer.last_stable_offset, answer.aborted


def test_an_administrator_ends_what_hangs(world: TransactionWorld) -> None:
    assert world.read().last_stable_offset < world.end(1)
    assert mark(world, (0, EPOCH, 5, "orders", 0), (0, EPOCH, 5, "nothing", 0)) == [
        E.NONE, E.UNKNOWN_TOPIC_OR_PARTITION,
    ]  # fmt: skip
    assert world.read().last_stable_offset == world.end(1)
    assert world.seen() == ["a"]
    assert [event.by_client for event in world.named(MarkerWritten)] == [False, True]


def test_a_producer_that_the_log_does_not_know_gets_its_marker_as_in_kafka(world: TransactionWorld) -> None:
    end = world.end(1)
    assert mark(world, (STRANGER, 0, 0, "orders", 0)) == [E.NONE]
    assert world.log(1).ends()[-1] == end + 1
    assert world.read().aborted == ()


def test_nothing_asked_is_nothing_told(world: TransactionWorld) -> None:
    request = request_of(WRITE_TXN_MARKERS, 1, WriteTxnMarkersRequest([]))
    assert run(world, 1, request, WRITE_TXN_MARKERS.begin(request, view_of(world, 1))).markers == []
