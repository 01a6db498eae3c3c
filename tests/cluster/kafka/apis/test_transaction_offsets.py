"""Offsets that count with a transaction, in Kafka's bytes, in every version."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.apis.transaction_offsets import (
    TXN_OFFSET_COMMIT,
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import VIEW, request_of, told


def commit() -> TxnOffsetCommitRequest:
    orders = TxnOffsetCommitRequestTopic("orders", [
        TxnOffsetCommitRequestPartition(1, 7, 2, "here"), TxnOffsetCommitRequestPartition(0, 9, 3, None),
    ])  # fmt: skip
    bills = TxnOffsetCommitRequestTopic("bills", [TxnOffsetCommitRequestPartition(0, 4, -1, "")])
    return TxnOffsetCommitRequest("t", "g", 7, 3, 5, "m", None, [orders, bills])


def asked(version: int) -> core.TxnOffsetCommitRequest:
    """What the core is asked."""
    (message,) = TXN_OFFSET_COMMIT.begin(request_of(TXN_OFFSET_COMMIT, version, commit()), VIEW).requests
    assert isinstance(message, core.TxnOffsetCommitRequest)
    return message


def answered(version: int, *errors: ErrorCode) -> Any:
    """What the client reads when the core says this of each."""
    request = request_of(TXN_OFFSET_COMMIT, version, commit())
    exchange = TXN_OFFSET_COMMIT.begin(request, VIEW)
    (message,) = exchange.requests
    partitions = tuple(
        (topic, partition, int(error))
        for (topic, partition), error in zip((("orders", 1), ("orders", 0), ("bills", 0)), errors, strict=True)
    )
    exchange.answer(message, core.TxnOffsetCommitResponse(partitions=partitions))
    return told(request, exchange.response())


@pytest.mark.parametrize("version", TXN_OFFSET_COMMIT.versions)
def test_the_transaction_its_group_and_every_offset_are_handed_on(version: int) -> None:
    message = asked(version)
    assert (message.transactional_id, message.group, message.producer_id, message.producer_epoch) == ("t", "g", 7, 3)
    epochs = (2, 3) if version >= 2 else (-1, -1)
    assert message.offsets == (
        ("orders", 1, 7, epochs[0], "here"), ("orders", 0, 9, epochs[1], ""), ("bills", 0, 4, -1, ""),
    )  # fmt: skip


@pytest.mark.parametrize(("version", "generation", "member"), [(2, -1, ""), (3, 5, "m")])
def test_versions_before_3_do_not_say_whose_offsets_they_are(version: int, generation: int, member: str) -> None:
    message = asked(version)
    assert (message.generation, message.member_id, message.instance_id) == (generation, member, "")


@pytest.mark.parametrize(("version", "adds"), [(4, False), (5, True)])
def test_from_version_5_on_the_commit_adds_the_group_s_partition(version: int, adds: bool) -> None:
    assert asked(version).adds_partition is adds


@pytest.mark.parametrize("version", TXN_OFFSET_COMMIT.versions)
def test_each_partition_has_the_error_of_its_own_place_in_the_request(version: int) -> None:
    response = answered(version, ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.ILLEGAL_GENERATION)
    errors = [
        (topic.name, [(it.partition_index, it.error_code) for it in topic.partitions]) for topic in response.topics
    ]
    assert errors == [
        ("orders", [(1, ErrorCode.NONE), (0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]),
        ("bills", [(0, ErrorCode.ILLEGAL_GENERATION)]),
    ]


@pytest.mark.parametrize(
    ("version", "error"), [(1, ErrorCode.COORDINATOR_NOT_AVAILABLE), (2, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)]
)
def test_versions_before_2_are_not_told_that_a_coordinator_loads(version: int, error: ErrorCode) -> None:
    response = answered(version, *[ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 3)
    assert {item.error_code for topic in response.topics for item in topic.partitions} == {error}
