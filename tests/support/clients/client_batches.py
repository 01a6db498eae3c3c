"""Batches as clients make them: with times, headers, a producer, compression. For tests alone."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import crc32c

from cluster.kafka.batches.records import ClientRecord
from cluster.model.record_batch import HEADER, MAGIC

ATTRIBUTES_AT, COUNT_AT, LAST_DELTA_AT = 21, 57, 23


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
