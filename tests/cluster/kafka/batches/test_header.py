"""What a broker refuses without looking at records, and how it puts a batch in its place."""

from __future__ import annotations

import struct
from random import Random

import pytest

from cluster.kafka.batches.header import (
    BATCH_BYTES_MAX,
    ProducedBatch,
    Refusal,
    check_produced,
    place,
    placed,
)
from cluster.model.compression import Compression
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import (
    CONTROL_BIT,
    TRANSACTIONAL_BIT,
    Record,
    check_crc,
    decode_records,
    encode_batch,
    read_header,
    with_offset_and_epoch,
)
from tests.support.clients.client_batches import (
    ATTRIBUTES_AT,
    COUNT_AT,
    LAST_DELTA_AT,
    ClientRecord,
    client_batch,
    patched,
)

RECORDS = [ClientRecord(n, 1_700_000_000_000 + n, b"k%d" % n, b"v" * n) for n in range(5)]
GOOD = client_batch(RECORDS)
VERSION = 9


def refused(records: bytes | None, version: int = VERSION, bytes_max: int = BATCH_BYTES_MAX) -> ErrorCode:
    found = check_produced(records, version, bytes_max)
    assert isinstance(found, Refusal)
    assert found.reason
    return found.error


def taken(records: bytes, version: int = VERSION) -> ProducedBatch:
    found = check_produced(records, version)
    assert isinstance(found, ProducedBatch), found
    return found


def test_a_sane_batch_is_taken_with_what_its_header_says() -> None:
    batch = taken(client_batch(RECORDS, attributes=Compression.LZ4, producer=(4_001, 3, 7)))
    assert (batch.count, batch.compression, batch.producer_id, batch.producer_epoch) == (5, Compression.LZ4, 4_001, 3)
    assert (batch.base_sequence, batch.last_sequence) == (7, 11)
    assert (batch.base_timestamp_ms, batch.max_timestamp_ms) == (1_700_000_000_000, 1_700_000_000_004)
    assert taken(GOOD).last_sequence == -1


def test_our_own_logs_hold_the_same_layout() -> None:
    batch = taken(encode_batch([Record(b"k", b"v")] * 3))
    assert (batch.count, batch.compression, batch.producer_id) == (3, Compression.NONE, -1)
    assert [record.value for record in decode_records(client_batch(RECORDS))] == [record.value for record in RECORDS]


def test_sequences_wrap_to_zero() -> None:
    assert taken(client_batch(RECORDS, producer=(1, 0, 2**31 - 2))).last_sequence == 2


def test_a_record_set_may_be_a_view() -> None:
    for held in (bytearray(GOOD), memoryview(b"xx" + GOOD)[2:]):
        assert check_produced(held, VERSION) == taken(GOOD)


@pytest.mark.parametrize("records", [None, b""])
def test_no_batch_is_refused(records: bytes | None) -> None:
    assert refused(records) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("size", [1, 16, 17, 60, 61, len(GOOD) - 1])
def test_a_batch_that_is_cut_short_is_none(size: int) -> None:
    assert refused(GOOD[:size]) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(("magic", "error"), [(0, 87), (1, 87), (3, 2), (-1, 2)])
def test_only_format_2_is_taken(magic: int, error: int) -> None:
    assert refused(GOOD[:16] + struct.pack(">b", magic) + GOOD[17:]) == error


@pytest.mark.parametrize(("length", "error"), [(0, 2), (-1, 2), (13, 2), (48, 2), (-(2**31), 2), (2**31 - 1, 87)])
def test_a_length_that_cannot_be_is_corrupt_and_one_that_is_not_reached_is_no_batch(length: int, error: int) -> None:
    assert refused(GOOD[:8] + struct.pack(">i", length) + GOOD[12:]) == error


def test_one_batch_for_a_partition() -> None:
    assert refused(GOOD + GOOD) == ErrorCode.INVALID_RECORD


def test_a_producer_counts_from_offset_0() -> None:
    assert refused(client_batch(RECORDS, base_offset=7)) == ErrorCode.INVALID_RECORD


