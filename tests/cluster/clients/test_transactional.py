"""A producer that writes in transactions, step by step, against answers written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.clients.transactional import ABORT, BEGIN, COMMIT, COORDINATOR, PRODUCE, Transactional, error_of
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
)
from cluster.model.record_batch import read_header, sequence_of

WHERE = TopicPartition("orders", 0)


def begun(version: int) -> Transactional:
    """It has its epoch, and a transaction is open."""
    producer = Transactional(client_id="A", transactional_id="t", version=version)
    step(producer, BEGIN, InitProducerIdResponse(producer_id=7, producer_epoch=0), InitProducerIdRequest)
    assert producer.is_open
    return producer


def step(producer: Transactional, name: str, answer: Any, kind: type, *texts: str) -> Any:
    """The next request of a step, and its answer."""
    ask = producer.next(name, WHERE, list(texts), 800)
    assert ask is not None and isinstance(ask.request, kind)
    assert (ask.partition == COORDINATOR) is (kind is not ProduceRequest)
    producer.done(name, answer, WHERE)
    if not texts:
        producer.ended(name)
    return ask.request


def written(producer: Transactional, text: str) -> ProduceRequest:
    request = step(producer, PRODUCE, None, ProduceRequest, text)
    assert isinstance(request, ProduceRequest) and read_header(request.records).transactional
    return request


def test_version_1_adds_its_partition_first_and_goes_on_in_its_epoch() -> None:
    producer = begun(1)
    step(producer, PRODUCE, AddPartitionsToTxnResponse(), AddPartitionsToTxnRequest, "a")
    assert sequence_of(written(producer, "a").records) == (0, 0)
    assert not step(producer, COMMIT, EndTxnResponse(), EndTxnRequest).bumps_epoch
    assert not producer.is_open
    producer.ended(BEGIN)
    step(producer, PRODUCE, AddPartitionsToTxnResponse(), AddPartitionsToTxnRequest, "b")
    assert sequence_of(written(producer, "b").records) == (0, 1)


def test_version_2_leaves_the_partition_to_the_leader_and_takes_an_epoch_from_each_end() -> None:
    producer = begun(2)
    assert written(producer, "a").adds_partition
    step(producer, ABORT, EndTxnResponse(producer_id=7, producer_epoch=1), EndTxnRequest)
    producer.ended(BEGIN)
    assert sequence_of(written(producer, "b").records) == (1, 0)


def test_a_transaction_that_nobody_knows_of_ends_without_a_word() -> None:
    producer = begun(2)
    assert producer.next(COMMIT, WHERE, [], 800) is None
    producer.ended(COMMIT)
    assert not producer.is_open


def test_who_does_not_know_what_became_of_a_record_aborts_and_asks_for_an_epoch() -> None:
    producer = begun(1)
    step(producer, PRODUCE, AddPartitionsToTxnResponse(), AddPartitionsToTxnRequest, "a")
    written(producer, "a")
    producer.failed("produce", -1)
    assert "can only abort" in producer.refusal(COMMIT) and not producer.refusal(ABORT)
    step(producer, ABORT, EndTxnResponse(), EndTxnRequest)
    asked = step(producer, BEGIN, InitProducerIdResponse(producer_id=7, producer_epoch=1), InitProducerIdRequest)
    assert (asked.producer_id, asked.producer_epoch) == (7, 0)
    assert producer.is_open and producer.producer_epoch == 1


@pytest.mark.parametrize(("function", "fenced"), [("end_txn", True), ("produce", False)])
def test_a_newer_epoch_ends_a_producer_where_the_coordinator_says_so(function: str, fenced: bool) -> None:  # noqa: FBT001
    producer = begun(2)
    producer.failed(function, ErrorCode.INVALID_PRODUCER_EPOCH)
    assert ("is fenced" in producer.refusal(ABORT)) is fenced


def test_steps_out_of_turn_are_refused_in_one_clause() -> None:
    producer = Transactional(client_id="A", transactional_id="t")
    assert producer.refusal(COMMIT) == "A has no open transaction; txn begin A comes first"
    assert begun(2).refusal(BEGIN) == "A has a transaction open; commit or abort it first"


def test_the_error_of_a_partition_is_that_of_the_answer() -> None:
    fenced = ErrorCode.PRODUCER_FENCED
    assert error_of(AddPartitionsToTxnResponse(partitions=(("orders", 0, int(fenced)),))) == fenced
