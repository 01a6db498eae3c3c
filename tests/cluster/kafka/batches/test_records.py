"""Single records of a batch, and what bad or growing ones get."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
import zlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.kafka.batches.header import Compression, Refusal
from cluster.kafka.batches.record_walk import HEADERS_MAX
from cluster.kafka.batches.records import (
    UNPACKED_BYTES_MAX,
    BatchTooLargeError,
    ClientRecord,
    OpaqueBatchError,
    check_records,
    read_records,
)
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import HEADER_BYTES, CorruptBatchError, Record, encode_batch
from tests.support.clients.client_batches import (
    ATTRIBUTES_AT,
    COUNT_AT,
    LAST_DELTA_AT,
    body_batch,
    client_batch,
    packed_record,
    varint,
)

ZSTD_HEAD = b"\x28\xb5\x2f\xfd\x00\x58"
RLE_BLOCK, RLE_LAST = (((128 << 10) << 3 | 1 << 1 | last).to_bytes(3, "little") + b"x" for last in (0, 1))
NOW_MS = 1_700_000_000_000
parts = st.none() | st.binary(max_size=300)
headers = st.lists(st.tuples(st.binary(max_size=20), parts), max_size=3).map(tuple)
contents = st.lists(st.tuples(st.integers(0, 2**42), parts, parts, headers), min_size=1, max_size=8)


Content = tuple[int, bytes | None, bytes | None, tuple[tuple[bytes, bytes | None], ...]]


def numbered(content: list[Content], base: int) -> list[ClientRecord]:
    return [ClientRecord(base + at, *fields) for at, fields in enumerate(content)]


@given(contents, st.integers(0, 2**40), st.booleans())
def test_records_are_read_as_they_were_written(content: list[Content], base: int, zipped: bool) -> None:
    records = numbered(content, base)
    codec = Compression.GZIP if zipped else Compression.NONE
    batch = client_batch(records, attributes=codec, pack=gzip.compress if zipped else bytes, base_offset=base)
    for held in (batch, bytearray(batch), memoryview(batch)):
        assert read_records(held) == records


def test_our_own_batches_are_read_too() -> None:
    batch = encode_batch([Record(b"k", b"v"), Record(None, b"")], 7, 3, NOW_MS)
    assert read_records(batch) == [ClientRecord(7, NOW_MS, b"k", b"v"), ClientRecord(8, NOW_MS, None, b"")]


def test_gzip_in_several_members_is_one_stream() -> None:
    records = [ClientRecord(n, NOW_MS, None, b"x" * 50) for n in range(4)]

    def pack(data: bytes) -> bytes:
        return gzip.compress(data[:70]) + gzip.compress(data[70:])

    assert read_records(client_batch(records, attributes=Compression.GZIP, pack=pack)) == records


@pytest.mark.parametrize(
    ("codec", "name"),
    [(Compression.SNAPPY, "snappy"), (Compression.LZ4, "lz4"), (Compression.ZSTD, "zstd"), (6, "codec 6")],
)
def test_other_codecs_stay_opaque(codec: int, name: str) -> None:
    batch = client_batch([ClientRecord(0, NOW_MS, None, b"x")], attributes=codec)
    with pytest.raises(OpaqueBatchError, match=name):
        read_records(batch)


@pytest.mark.parametrize("pack", [lambda data: b"not gzip" + data, lambda data: gzip.compress(data)[:-9]])
def test_bad_gzip_is_corrupt(pack) -> None:  # type: ignore[no-untyped-def]  # one of the two lambdas above
    batch = client_batch([ClientRecord(0, NOW_MS, None, b"x" * 99)], attributes=Compression.GZIP, pack=pack)
    with pytest.raises(CorruptBatchError):
        read_records(batch)


def checked(batch: bytes) -> Refusal | None:
    """As a broker does, with what the header says."""
    return check_records(batch, batch[ATTRIBUTES_AT + 1] & 7, int.from_bytes(batch[COUNT_AT : COUNT_AT + 4], "big"))


@pytest.mark.parametrize("codec", [Compression.LZ4, Compression.ZSTD])
def test_what_no_codec_has_written_is_refused(codec: int) -> None:
    refusal = checked(client_batch([ClientRecord(0, NOW_MS, None, b"x")], attributes=codec))
    assert refusal is not None
    assert refusal.error == ErrorCode.INVALID_RECORD


def test_a_bomb_of_a_codec_that_is_not_read_is_refused_by_what_its_frame_says() -> None:
    blocks = 8_000
    body = ZSTD_HEAD + (RLE_BLOCK * (blocks - 1)) + RLE_LAST
    refusal = checked(
        client_batch([ClientRecord(0, NOW_MS, None, b"")], attributes=Compression.ZSTD, pack=lambda _: body)
    )
    assert refusal is not None
    assert refusal.error == ErrorCode.MESSAGE_TOO_LARGE
    assert str(blocks * (128 << 10)) in refusal.reason


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    body = b"".join(packer.compress(zeros) for _ in range(size >> 20)) + packer.flush()
    return client_batch([ClientRecord(0, NOW_MS, None, b"")], attributes=Compression.GZIP, pack=lambda _: body)


def test_a_bomb_is_refused_by_its_ratio() -> None:
    batch = bomb(16 << 20)
    assert len(batch) < 20_000
    with pytest.raises(BatchTooLargeError, match="records of more than"):
        read_records(batch)
    refusal = checked(batch)
    assert refusal is not None
    assert refusal.error == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.slow
def test_a_large_bomb_is_measured_in_pieces_and_never_kept() -> None:
    batch = bomb(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(BatchTooLargeError, match=str(UNPACKED_BYTES_MAX)):
            read_records(batch)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(batch) < peak < UNPACKED_BYTES_MAX // 4


def record(delta: int = 0, value: bytes | None = b"v") -> bytes:
    return packed_record(ClientRecord(0, NOW_MS, None, value), delta, NOW_MS)


@pytest.mark.parametrize(
    ("body", "count", "what"),
    [
        (record(0), 2, "cut short"),
        (record(0) + record(1), 1, "bytes after the last record"),
        (record(0) + record(0), 2, "another offset"),
        (record(-1), 1, "another offset"),
        (record(1), 1, "another offset"),
        (varint(-1) + record(0), 1, "longer than its batch"),
        (varint(2**31) + record(0), 1, "longer than its batch"),
        (
            varint(9) + b"\x00" + varint(0) + varint(0) + varint(-1) + varint(1) + b"v" + varint(0) + b"xx",
            1,
            "another length",
        ),
        (varint(8) + b"\x00" + varint(0) + varint(0) + varint(-2) + bytes(4), 1, "a part of -2 bytes"),
        (varint(8) + b"\x00" + varint(0) + varint(0) + varint(60) + bytes(4), 1, "a part of 60 bytes"),
        (varint(7) + b"\x00" + varint(0) + varint(0) + varint(-1) + varint(-1) + varint(-1), 1, "-1 headers|longer"),
        (b"\xff" * 12, 1, "too long"),
    ],
)
def test_records_that_do_not_fit_are_refused(body: bytes, count: int, what: str) -> None:
    batch = body_batch(body, count)
    with pytest.raises(CorruptBatchError, match=what):
        read_records(batch)
    refusal = checked(batch)
    assert refusal is not None
    assert refusal.error == ErrorCode.INVALID_RECORD


def test_headers_are_bounded() -> None:
    few = ClientRecord(0, NOW_MS, None, None, ((b"h", None),) * HEADERS_MAX)
    assert read_records(client_batch([few])) == [few]
    many = ClientRecord(0, NOW_MS, None, None, ((b"h", None),) * 10_000)
    with pytest.raises(CorruptBatchError, match="10000 headers"):
        read_records(client_batch([many]))


def test_a_header_has_a_name() -> None:
    body = b"\x00" + varint(0) + varint(0) + varint(-1) + varint(-1) + varint(1) + varint(-1) + varint(-1)
    with pytest.raises(CorruptBatchError, match="without a name"):
        read_records(body_batch(varint(len(body)) + body, 1))


def test_a_batch_ends_where_it_says() -> None:
    batch = client_batch([ClientRecord(0, NOW_MS, None, b"x")])
    with pytest.raises(CorruptBatchError, match="a batch of"):
        read_records(batch + b"x")


def test_mutated_records_raise_nothing_else() -> None:
    rng = Random(5)
    good = client_batch([ClientRecord(n, NOW_MS + n, b"k", b"v" * n, ((b"h", b"x"),)) for n in range(6)])
    zipped = client_batch([ClientRecord(0, NOW_MS, b"k", b"v")], attributes=Compression.GZIP, pack=gzip.compress)
    refusals = 0
    for number in range(4_000):
        bad = bytearray(zipped if number % 4 == 0 else good)
        for _ in range(rng.choice((1, 2, 3))):
            bad[rng.randrange(HEADER_BYTES, len(bad))] = rng.randrange(256)
        if number % 5 == 0:
            at = rng.choice((COUNT_AT, LAST_DELTA_AT, ATTRIBUTES_AT))
            bad[at : at + 2] = struct.pack(">h", rng.randrange(7))
        try:
            read_records(bytes(bad))
        except (CorruptBatchError, OpaqueBatchError, BatchTooLargeError):
            refusals += 1
    assert 1_000 < refusals < 4_000
