"""Single records of a batch, and what bad or growing ones get."""

from __future__ import annotations

import gzip
import struct
import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.kafka.batches.header import ProducedBatch, Refusal, check_produced
from cluster.kafka.batches.record_walk import HEADERS_MAX
from cluster.kafka.batches.records import Written, check_records
from cluster.model.compression import Compression, packed
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import HEADER_BYTES, CorruptBatchError, Record, encode_batch
from tests.support.clients.client_batches import (
    ATTRIBUTES_AT,
    COUNT_AT,
    LAST_DELTA_AT,
    ClientRecord,
    body_batch,
    client_batch,
    packed_record,
    patched,
    read_records,
    varint,
)

CODECS = [codec for codec in Compression if codec]
NOW_MS = 1_700_000_000_000
parts = st.none() | st.binary(max_size=300)
headers = st.lists(st.tuples(st.binary(max_size=20), parts), max_size=3).map(tuple)
contents = st.lists(st.tuples(st.integers(0, 2**42), parts, parts, headers), min_size=1, max_size=8)


Content = tuple[int, bytes | None, bytes | None, tuple[tuple[bytes, bytes | None], ...]]


def numbered(content: list[Content], base: int) -> list[ClientRecord]:
    return [ClientRecord(base + at, *fields) for at, fields in enumerate(content)]


@given(contents, st.integers(0, 2**40), st.sampled_from(Compression))
def test_records_are_read_as_they_were_written(content: list[Content], base: int, codec: Compression) -> None:
    records = numbered(content, base)
    batch = compressed(records, codec, base)
    for held in (batch, bytearray(batch), memoryview(batch)):
        assert read_records(held) == records


def compressed(records: list[ClientRecord], codec: int, base: int = 0) -> bytes:
    return client_batch(
        records, attributes=codec, pack=lambda data: packed(codec, data) if codec else data, base_offset=base
    )


def test_our_own_batches_are_read_too() -> None:
    batch = encode_batch([Record(b"k", b"v"), Record(None, b"")], 7, 3, NOW_MS)
    assert read_records(batch) == [ClientRecord(7, NOW_MS, b"k", b"v"), ClientRecord(8, NOW_MS, None, b"")]


def checked(batch: bytes) -> Written | Refusal:
    """As a broker does; of a batch that a broker would refuse by its header, too."""
    found = check_produced(batch, 9)
    if isinstance(found, Refusal):
        count, codec = (int.from_bytes(batch[at : at + 4], "big") for at in (COUNT_AT, ATTRIBUTES_AT - 2))
        found = ProducedBatch(len(batch), count, codec & 7, 0, 0, -1, -1, -1)
    return check_records(batch, found)


def error_of(batch: bytes) -> ErrorCode | None:
    refused = checked(batch)
    return refused.error if isinstance(refused, Refusal) else None


@pytest.mark.parametrize("codec", CODECS)
def test_what_no_codec_has_written_is_refused(codec: int) -> None:
    """Kafka 4.1 answers UNKNOWN_SERVER_ERROR."""
    records = [ClientRecord(n, NOW_MS, None, b"v%d" % n) for n in range(50)]
    for pack in (bytes, lambda data: b"garbage!" * 9, lambda data: packed(codec, data)[:-9]):
        assert error_of(client_batch(records, attributes=codec, pack=pack)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    "deltas", [(0, 1, 2), (0, 1, 2, 3, 4), (1, 2, 3, 4), (0, 0, 1, 1)], ids=["less", "more", "late", "twice"]
)
def test_compressed_records_are_as_many_as_the_header_says_and_in_their_places(
    codec: int, deltas: tuple[int, ...]
) -> None:
    """Kafka 4.1 refuses each, too: a count with INVALID_RECORD, a place with UNKNOWN_SERVER_ERROR."""
    body = b"".join(record(delta) for delta in deltas)
    records = [ClientRecord(n, NOW_MS, None, b"v") for n in range(4)]
    assert error_of(compressed(records, codec)) is None
    batch = client_batch(records, attributes=codec, pack=lambda _: packed(codec, body))
    assert error_of(batch) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", CODECS)
def test_how_old_compressed_records_are_is_read_from_each(codec: int) -> None:
    times = [NOW_MS, NOW_MS - 9_000, NOW_MS + 2**35, -1, NOW_MS + 70]
    batch = compressed([ClientRecord(n, time_ms, b"k", None) for n, time_ms in enumerate(times)], codec)
    assert checked(batch) == Written(NOW_MS - 9_000, NOW_MS + 2**35)
    assert checked(compressed([ClientRecord(0, -1, b"k", None)], codec)) == Written(-1, -1)
    lying = patched(batch, 35, struct.pack(">q", 5))
    assert checked(lying) == checked(batch)


def test_what_would_become_too_large_is_refused() -> None:
    for codec in CODECS:
        batch = compressed([ClientRecord(0, 0, None, bytes(33 << 20))], codec)
        assert error_of(batch) == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", CODECS)
def test_a_codec_that_is_not_installed_is_refused_and_never_taken_unseen(
    codec: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = compressed([ClientRecord(0, NOW_MS, b"k", b"v")], codec)
    monkeypatch.setitem(sys.modules, "cramjam", None)
    refused = checked(batch)
    if codec == Compression.GZIP:
        assert refused == Written(NOW_MS, NOW_MS), "Python itself reads it"
    else:
        assert isinstance(refused, Refusal) and refused.error == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        assert "cramjam is not installed" in refused.reason


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
    assert error_of(batch) == ErrorCode.INVALID_RECORD


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
        except CorruptBatchError:
            refusals += 1
    assert 1_000 < refusals < 4_000
