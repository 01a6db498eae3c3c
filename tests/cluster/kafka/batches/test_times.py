"""Which times of records a topic takes, and what becomes of them."""

from __future__ import annotations

import gzip

import pytest

from cluster.kafka.batches.header import Compression, ProducedBatch, check_produced
from cluster.kafka.batches.records import ClientRecord, read_records
from cluster.kafka.batches.times import USUAL_TIMES, TopicTimes, check_times, with_times_of
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import APPEND_TIME_BIT, check_crc
from tests.support.clients.client_batches import client_batch

NOW_MS = 1_700_000_000_000
HOUR_MS = 3_600_000
BY_BROKER = TopicTimes.of({"message.timestamp.type": "LogAppendTime"})
BOUNDED = TopicTimes.of({"message.timestamp.before.max.ms": " 1000", "message.timestamp.after.max.ms": "500"})
TIMED = [ClientRecord(0, NOW_MS, b"k", b"one"), ClientRecord(1, NOW_MS + 4, None, b"two")]


def taken(batch: bytes) -> ProducedBatch:
    found = check_produced(batch, 9)
    assert isinstance(found, ProducedBatch)
    return found


def judge(batch: bytes, now_ms: int, times: TopicTimes = USUAL_TIMES) -> ErrorCode | None:
    refusal = check_times(batch, taken(batch), now_ms, times)
    return None if refusal is None else refusal.error


def at(*times_ms: int, attributes: int = 0) -> bytes:
    records = [ClientRecord(number, time_ms, None, b"v") for number, time_ms in enumerate(times_ms)]
    packs = {Compression.GZIP: gzip.compress}
    return client_batch(records, attributes=attributes, pack=packs.get(Compression(attributes & 7), bytes))


def test_records_may_be_an_hour_ahead_and_no_further_and_as_old_as_they_like() -> None:
    assert judge(at(NOW_MS), NOW_MS - HOUR_MS) is None
    assert judge(at(NOW_MS), NOW_MS - HOUR_MS - 1) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(NOW_MS), 1 << 60) is None
    assert judge(at(NOW_MS), -1) is None, "nobody knows the time"


@pytest.mark.parametrize("attributes", [Compression.NONE, Compression.GZIP])
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


def test_of_records_that_cannot_be_read_the_first_is_looked_at() -> None:
    packed = at(NOW_MS - 1001, NOW_MS, attributes=Compression.LZ4)
    assert judge(packed, NOW_MS, BOUNDED) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(NOW_MS, NOW_MS - 1001, attributes=Compression.LZ4), NOW_MS, BOUNDED) is None


def test_append_times_become_those_of_the_producer() -> None:
    """Kafka clears the bit and writes the CRC anew; nothing else changes."""
    marked = client_batch(TIMED, attributes=APPEND_TIME_BIT | Compression.GZIP)
    kept = with_times_of(marked, USUAL_TIMES, NOW_MS)
    assert kept == client_batch(TIMED, attributes=Compression.GZIP)
    assert check_crc(kept)
    assert with_times_of(kept, USUAL_TIMES, NOW_MS) is kept


def test_append_times_are_for_the_broker_to_set() -> None:
    assert judge(at(-1, attributes=APPEND_TIME_BIT), 0) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(-1), 0) is None
    assert judge(at(NOW_MS, attributes=APPEND_TIME_BIT), NOW_MS, BY_BROKER) == ErrorCode.INVALID_TIMESTAMP
    assert judge(at(NOW_MS, NOW_MS - 1001, attributes=APPEND_TIME_BIT), NOW_MS, BOUNDED) is None, "one time for all"


def test_a_broker_sets_one_time_for_all_records_whatever_theirs_were() -> None:
    batch = at(5, NOW_MS * 2)
    assert judge(batch, NOW_MS, BY_BROKER) is None
    stamped = with_times_of(batch, BY_BROKER, NOW_MS)
    assert check_crc(stamped)
    assert [each.timestamp_ms for each in read_records(stamped)] == [NOW_MS, NOW_MS]
    assert (taken(stamped).base_timestamp_ms, len(stamped)) == (5, len(batch))
    assert with_times_of(batch, BY_BROKER, -1) is batch, "it does not know the time"
