"""What clients get wrong about transactions is told in Kafka's codes, and leaves nothing behind at any broker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from cluster.coordination.coordinator import NAME_BYTES_MAX
from cluster.kafka.api import Api
from cluster.kafka.apis.described_transactions import DESCRIBE_TRANSACTIONS, DescribeTransactionsRequest
from cluster.kafka.apis.init_producer_id import INIT_PRODUCER_ID, InitProducerIdRequest
from cluster.kafka.apis.transaction_offsets import (
    TXN_OFFSET_COMMIT,
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from cluster.kafka.apis.transactions import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    EndTxnRequest,
)
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import request_of, run, view_of
from tests.support.worlds.replica_world import BROKERS
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld

E = ErrorCode
AT_REST, AT_WORK, UNKNOWN = "rest", "work", "unknown"
"""Transactional ids: one that has committed, one with an open transaction, one that nobody has."""
OLD, NEW, STRANGER = -1, 1, 99
"""Epochs beside the one that is in force, and a producer id that nobody has."""
LONG = "i" * (NAME_BYTES_MAX + 1)


class Known(NamedTuple):
    """The producers that the brokers know."""

    world: TransactionWorld
    rest: TransactionalProducer
    work: TransactionalProducer

    def of(self, name: str) -> TransactionalProducer:
        """Who has the id; any where nobody has it."""
        return self.work if name == AT_WORK else self.rest


@pytest.fixture(scope="module")
def known() -> Known:
    world = TransactionWorld()
    rest, work = TransactionalProducer(world, AT_REST), TransactionalProducer(world, AT_WORK, version=1)
    for producer in (rest, work):
        producer.add()
        assert producer.write("a").error == E.NONE
    rest.commit_offset("g", 1)
    assert rest.end().error == E.NONE
    assert rest.write("b").error == E.NONE
    assert rest.end().error == E.NONE
    world.until(lambda: [told[2] for told in states(world)] == ["CompleteCommit", "Ongoing"])
    return Known(world, rest, work)


def states(world: TransactionWorld) -> list[tuple[Any, ...]]:
    """What the coordinator tells of each id that it keeps."""
    asked = core.DescribeTransactionsRequest(transactional_ids=(AT_REST, AT_WORK, UNKNOWN))
    told = world.asked(world.coordinator(), asked)
    return [each for each in told.transactions if each[0] == E.NONE]


def whole(world: TransactionWorld) -> object:
    """All that a broker could have kept of a request: what coordinators know, and every log."""
    groups = world.asked(world.coordinator("g", of_transaction=False), core.ListGroupsRequest())
    logs = {(node, where): log.batches[:] for node in BROKERS for where, log in world.disks[node].logs.items()}
    return states(world), groups, logs


class Case(NamedTuple):
    """One wrong request and what it gets."""

    api: Api
    version: int
    message: Callable[[Known], Any]
    error: ErrorCode


def init(name: str | None, shift: int | None = None, *, timeout_ms: int = 1_000, stranger: bool = False) -> Any:
    """InitProducerId; with a shift it names the producer's id and an epoch so far from its own."""

    def make(known: Known) -> Any:
        producer = known.of(name or "")
        if shift is None:
            return InitProducerIdRequest(name, timeout_ms)
        return InitProducerIdRequest(
            name, timeout_ms, STRANGER if stranger else producer.producer_id, producer.epoch + shift
        )

    return make


def identity(known: Known, name: str, shift: int, *, stranger: bool) -> tuple[str, int, int]:
    producer = known.of(name)
    return name, STRANGER if stranger else producer.producer_id, producer.epoch + shift


def add(name: str, shift: int = 0, *, stranger: bool = False) -> Any:
    topics = [AddPartitionsToTxnTopic("orders", [0])]
    return lambda known: AddPartitionsToTxnRequest(*identity(known, name, shift, stranger=stranger), topics)


