"""Kafka's record batch v2: encode, read headers, set offset and epoch in place. Source: DefaultRecordBatch.

Layout (61-byte header): baseOffset 8, batchLength 4, partitionLeaderEpoch 4, magic 1, crc 4, attributes 2,
lastOffsetDelta 4, baseTimestamp 8, maxTimestamp 8, producerId 8, producerEpoch 2, baseSequence 4, count 4, records.
Offset and leader epoch lie outside the CRC, so a broker sets them without touching the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import google_crc32c
from msgspec import Struct

from cluster.model.byte_reader import uvarint
from cluster.model.compression import packed, unpacked
from cluster.model.errors import CorruptBatchError as CorruptBatchError
from cluster.model.identifiers import Epoch, Offset

HEADER = struct.Struct(">qiibIhiqqqhii")
HEADER_BYTES = HEADER.size
_USUAL = struct.Struct(">qiibIhi8xqq2x4xi")
"""The header without the first timestamp and sequence numbers, which few ask for."""
_HEAD, _CHECKED_HEAD = struct.Struct(">qiibI"), struct.Struct(">hiqqqhii")
_PREFIX_BYTES = 12
_CRC_START = 21
_OFFSET, _EPOCH = struct.Struct(">q"), struct.Struct(">i")
_CRC, _CRC_AT = struct.Struct(">I"), 17
_TIMES = struct.Struct(">qq")
_TIMES_AT = 27
_ATTRIBUTES_AT = 21
_SEQUENCE = struct.Struct(">hi")
_SEQUENCE_AT = 51
APPEND_TIME_BIT = 0x08
"""The largest timestamp of the header is the broker's, and that of all records."""
TRANSACTIONAL_BIT, CONTROL_BIT = 0x10, 0x20
HORIZON_BIT = 0x40
"""The first timestamp of the header is when tombstones of the batch may go, not that of a record. Source: KIP-534."""
CODEC_MASK = 0x07
"""Bits of the attributes that name a compression; 0 is none."""
MAGIC = 2
NO_PRODUCER = -1
NOT_SEQUENCED = (NO_PRODUCER, -1, -1)


_ONE_BYTE = tuple(bytes((number,)) for number in range(0x80))
"""Varints of lengths and deltas are rarely longer."""


class Record(NamedTuple):
    """One record; either part may be null."""

    key: bytes | None
    value: bytes | None


class BatchHeader(Struct, gc=False):
    """What can be read without decoding records."""

    base_offset: Offset
    end_offset: Offset
    """One past the last record."""
    size_bytes: int
    leader_epoch: Epoch
    crc: int
    control: bool
    count: int
    """Offsets that it takes up: so many records it was written with."""
    producer_id: int = NO_PRODUCER
    """-1 when its producer is not idempotent."""
    records: int = 0
    """Records that it holds: fewer than that, or none, once a log was compacted."""
    transactional: bool = False
    """It is part of a transaction; a control batch ends one."""
    largest_ms: int = 0
    """Largest timestamp of its records, in ms since 1970."""


def encode_batch(
    records: Sequence[Record],
    base_offset: Offset = 0,
    leader_epoch: Epoch = 0,
    timestamp_ms: int = 0,
    *,
    control: bool = False,
    transactional: bool = False,
    sequenced: tuple[int, int, int] = NOT_SEQUENCED,
) -> bytes:
    """One whole batch. Raises ValueError when records is empty.

    Args:
        sequenced: (producer id, producer epoch, sequence number of the first record) of an idempotent producer.
    """
    if not records:
        raise ValueError("a batch holds at least one record")
    body = b"".join([_encode_record(delta, record) for delta, record in enumerate(records)])
    count = len(records)
    attributes = (CONTROL_BIT if control else 0) | (TRANSACTIONAL_BIT if transactional else 0)
    checked = _CHECKED_HEAD.pack(attributes, count - 1, timestamp_ms, timestamp_ms, *sequenced, count) + body
    return _HEAD.pack(base_offset, 9 + len(checked), leader_epoch, MAGIC, google_crc32c.value(checked)) + checked


def read_header(data: bytes | memoryview, position: int = 0) -> BatchHeader:
    """The header at position. CorruptBatchError when it is cut short or not sane; the CRC is not checked."""
    try:
        base, length, epoch, magic, crc, attributes, last_delta, newest_ms, producer, count = _USUAL.unpack_from(
            data, position
        )
    except struct.error:
        raise CorruptBatchError(f"batch header cut short at byte {position}") from None
    span = last_delta + 1
    if magic != MAGIC or base < 0 or length < HEADER_BYTES - _PREFIX_BYTES or span < 1 or not 0 <= count <= span:
        raise CorruptBatchError(f"not a batch at byte {position}")
    is_control = attributes & CONTROL_BIT != 0
    is_transactional, size_bytes = attributes & TRANSACTIONAL_BIT != 0, length + _PREFIX_BYTES
    return BatchHeader(
        base, base + span, size_bytes, epoch, crc, is_control, span, producer, count, is_transactional, newest_ms
    )


