"""The flat walk over a batch's records, held against the reader that makes objects of them."""

from __future__ import annotations

from random import Random

import pytest

from cluster.kafka.batches.record_walk import HEADERS_MAX, have_keys, time_deltas, what_is_wrong
from cluster.model.record_batch import CorruptBatchError
from tests.support.clients.client_batches import ClientRecord, body_batch, packed_record, read_records, varint

NOW_MS = 1_700_000_000_000


def packed(count: int, value: bytes = b"v" * 20, *, late_ms: int = 0) -> bytes:
    records = [ClientRecord(n, NOW_MS + n * late_ms, b"key", value) for n in range(count)]
    return b"".join(packed_record(record, delta, NOW_MS) for delta, record in enumerate(records))


@pytest.mark.parametrize("count", [1, 63, 64, 300, 8_193, 20_000])
def test_sane_records_pass_however_many(count: int) -> None:
    body = packed(count)
    assert what_is_wrong(body, 0, count) == ""
    assert what_is_wrong(body, 0, count - 1) == "there are bytes after the last record"
    assert what_is_wrong(body, 0, count + 1) == "a record is cut short"


@pytest.mark.parametrize("late_ms", [0, 31, 5_000, 2**40, -(2**40)])
def test_a_time_may_be_as_far_away_as_it_likes(late_ms: int) -> None:
    assert what_is_wrong(packed(3, late_ms=late_ms), 0, 3) == ""


@pytest.mark.parametrize("count", [1, 15, 16, 63, 64, 65, 300, 8_200])
@pytest.mark.parametrize("late_ms", [0, 1, -3, 31, 5_000, -(2**40)])
@pytest.mark.parametrize("last", [b"v" * 20, b"another length"])
def test_times_are_read_from_records_that_look_alike_and_from_others(count: int, late_ms: int, last: bytes) -> None:
    times = [NOW_MS + (n % 9) * late_ms for n in range(count)]
    values = [b"v" * 20] * (count - 1) + [last]
    records = [
        ClientRecord(n, time_ms, b"key", value) for n, (time_ms, value) in enumerate(zip(times, values, strict=True))
    ]
    body = b"".join(packed_record(record, delta, NOW_MS) for delta, record in enumerate(records))
    assert time_deltas(body, 0, count) == {time_ms - NOW_MS for time_ms in times}
    assert have_keys(body, 0, count)
    assert not have_keys(body + packed_record(ClientRecord(count, NOW_MS, None, last), count, NOW_MS), 0, count + 1)


@pytest.mark.parametrize("value", [None, b"", b"x" * 64, b"x" * 10_000])
def test_a_value_may_be_null_empty_or_long(value: bytes | None) -> None:
    body = packed_record(ClientRecord(0, NOW_MS, None, value), 0, NOW_MS)
    assert what_is_wrong(body, 0, 1) == ""


def with_headers(count: int) -> bytes:
    return packed_record(ClientRecord(0, NOW_MS, None, None, ((b"h", None),) * count), 0, NOW_MS)


def test_so_many_headers_are_taken_and_no_more() -> None:
    assert what_is_wrong(with_headers(HEADERS_MAX), 0, 1) == ""
    assert what_is_wrong(with_headers(10_000), 0, 1) == "a record has 10000 headers, at most 1000 are taken"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (packed_record(ClientRecord(0, NOW_MS, None, b"v"), -1, NOW_MS), "another offset delta"),
        (packed_record(ClientRecord(0, NOW_MS, None, b"v"), 1, NOW_MS), "another offset delta"),
        (b"\x0e\x00\x00\x00" + varint(-2) + bytes(3), "negative length"),
        (b"\x0e\x00\x00\x00" + varint(60) + bytes(3), "cut short"),
        (b"\x0c\x00\x00\x00\x01\x01" + varint(-1), "negative number of headers"),
        (b"\x0e\x00\x00\x00\x01\x01\x02\x01", "no name"),
        (b"\x10\x00\x00\x00\x01\x01\x02\x00" + varint(-2), "negative length"),
        (b"\x0d" + bytes(9), "no length that a record may have"),
        (b"\x02\x00", "no length that a record may have"),
        (b"\x20\x00" + b"\xff" * 14, "more than 64 bits"),
        (b"\x10\x00\x00\x00\x01\x01\x00\x00\x00", "another length than the record"),
        (b"\xff" * 12, "varint"),
    ],
)
def test_what_is_no_record_is_told_in_a_clause(body: bytes, what: str) -> None:
    assert what in what_is_wrong(body, 0, 1)


@pytest.mark.parametrize("count", [16, 64, 65, 200, 8_200])
def test_records_that_look_alike_are_held_to_the_same_as_others(count: int) -> None:
    rng = Random(count)
    good = packed(count)
    one = len(good) // count
    for _ in range(max(12, 4_000 // count)):
        at, byte = rng.randrange(count) * one + rng.randrange(12), rng.randrange(256)
        bad = good[:at] + bytes((byte,)) + good[at + 1 :]
        try:
            read_records(body_batch(bad, count))
            is_sane = True
        except CorruptBatchError:
            is_sane = False
        assert (what_is_wrong(bad, 0, count) == "") is is_sane, (at, byte)


def test_it_takes_what_the_reader_takes_and_refuses_what_the_reader_refuses() -> None:
    rng = Random(11)
    good = b"".join(
        packed_record(ClientRecord(n, NOW_MS + 70 * n, b"k", b"v" * (n * 9), ((b"h", b"x"),)), n, NOW_MS)
        for n in range(9)
    )
    taken = 0
    for _ in range(6_000):
        bad = bytearray(good)
        for _ in range(rng.choice((1, 1, 2))):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        try:
            read_records(body_batch(bytes(bad), 9))
            is_sane = True
        except CorruptBatchError:
            is_sane = False
        assert (what_is_wrong(bytes(bad), 0, 9) == "") is is_sane, bad.hex()
        taken += is_sane
    assert 500 < taken < 5_500
