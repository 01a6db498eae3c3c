"""Which times of records a topic takes, and what becomes of them."""

from __future__ import annotations

import struct

import pytest

from cluster.kafka.batches.header import ProducedBatch, Refusal, check_produced
from cluster.kafka.batches.records import Written, check_records
from cluster.kafka.batches.times import USUAL_TIMES, TopicTimes, check_times, with_times_of
from cluster.model.compression import Compression, packed
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import APPEND_TIME_BIT, check_crc
from tests.support.clients.client_batches import ClientRecord, client_batch, patched, read_records

NOW_MS = 1_700_000_000_000
HOUR_MS = 3_600_000
BY_BROKER = TopicTimes.of({"message.timestamp.type": "LogAppendTime"})
BOUNDED = TopicTimes.of({"message.timestamp.before.max.ms": " 1000", "message.timestamp.after.max.ms": "500"})


def taken(batch: bytes) -> ProducedBatch:
    found = check_produced(batch, 9)
    assert isinstance(found, ProducedBatch)
    return found


def judge(batch: bytes, now_ms: int, times: TopicTimes = USUAL_TIMES) -> ErrorCode | None:
    refusal = check_times(taken(batch), written(batch), now_ms, times)
    return None if refusal is None else refusal.error


def written(batch: bytes) -> Written:
    found = check_records(batch, taken(batch), reads_times=True)
    assert isinstance(found, Written)
    return found


def kept_as(batch: bytes, times: TopicTimes, now_ms: int) -> bytes:
    return with_times_of(batch, written(batch).newest_ms, times, now_ms)


def at(*times_ms: int, attributes: int = 0) -> bytes:
    records = [ClientRecord(number, time_ms, None, b"v") for number, time_ms in enumerate(times_ms)]
    codec = attributes & 7
    return client_batch(records, attributes=attributes, pack=lambda data: packed(codec, data) if codec else data)


def test_records_may_be_an_hour_ahead_and_no_further_and_as_old_as_they_like() -> None:
    assert judge(at(NOW_MS), NOW_MS - HOUR_MS) is None
    assert judge(at(NOW_MS), NOW_MS - HOUR_MS - 1) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(NOW_MS), 1 << 60) is None
    assert judge(at(NOW_MS), -1) is None, "nobody knows the time"


@pytest.mark.parametrize("attributes", Compression)
@pytest.mark.parametrize(
    ("times_ms", "error"),
    [
        ((NOW_MS - 1000, NOW_MS + 500), None),
        ((NOW_MS, NOW_MS + 501), ErrorCode.INVALID_TIMESTAMP),
        ((NOW_MS, NOW_MS - 1001), ErrorCode.INVALID_TIMESTAMP),
        ((-1, -1), None),
        ((NOW_MS, -1), None),
    ],
)
def test_a_topic_bounds_how_old_and_how_far_ahead_each_record_may_be(
    attributes: int, times_ms: tuple[int, ...], error: ErrorCode | None
) -> None:
    assert judge(at(*times_ms, attributes=attributes), NOW_MS, BOUNDED) == error


@pytest.mark.parametrize("attributes", [codec for codec in Compression if codec])
def test_a_compressed_batch_is_judged_and_kept_by_its_records_whatever_its_header_says(attributes: int) -> None:
    """Kafka 4.1 gives the same answers."""
    ahead = at(NOW_MS, NOW_MS + 60_000, NOW_MS, attributes=attributes)
    assert judge(patched(ahead, 35, struct.pack(">q", NOW_MS)), NOW_MS, BOUNDED) == ErrorCode.INVALID_TIMESTAMP
    good = at(NOW_MS, NOW_MS + 400, NOW_MS, attributes=attributes)
    assert kept_as(patched(good, 35, struct.pack(">q", NOW_MS + 7_000)), BOUNDED, NOW_MS) == good
    assert kept_as(good, BOUNDED, NOW_MS) is good


def test_a_time_that_no_clock_can_show_is_refused() -> None:
    batch = at(5, 5, attributes=Compression.GZIP)
    refusal = check_records(patched(batch, 27, struct.pack(">q", (1 << 63) - 1)), taken(batch))
    assert isinstance(refusal, Written), "the largest that there is"
    late = at(5, 6, attributes=Compression.GZIP)
    late = patched(late, 27, struct.pack(">q", (1 << 63) - 1))
    refused = check_records(late, taken(late))
    assert isinstance(refused, Refusal) and refused.error == ErrorCode.INVALID_TIMESTAMP


def test_append_times_become_those_of_the_producer() -> None:
    """Kafka clears the bit and writes the CRC anew; nothing else changes."""
    marked = at(NOW_MS, NOW_MS + 4, attributes=APPEND_TIME_BIT | Compression.GZIP)
    kept = kept_as(marked, USUAL_TIMES, NOW_MS)
    assert kept == at(NOW_MS, NOW_MS + 4, attributes=Compression.GZIP)
    assert check_crc(kept)
    assert kept_as(kept, USUAL_TIMES, NOW_MS) is kept


def test_append_times_are_for_the_broker_to_set() -> None:
    assert judge(at(-1, attributes=APPEND_TIME_BIT), 0) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(-1), 0) is None
    assert judge(at(NOW_MS, attributes=APPEND_TIME_BIT), NOW_MS, BY_BROKER) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(NOW_MS, NOW_MS - 1001, attributes=APPEND_TIME_BIT), NOW_MS, BOUNDED) is None, "one time for all"


def test_a_broker_sets_one_time_for_all_records_whatever_theirs_were() -> None:
    batch = at(5, NOW_MS * 2)
    assert judge(batch, NOW_MS, BY_BROKER) is None
    stamped = kept_as(batch, BY_BROKER, NOW_MS)
    assert check_crc(stamped)
    assert [each.timestamp_ms for each in read_records(stamped)] == [NOW_MS, NOW_MS]
    assert (taken(stamped).base_timestamp_ms, len(stamped)) == (5, len(batch))
    assert kept_as(batch, BY_BROKER, -1) is batch, "it does not know the time"
