"""Transactions on whole nodes: all or nothing, for every reader, whoever dies."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.coordination.coordinator import NAME_BYTES_MAX
from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionCoordinatorLoaded, TransactionRefused
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    DescribeTransactionsRequest,
    EndTxnRequest,
    InitProducerIdRequest,
    ListTransactionsRequest,
)
from tests.support.worlds.coordinated import Coordinated, Log
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_committed_is_read_and_what_is_aborted_is_not(version: int) -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world, version=version)
    for value, committed in (("a", True), ("b", False), ("c", True)):
        if version == 1:
            assert producer.add().partitions == (("orders", 0, 0),)
        assert producer.write(value).error == ErrorCode.NONE
        assert value not in world.seen(), "it is open"
        assert producer.end(committed=committed).error == ErrorCode.NONE
        world.wait(500)
    assert world.seen() == ["a", "c"]
    assert producer.epoch == (3 if version == 2 else 0)
    ends = [state for state in world.states() if state.startswith("Complete")]
    assert ends == ["CompleteCommit", "CompleteAbort", "CompleteCommit"]


def test_an_open_transaction_goes_on_with_the_next_coordinator() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.write("a")
    first = world.coordinator()
    world.kill(first)
    world.until(lambda: world.coordinator() != first)
    assert producer.end().error == ErrorCode.NONE
    leader = world.state().leader
    world.until(lambda: world.seen(leader) == ["a"])
    loaded = world.named(TransactionCoordinatorLoaded)
    assert [event.transactions for event in loaded if event.leader_epoch > 0] == [
        (("t", "Ongoing", producer.producer_id, producer.epoch - 1),)
    ]


def test_an_id_that_is_none_is_refused_and_leaves_no_state() -> None:
    world = TransactionWorld()
    TransactionalProducer(world)
    home = world.coordinator()
    unknown: dict[str, Any] = {"transactional_id": "nobody", "producer_id": 77, "producer_epoch": 0}
    mapping = ErrorCode.INVALID_PRODUCER_ID_MAPPING
    added = world.asked(home, AddPartitionsToTxnRequest(**unknown, partitions=(("orders", 0),)))
    assert added.partitions == (("orders", 0, mapping),)
    assert world.asked(home, EndTxnRequest(**unknown, committed=True)).error == mapping
    world.coordinator("g", of_transaction=False)
    assert world.asked(home, AddOffsetsToTxnRequest(**unknown, group="g")).error == mapping
    empty = InitProducerIdRequest(client_id="p", transactional_id="")
    assert world.asked(home, empty).error == ErrorCode.INVALID_REQUEST
    long = InitProducerIdRequest(client_id="p", transactional_id="t2", transaction_timeout_ms=1 << 30)
    assert world.asked(home, long).error == ErrorCode.INVALID_TRANSACTION_TIMEOUT
    listed = world.asked(home, ListTransactionsRequest())
    assert [name for name, _, _ in listed.transactions] == ["t"]
    assert {event.request for event in world.named(TransactionRefused)} >= {"EndTxn", "AddPartitionsToTxn"}


def test_a_broker_that_does_not_coordinate_an_id_says_so() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    other = next(node for node in (1, 2, 3) if node != world.coordinator())
    request = EndTxnRequest(
        transactional_id="t", producer_id=producer.producer_id, producer_epoch=producer.epoch, committed=True
    )
    assert world.asked(other, request).error == ErrorCode.NOT_COORDINATOR
    told = world.asked(other, DescribeTransactionsRequest(transactional_ids=("t",)))
    assert told.transactions == ((ErrorCode.NOT_COORDINATOR, "t", "", 0, -1, -1, -1, ()),)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", ErrorCode.INVALID_REQUEST),
        ("x" * (NAME_BYTES_MAX + 1), ErrorCode.INVALID_REQUEST),
        ("x" * NAME_BYTES_MAX, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND),
    ],
)
def test_an_id_without_bytes_or_with_too_many_is_no_id(name: str, error: ErrorCode) -> None:
    told = Coordinated().ask(DescribeTransactionsRequest(transactional_ids=(name,)))
    assert told.transactions[0][0] == error


def test_what_is_out_of_its_time_is_looked_for_as_long_as_there_is_something_to_coordinate() -> None:
    world = Coordinated()
    looks = {"transactions.abort", "transactions.expire"}
    assert looks <= set(world.timers)
    for name in sorted(looks):
        world.timers.clear()
        world.fire(name)
        assert set(world.timers) == {name}
    world.timers.clear()
    world.do(world.coordinator.lead(1, 4, Log(), 0))
    assert not looks & set(world.timers), "one for all partitions"
    for partition in (0, 1):
        world.do(world.coordinator.resign(partition, 0))
    for name in sorted(looks):
        world.timers.clear()
        world.fire(name)
        assert not world.timers


def test_before_its_topic_is_there_nobody_coordinates_and_while_it_is_read_it_is_loading() -> None:
    world = Coordinated()
    world.coordinator.partition_count = 0
    asked = DescribeTransactionsRequest(transactional_ids=("t",))
    assert world.ask(asked).transactions[0][0] == ErrorCode.NOT_COORDINATOR
    world.coordinator.partition_count = 1
    world.do(world.coordinator.lead(0, 5, Log(), 0))
    assert world.ask(asked).transactions[0][0] == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    world.fire("transactions.load.0")
    world.do(world.coordinator.look(0))
    assert world.ask(asked).transactions[0][0] == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
