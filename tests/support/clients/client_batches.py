"""Batches as clients make and read them: with times, headers, a producer, compression. For tests alone."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

import crc32c

from cluster.kafka.batches.record_walk import HEADERS_MAX
from cluster.model.identifiers import Offset
from cluster.model.record_batch import (
    HEADER,
    MAGIC,
    CorruptBatchError,
    batch_times,
    has_append_time,
    opened,
    read_header,
    read_varint,
)

ATTRIBUTES_AT, COUNT_AT, LAST_DELTA_AT = 21, 57, 23


class ClientRecord(NamedTuple):
    """One record as a client wrote it. Key, value and headers are untrusted bytes."""

    offset: Offset
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...] = ()
    """Name (UTF-8 when the client keeps to the rules) and value."""


def varint(value: int) -> bytes:
    """A signed varint."""
    number = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def _part(value: bytes | None) -> bytes:
    return varint(-1) if value is None else varint(len(value)) + value


def packed_record(record: ClientRecord, delta: int, base_ms: int) -> bytes:
    """One record with its length."""
    body = b"\x00" + varint(record.timestamp_ms - base_ms) + varint(delta) + _part(record.key) + _part(record.value)
    body += varint(len(record.headers)) + b"".join(_part(name) + _part(content) for name, content in record.headers)
    return varint(len(body)) + body


def client_batch(
    records: Sequence[ClientRecord],
    *,
    attributes: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
    pack: Callable[[bytes], bytes] = bytes,
    base_offset: int = 0,
) -> bytes:
    """One batch; attributes are written as they are, whatever pack does."""
    base_ms = records[0].timestamp_ms
    newest = max(record.timestamp_ms for record in records)
    body = pack(b"".join(packed_record(record, delta, base_ms) for delta, record in enumerate(records)))
    count = len(records)
    checked = struct.pack(">hiqqqhii", attributes, count - 1, base_ms, newest, *producer, count) + body
    return struct.pack(">qiibI", base_offset, 9 + len(checked), -1, MAGIC, crc32c.crc32c(checked)) + checked


def body_batch(body: bytes, count: int) -> bytes:
    """A batch whose header says that these bytes are so many records."""
    return client_batch([ClientRecord(n, 0, None, None) for n in range(count)], pack=lambda _: body)


def patched(batch: bytes, at: int, value: bytes) -> bytes:
    """The batch with other bytes at a place, and a CRC that matches again."""
    data = bytearray(batch)
    data[at : at + len(value)] = value
    struct.pack_into(">I", data, 17, crc32c.crc32c(bytes(data[21:])))
    assert len(data) >= HEADER.size
    return bytes(data)


def read_records(batch: bytes | bytearray | memoryview) -> list[ClientRecord]:
    """All records of one batch, in order.

    Raises CorruptBatchError when the bytes do not fit, and as `opened` does. The CRC is not checked.
    """
    batch = bytes(batch)
    header = read_header(batch)
    if header.size_bytes != len(batch):
        raise CorruptBatchError(f"a batch of {header.size_bytes} bytes in {len(batch)}")
    base_timestamp_ms, newest_ms = batch_times(batch)
    is_appended = has_append_time(batch)
    data, position = opened(batch)
    records: list[ClientRecord] = []
    last_delta = -1
    try:
        for _ in range(header.records):
            size, start = read_varint(data, position)
            position = start + size
            if size < 0 or position > len(data):
                raise CorruptBatchError("a record longer than its batch")
            record, delta, end = _read_record(data, start, header.base_offset, base_timestamp_ms)
            if end != position or not last_delta < delta < header.count:
                raise CorruptBatchError("a record of another length, or at another offset, than it says")
            last_delta = delta
            records.append(ClientRecord(record.offset, newest_ms, *record[2:]) if is_appended else record)
    except IndexError as error:
        raise CorruptBatchError("a record cut short") from error
    if position != len(data):
        raise CorruptBatchError(f"{len(data) - position} bytes after the last record")
    return records


def _read_record(data: bytes, position: int, base_offset: Offset, base_ms: int) -> tuple[ClientRecord, int, int]:
    """The record, its offset delta, and the position after it."""
    timestamp_delta, position = read_varint(data, position + 1)
    delta, position = read_varint(data, position)
    key, position = _read_part(data, position)
    value, position = _read_part(data, position)
    count, position = read_varint(data, position)
    if not 0 <= count <= HEADERS_MAX:
        raise CorruptBatchError(f"{count} headers, at most {HEADERS_MAX} are read")
    headers = []
    for _ in range(count):
        name, position = _read_part(data, position)
        if name is None:
            raise CorruptBatchError("a header without a name")
        content, position = _read_part(data, position)
        headers.append((name, content))
    return ClientRecord(base_offset + delta, base_ms + timestamp_delta, key, value, tuple(headers)), delta, position


def _read_part(data: bytes, position: int) -> tuple[bytes | None, int]:
    size, position = read_varint(data, position)
    if size == -1:
        return None, position
    end = position + size
    if size < -1 or end > len(data):
        raise CorruptBatchError(f"a part of {size} bytes with {len(data) - position} left")
    return data[position:end], end
