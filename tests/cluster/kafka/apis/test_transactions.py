"""What clients ask about their transactions, and what they are told."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

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
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition
from cluster.model.partition_state import PartitionState
from tests.support.clients.client_world import VIEW, request_of

STATE = PartitionState(
    topic_id=5, replicas=(1,), isr=(1,), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)
WITH_ORDERS = replace(VIEW, partitions={TopicPartition("orders", 0): STATE})


def add(**topics: list[int]) -> AddPartitionsToTxnRequest:
    named = [AddPartitionsToTxnTopic(name, partitions) for name, partitions in topics.items()]
    return AddPartitionsToTxnRequest("t", 7, 3, named)


def answer_of(exchange: Any) -> Any:
    """What the client gets: every answer is there by now."""
    answer = exchange.response()
    assert answer is not None
    return answer


def test_all_partitions_are_added_or_none() -> None:
    request = request_of(ADD_PARTITIONS_TO_TXN, 3, add(orders=[0], nothing=[0]))
    told = answer_of(ADD_PARTITIONS_TO_TXN.begin(request, WITH_ORDERS))
    errors = [topic.results_by_partition[0].partition_error_code for topic in told.results_by_topic_v3_and_below]
    assert errors == [ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    internal = request_of(ADD_PARTITIONS_TO_TXN, 3, AddPartitionsToTxnRequest(
        "t", 7, 3, [AddPartitionsToTxnTopic(OFFSETS_TOPIC, [0])]
    ))  # fmt: skip
    told = answer_of(ADD_PARTITIONS_TO_TXN.begin(internal, VIEW))
    (topic,) = told.results_by_topic_v3_and_below
    assert topic.results_by_partition[0].partition_error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_older_versions_do_not_know_the_younger_word_for_a_fenced_producer() -> None:
    for version, expected in ((1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)):
        request = request_of(ADD_PARTITIONS_TO_TXN, version, add(orders=[0]))
        exchange = ADD_PARTITIONS_TO_TXN.begin(request, WITH_ORDERS)
        (asked,) = exchange.requests
        fenced = (("orders", 0, int(ErrorCode.PRODUCER_FENCED)),)
        exchange.answer(asked, core.AddPartitionsToTxnResponse(partitions=fenced))
        (topic,) = answer_of(exchange).results_by_topic_v3_and_below
        assert topic.results_by_partition[0].partition_error_code == expected


def test_the_end_of_version_5_bumps_the_epoch() -> None:
    for version, bumps in ((4, False), (5, True)):
        exchange = END_TXN.begin(request_of(END_TXN, version, EndTxnRequest("t", 7, 3, True)), VIEW)
        (asked,) = exchange.requests
        assert asked == core.EndTxnRequest(
            transactional_id="t", producer_id=7, producer_epoch=3, committed=True, bumps_epoch=bumps
        )
        exchange.answer(asked, core.EndTxnResponse(producer_id=7, producer_epoch=4))
        assert (answer_of(exchange).producer_id, answer_of(exchange).producer_epoch) == (7, 4)


def test_offsets_are_added() -> None:
    request = request_of(ADD_OFFSETS_TO_TXN, 3, AddOffsetsToTxnRequest("t", 7, 3, "g"))
    exchange = ADD_OFFSETS_TO_TXN.begin(request, VIEW)
    (asked,) = exchange.requests
    assert asked == core.AddOffsetsToTxnRequest(transactional_id="t", producer_id=7, producer_epoch=3, group="g")
    exchange.answer(asked, core.AddOffsetsToTxnResponse(error=ErrorCode.NOT_COORDINATOR))
    assert answer_of(exchange).error_code == ErrorCode.NOT_COORDINATOR