def test_a_batch_may_be_as_large_as_the_limit_and_no_larger() -> None:
    assert isinstance(check_produced(GOOD, VERSION, len(GOOD)), ProducedBatch)
    assert refused(GOOD, bytes_max=len(GOOD) - 1) == ErrorCode.MESSAGE_TOO_LARGE


def test_every_byte_that_the_crc_covers_is_guarded() -> None:
    for at in range(ATTRIBUTES_AT, len(GOOD)):
        bad = bytearray(GOOD)
        bad[at] ^= 0x10
        assert refused(bytes(bad)) == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("count", [0, -1, 4, 6, 2**31 - 1])
def test_the_count_agrees_with_the_last_offset(count: int) -> None:
    assert refused(patched(GOOD, COUNT_AT, struct.pack(">i", count))) == ErrorCode.INVALID_RECORD
    assert refused(patched(GOOD, LAST_DELTA_AT, struct.pack(">i", count - 1))) == ErrorCode.INVALID_RECORD


def test_more_records_than_bytes_are_refused_when_they_are_not_compressed() -> None:
    many = patched(GOOD, COUNT_AT, struct.pack(">i", 1_000))
    many = patched(many, LAST_DELTA_AT, struct.pack(">i", 999))
    assert refused(many) == ErrorCode.INVALID_RECORD
    assert taken(patched(many, ATTRIBUTES_AT, struct.pack(">h", Compression.SNAPPY))).count == 1_000


@pytest.mark.parametrize(
    ("attributes", "version", "error"),
    [
        (CONTROL_BIT, 9, ErrorCode.INVALID_RECORD),
        (TRANSACTIONAL_BIT, 9, ErrorCode.INVALID_RECORD),
        (5, 9, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (7, 9, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (Compression.ZSTD, 6, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
    ],
)
def test_attributes_that_a_producer_may_not_set(attributes: int, version: int, error: ErrorCode) -> None:
    assert refused(client_batch(RECORDS, attributes=attributes), version) == error


def test_zstd_is_taken_from_produce_7_on() -> None:
    assert taken(client_batch(RECORDS, attributes=Compression.ZSTD), 7).compression == Compression.ZSTD


@pytest.mark.parametrize("producer", [(1, 0, -1), (1, -1, 0), (0, 0, -1)])
def test_a_producer_id_comes_with_epoch_and_sequence(producer: tuple[int, int, int]) -> None:
    assert refused(client_batch(RECORDS, producer=producer)) == ErrorCode.INVALID_RECORD


def test_a_batch_is_placed_without_touching_what_the_crc_covers() -> None:
    data = bytearray(b"head" + GOOD + b"tail")
    place(memoryview(data)[4:-4], 1 << 40, 9)
    assert data[:4] + data[-4:] == b"headtail"
    whole = bytes(data[4:-4])
    assert whole == with_offset_and_epoch(GOOD, 1 << 40, 9)
    assert check_crc(whole)
    header = read_header(whole)
    assert (header.base_offset, header.leader_epoch, header.end_offset) == (1 << 40, 9, (1 << 40) + 5)


def test_a_batch_that_may_not_be_written_to_is_placed_in_two_parts() -> None:
    head, tail = placed(GOOD, 77, 4)
    assert head + tail == with_offset_and_epoch(GOOD, 77, 4)
    assert tail.obj is GOOD


def test_mutated_batches_are_taken_or_refused() -> None:
    rng = Random(11)
    for _ in range(3_000):
        bad = bytearray(GOOD)
        for _ in range(rng.choice((1, 2, 4))):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        bad = bad[: rng.choice((len(bad), rng.randrange(len(bad))))]
        assert isinstance(check_produced(bytes(bad), VERSION), ProducedBatch | Refusal)
        if len(bad) > COUNT_AT + 4:
            assert isinstance(check_produced(patched(bytes(bad), 21, b""), VERSION), ProducedBatch | Refusal)
