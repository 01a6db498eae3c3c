"""What kafka-transactions asks for, on real processes: find a transaction that is open, and end it there."""

from __future__ import annotations

from typing import Any

from cluster.kafka.apis.describe_producers import (
    DESCRIBE_PRODUCERS,
    DescribeProducersRequest,
    TopicRequest,
)
from cluster.kafka.apis.write_txn_markers import (
    WRITE_TXN_MARKERS,
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from cluster.model.errors import ErrorCode
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.raw_client import RawClient

TOPIC = "hangs"


def producer_of(client: RawClient) -> Any:
    """The one that writes to the topic."""
    answer = client.ask(DESCRIBE_PRODUCERS, 0, DescribeProducersRequest([TopicRequest(TOPIC, [0])]))
    (producer,) = answer.topics[0].partitions[0].active_producers
    return producer


def abort(client: RawClient, producer_id: int, epoch: int, topic: str = TOPIC) -> ErrorCode:
    marker = WritableTxnMarker(producer_id, epoch, False, [WritableTxnMarkerTopic(topic, [0])], 0)
    answer = client.ask(WRITE_TXN_MARKERS, 1, WriteTxnMarkersRequest([marker]))
    return ErrorCode(answer.markers[0].topics[0].partitions[0].error_code)


def test_an_administrator_finds_an_open_transaction_and_ends_it(lab: LivingLab) -> None:
    lab.do(f"topic {TOPIC} assign=2 replicas=1")
    lab.do("txn begin H id=hangs")
    lab.do(f"txn produce H {TOPIC} 2")
    with RawClient(lab.ports[2]) as client:
        found = producer_of(client)
        assert found.current_txn_start_offset == 0
        assert abort(client, found.producer_id, found.producer_epoch, "nowhere") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert producer_of(client) == found
        assert abort(client, found.producer_id, found.producer_epoch) == ErrorCode.NONE
        assert producer_of(client).current_txn_start_offset == -1
