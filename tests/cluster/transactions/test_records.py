"""Records of __transaction_state have Kafka's layouts."""

from __future__ import annotations

import struct

import pytest

from cluster.coordination.fields import RecordError
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record
from cluster.transactions.records import key_of, read_record, record_of
from cluster.transactions.state import Transaction, TransactionState

WHOLE = Transaction(
    transactional_id="ab", producer_id=7, producer_epoch=3, last_epoch=2, previous_producer_id=5, next_producer_id=9,
    timeout_ms=60_000, state=TransactionState.PREPARE_COMMIT, started_ms=11, updated_ms=12, bumps_epoch=True,
    partitions=frozenset((TopicPartition("x", 1), TopicPartition("x", 0), TopicPartition("y", 4))),
)  # fmt: skip


def test_a_record_is_read_as_it_was_written() -> None:
    assert read_record(record_of(WHOLE)) == ("ab", WHOLE)


def test_the_layout_is_kafka_s() -> None:
    record = record_of(Transaction(transactional_id="ab", producer_id=7, producer_epoch=3, timeout_ms=9, updated_ms=1))
    assert record.key == b"\x00\x00\x00\x02ab"
    value = struct.pack(">hqhib", 1, 7, 3, 9, 0) + b"\x01" + struct.pack(">qq", 1, -1) + b"\x00"
    assert record.value == value


def test_version_0_is_read_too() -> None:
    value = struct.pack(">hqhib", 0, 7, 3, 9, 1) + struct.pack(">ih", 1, 1) + b"x" + struct.pack(">ii", 1, 4)
    read = read_record(Record(key_of("ab"), value + struct.pack(">qq", 1, 2)))
    assert read is not None and read[1] is not None
    assert (read[1].state, read[1].partitions) == (TransactionState.ONGOING, {TopicPartition("x", 4)})


def test_a_tombstone_forgets_and_other_keys_are_passed_over() -> None:
    assert read_record(Record(key_of("ab"), None)) == ("ab", None)
    assert read_record(Record(b"\x00\x05", b"")) is None


@pytest.mark.parametrize("value", [b"", b"\x00\x01", struct.pack(">hqhib", 1, 7, 3, 9, 44) + b"\x01" + bytes(17)])
def test_what_is_cut_or_no_state_is_no_record(value: bytes) -> None:
    with pytest.raises(RecordError):
        read_record(Record(key_of("ab"), value))