def add_offsets(name: str, shift: int = 0, *, stranger: bool = False) -> Any:
    return lambda known: AddOffsetsToTxnRequest(*identity(known, name, shift, stranger=stranger), "g")


def end(name: str, shift: int = 0, *, stranger: bool = False, committed: bool = True) -> Any:
    return lambda known: EndTxnRequest(*identity(known, name, shift, stranger=stranger), committed)


def commit(
    name: str, shift: int = 0, *, stranger: bool = False, group: str = "g", generation: int = -1, topic: str = "orders"
) -> Any:
    def make(known: Known) -> Any:
        transactional_id, producer_id, epoch = identity(known, name, shift, stranger=stranger)
        offsets = TxnOffsetCommitRequestTopic(topic, [TxnOffsetCommitRequestPartition(0, 5, -1, None)])
        return TxnOffsetCommitRequest(transactional_id, group, producer_id, epoch, generation, "", None, [offsets])

    return make


CASES = {
    "init empty": Case(INIT_PRODUCER_ID, 5, init(""), E.INVALID_REQUEST),
    "init too long": Case(INIT_PRODUCER_ID, 5, init(LONG[: 1 << 15]), E.INVALID_REQUEST),
    "init no timeout": Case(INIT_PRODUCER_ID, 5, init(UNKNOWN, timeout_ms=0), E.INVALID_TRANSACTION_TIMEOUT),
    "init long timeout": Case(INIT_PRODUCER_ID, 5, init(AT_REST, timeout_ms=1 << 30), E.INVALID_TRANSACTION_TIMEOUT),
    "init stranger": Case(INIT_PRODUCER_ID, 5, init(AT_REST, 0, stranger=True), E.PRODUCER_FENCED),
    "init stranger, old version": Case(INIT_PRODUCER_ID, 3, init(AT_REST, 0, stranger=True), E.INVALID_PRODUCER_EPOCH),
    "init older epoch": Case(INIT_PRODUCER_ID, 5, init(AT_REST, -2), E.PRODUCER_FENCED),
    "init later epoch": Case(INIT_PRODUCER_ID, 5, init(AT_REST, NEW), E.PRODUCER_FENCED),
    "add unknown": Case(ADD_PARTITIONS_TO_TXN, 3, add(UNKNOWN), E.INVALID_PRODUCER_ID_MAPPING),
    "add empty": Case(ADD_PARTITIONS_TO_TXN, 3, add(""), E.INVALID_REQUEST),
    "add stranger": Case(ADD_PARTITIONS_TO_TXN, 3, add(AT_WORK, stranger=True), E.INVALID_PRODUCER_ID_MAPPING),
    "add older epoch": Case(ADD_PARTITIONS_TO_TXN, 3, add(AT_WORK, OLD), E.PRODUCER_FENCED),
    "add older epoch, old version": Case(ADD_PARTITIONS_TO_TXN, 1, add(AT_WORK, OLD), E.INVALID_PRODUCER_EPOCH),
    "add later epoch": Case(ADD_PARTITIONS_TO_TXN, 3, add(AT_WORK, NEW), E.PRODUCER_FENCED),
    "offsets unknown": Case(ADD_OFFSETS_TO_TXN, 4, add_offsets(UNKNOWN), E.INVALID_PRODUCER_ID_MAPPING),
    "offsets empty": Case(ADD_OFFSETS_TO_TXN, 4, add_offsets(""), E.INVALID_REQUEST),
    "offsets stranger": Case(ADD_OFFSETS_TO_TXN, 4, add_offsets(AT_WORK, stranger=True), E.INVALID_PRODUCER_ID_MAPPING),
    "offsets older epoch": Case(ADD_OFFSETS_TO_TXN, 4, add_offsets(AT_WORK, OLD), E.PRODUCER_FENCED),
    "end unknown": Case(END_TXN, 5, end(UNKNOWN), E.INVALID_PRODUCER_ID_MAPPING),
    "end empty": Case(END_TXN, 5, end(""), E.INVALID_REQUEST),
    "end stranger": Case(END_TXN, 5, end(AT_WORK, stranger=True), E.INVALID_PRODUCER_ID_MAPPING),
    "end older epoch": Case(END_TXN, 4, end(AT_WORK, OLD), E.PRODUCER_FENCED),
    "end older epoch, old version": Case(END_TXN, 1, end(AT_WORK, OLD), E.INVALID_PRODUCER_EPOCH),
    "end later epoch": Case(END_TXN, 4, end(AT_WORK, NEW), E.PRODUCER_FENCED),
    "end nothing": Case(END_TXN, 5, end(AT_REST), E.INVALID_TXN_STATE),
    "end otherwise": Case(END_TXN, 5, end(AT_REST, OLD, committed=False), E.INVALID_TXN_STATE),
    "commit unknown": Case(TXN_OFFSET_COMMIT, 5, commit(UNKNOWN), E.INVALID_PRODUCER_ID_MAPPING),
    "commit stranger": Case(TXN_OFFSET_COMMIT, 5, commit(AT_WORK, stranger=True), E.INVALID_PRODUCER_ID_MAPPING),
    "commit older epoch": Case(TXN_OFFSET_COMMIT, 5, commit(AT_WORK, OLD), E.INVALID_PRODUCER_EPOCH),
    "commit not added": Case(TXN_OFFSET_COMMIT, 4, commit(AT_WORK), E.TRANSACTION_ABORTABLE),
    "commit without a group": Case(TXN_OFFSET_COMMIT, 5, commit(AT_WORK, group=""), E.INVALID_GROUP_ID),
    "commit unknown to a new group": Case(
        TXN_OFFSET_COMMIT, 5, commit(UNKNOWN, group="none"), E.INVALID_PRODUCER_ID_MAPPING
    ),
    "commit of nothing that is there": Case(
        TXN_OFFSET_COMMIT, 5, commit(AT_WORK, group="none", topic="nothing"), E.UNKNOWN_TOPIC_OR_PARTITION
    ),
    "commit of no member": Case(TXN_OFFSET_COMMIT, 5, commit(AT_WORK, generation=4), E.UNKNOWN_MEMBER_ID),
    "commit of no group": Case(TXN_OFFSET_COMMIT, 5, commit(AT_WORK, group="none", generation=4), E.ILLEGAL_GENERATION),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_gets_kafka_s_code_and_leaves_nothing(known: Known, name: str) -> None:
    api, version, make, error = CASES[name]
    before = whole(known.world)
    assert errors_of(ask(known.world, api, version, make(known))) == [error]
    assert whole(known.world) == before


def ask(world: TransactionWorld, api: Api, version: int, message: Any) -> Any:
    """The coordinator's answer in Kafka's bytes."""
    node = world.coordinator("g", of_transaction=False) if api is TXN_OFFSET_COMMIT else world.coordinator()
    request = request_of(api, version, message)
    return run(world, node, request, api.begin(request, view_of(world, node)))


def errors_of(answer: Any) -> list[ErrorCode]:
    """Of the request, or of each partition that it names."""
    if hasattr(answer, "error_code"):
        return [ErrorCode(answer.error_code)]
    if hasattr(answer, "results_by_topic_v3_and_below"):
        topics = answer.results_by_topic_v3_and_below
        return [ErrorCode(each.partition_error_code) for topic in topics for each in topic.results_by_partition]
    return [ErrorCode(each.error_code) for topic in answer.topics for each in topic.partitions]


def test_an_id_that_nobody_has_is_not_found_and_the_empty_one_is_no_id(known: Known) -> None:
    before = whole(known.world)
    answer = ask(known.world, DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequest([UNKNOWN, "", AT_WORK]))
    errors = [ErrorCode(each.error_code) for each in answer.transaction_states]
    assert errors == [E.TRANSACTIONAL_ID_NOT_FOUND, E.INVALID_REQUEST, E.NONE]
    assert whole(known.world) == before