def batches(data: bytes) -> Iterable[tuple[BatchHeader, memoryview | bytes]]:
    """Each batch in data with its bytes. CorruptBatchError at the first that is cut short or not sane."""
    if data:
        only = read_header(data)  # nearly always
        if only.size_bytes == len(data):
            return ((only, data),)
    return _each(data)


def copies(data: bytes) -> tuple[tuple[BatchHeader, bytes], ...]:
    """Each batch by itself, so that none keeps all of them in memory."""
    return tuple([(header, bytes(batch)) for header, batch in batches(data)])


def _each(data: bytes) -> Iterator[tuple[BatchHeader, memoryview]]:
    view = memoryview(data)
    position = 0
    while position < len(data):
        header = read_header(data, position)
        if position + header.size_bytes > len(data):
            raise CorruptBatchError(f"batch cut short at byte {position}")
        yield header, view[position : position + header.size_bytes]
        position += header.size_bytes


def crc_of(batch: bytes | bytearray | memoryview) -> int:
    """CRC-32C over attributes to end, as the bytes are now."""
    checked = batch[_CRC_START:]
    crc: int = google_crc32c.value(checked if type(checked) is bytes else bytes(checked))  # it takes nothing else
    return crc


def check_crc(batch: bytes | bytearray | memoryview) -> bool:
    """Whether the CRC-32C over attributes to end matches."""
    return crc_of(batch) == stored_crc(batch)


def stored_crc(batch: bytes | bytearray | memoryview) -> int:
    """The CRC-32C that its header says."""
    stored: int = _CRC.unpack_from(batch, _CRC_AT)[0]
    return stored


def is_intact(data: bytes) -> bool:
    """Whether data is whole batches whose CRCs match, as a consumer checks it (check.crcs)."""
    try:
        return all(check_crc(batch) for _, batch in batches(data))
    except CorruptBatchError:
        return False


def batch_times(batch: bytes | memoryview) -> tuple[int, int]:
    """Timestamp of its first record and the largest of all, as the header says, in ms since 1970."""
    first_ms, largest_ms = _TIMES.unpack_from(batch, _TIMES_AT)
    return first_ms, largest_ms


def sequence_of(batch: bytes | memoryview) -> tuple[int, int]:
    """(producer epoch, sequence number of the first record); -1 each when the producer is not idempotent."""
    epoch, base_sequence = _SEQUENCE.unpack_from(batch, _SEQUENCE_AT)
    return epoch, base_sequence


def codec_of(batch: bytes | memoryview) -> int:
    """What its records are compressed with; 0 is nothing. Source: `cluster.model.compression.Compression`."""
    attributes: int = struct.unpack_from(">h", batch, _ATTRIBUTES_AT)[0]
    return attributes & CODEC_MASK


def opened(batch: bytes | memoryview) -> tuple[bytes, int]:
    """Bytes that hold its records, whatever they are compressed with, and the position of the first.

    CorruptBatchError when they cannot be unpacked, or become too large.
    """
    codec = codec_of(batch)
    if not codec or len(batch) == HEADER_BYTES:
        return bytes(batch), HEADER_BYTES
    return unpacked(codec, memoryview(batch)[HEADER_BYTES:]), 0


def delete_horizon_ms(batch: bytes | memoryview) -> int:
    """When its tombstones may go, in ms since 1970; -1 when no compaction has seen any yet."""
    attributes: int = struct.unpack_from(">h", batch, _ATTRIBUTES_AT)[0]
    return batch_times(batch)[0] if attributes & HORIZON_BIT else -1


def is_opaque(batch: bytes | memoryview) -> bool:
    """Whether compaction does not look into it: it is of a transaction, or a marker."""
    attributes: int = struct.unpack_from(">h", batch, _ATTRIBUTES_AT)[0]
    return bool(attributes & (TRANSACTIONAL_BIT | CONTROL_BIT))


def thinned(batch: bytes | memoryview, kept: Container[Offset], horizon_ms: int = -1) -> bytes:
    """The same batch with fewer records, at their offsets; its own place, epoch and producer stay.

    What was compressed is compressed again in the same way; a batch that holds nothing is not.
    Source: Kafka MemoryRecords.filterTo.

    Args:
        horizon_ms: when its tombstones may go; -1 leaves that as it is.
    """
    header = read_header(batch)
    _, _, _, _, _, attributes, last_delta, base_ms, newest_ms, *producer, _ = HEADER.unpack_from(batch)
    first_ms = base_ms if horizon_ms < 0 else horizon_ms
    data, position = opened(batch)
    body, times = [], []
    for _ in range(header.records):
        size, start = read_varint(data, position)
        position = start + size
        delta_ms, after = read_varint(data, start + 1)
        delta, rest = read_varint(data, after)
        if header.base_offset + delta in kept:
            fields = data[start : start + 1] + _varint(base_ms + delta_ms - first_ms) + _varint(delta)
            body += [_varint(len(fields) + position - rest), fields, data[rest:position]]
            times.append(base_ms + delta_ms)
    if times and not attributes & APPEND_TIME_BIT:
        newest_ms = max(times)
    attributes |= HORIZON_BIT if horizon_ms >= 0 else 0
    records = b"".join(body)
    if not records:
        attributes &= ~CODEC_MASK
    elif codec := attributes & CODEC_MASK:
        records = packed(codec, records)
    checked = _CHECKED_HEAD.pack(attributes, last_delta, first_ms, newest_ms, *producer, len(times)) + records
    head = _HEAD.pack(header.base_offset, 9 + len(checked), header.leader_epoch, MAGIC, google_crc32c.value(checked))
    return head + checked


def has_append_time(batch: bytes | memoryview) -> bool:
    """Whether a broker has set the time of its records when it appended them."""
    attributes: int = struct.unpack_from(">h", batch, _ATTRIBUTES_AT)[0]
    return bool(attributes & APPEND_TIME_BIT)


def record_times(batch: bytes | memoryview) -> list[tuple[Offset, int]]:
    """(offset, timestamp in ms) of each record; CorruptBatchError when lengths do not fit."""
    header = read_header(batch)
    first_ms, newest_ms = batch_times(batch)
    is_appended = has_append_time(batch)
    data, position = opened(batch)
    times = []
    try:
        for _ in range(header.records):
            size, start = read_varint(data, position)
            position = start + size
            if size < 0 or position > len(data):
                raise CorruptBatchError("record longer than its batch")
            delta_ms, after = read_varint(data, start + 1)
            delta, _ = read_varint(data, after)
            times.append((header.base_offset + delta, newest_ms if is_appended else first_ms + delta_ms))
    except IndexError as error:
        raise CorruptBatchError("record cut short") from error
    return times


def with_offset_and_epoch(batch: bytes | memoryview, base_offset: Offset, leader_epoch: Epoch) -> bytes:
    """The same batch at another place in a log; the CRC stays right."""
    return b"".join((_OFFSET.pack(base_offset), batch[8:12], _EPOCH.pack(leader_epoch), batch[16:]))


def decode_records(batch: bytes | memoryview) -> list[Record]:
    """All records of one batch, in order. CorruptBatchError when lengths do not fit."""
    return [record for _, record in numbered_records(batch)]


def numbered_records(batch: bytes | memoryview) -> list[tuple[Offset, Record]]:
    """All records of one batch with their offsets, which have gaps where a log was compacted.

    CorruptBatchError when lengths do not fit.
    """
    header = read_header(batch)
    base = header.base_offset
    data, position = opened(batch)
    records = []
    try:
        for _ in range(header.records):
            size, position = read_varint(data, position)
            end = position + size
            if size < 0 or end > len(data):
                raise CorruptBatchError("record longer than its batch")
            _, position = read_varint(data, position + 1)
            delta, position = read_varint(data, position)
            key, position = _read_bytes(data, position)
            value, position = _read_bytes(data, position)
            records.append((base + delta, Record(key, value)))
            position = end
    except IndexError as error:
        raise CorruptBatchError("record cut short") from error
    return records


def _encode_record(delta: int, record: Record) -> bytes:
    body = b"\x00\x00" + _varint(delta) + _bytes(record.key) + _bytes(record.value) + b"\x00"
    return _varint(len(body)) + body


def _bytes(value: bytes | None) -> bytes:
    return _varint(-1) if value is None else _varint(len(value)) + value


def _read_bytes(data: bytes, position: int) -> tuple[bytes | None, int]:
    size, position = read_varint(data, position)
    if size < 0:
        return None, position
    if position + size > len(data):
        raise CorruptBatchError("field longer than its batch")
    return data[position : position + size], position + size


def _varint(value: int) -> bytes:
    number = value * 2 if value >= 0 else -value * 2 - 1
    return _ONE_BYTE[number] if number <= 0x7F else uvarint(number)


def read_varint(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """A signed varint and the position after it. IndexError when cut short, CorruptBatchError when too long."""
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), position
        shift += 7
        if shift > 63:
            raise CorruptBatchError("number too long")
