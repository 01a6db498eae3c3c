"""The records inside a client's batch: what a broker checks before it appends them, and a reader for our own tools.

A record: length varint, attributes 1, timestamp delta varlong, offset delta varint, key, value, headers; each part
with a varint length, -1 for null. gzip is read; snappy, lz4 and zstd stay opaque, for the standard library of Python
does not read them: of those only the size that they may become is known. Kafka reads all four.
Sources: Kafka's DefaultRecord, LogValidator.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from cluster.kafka.batches.header import CODEC_MASK, Compression, Refusal
from cluster.kafka.batches.record_walk import HEADERS_MAX, what_is_wrong
from cluster.kafka.batches.unpacked_size import NoFrameError, lz4_bytes_max, snappy_bytes_max, zstd_bytes_max
from cluster.kafka.codec.limits import Buffer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Offset
from cluster.model.record_batch import HEADER_BYTES, CorruptBatchError, has_append_time, read_header, read_varint

UNPACKED_BYTES_MAX = 32 << 20
"""The most that the records of one batch may become."""
RATIO_MAX = 100
"""The most that a compressed byte may become, once there is more than UNPACKED_BYTES_FREE."""
UNPACKED_BYTES_FREE = 1 << 20
"""Up to here any ratio is taken: a batch of equal records shrinks a thousandfold in good faith."""
KEPT_BYTES_FREE = 16 << 20
"""Up to here records are unpacked without being measured first."""
_GZIP = 16 + zlib.MAX_WBITS
_PIECE_BYTES = 1 << 20
_TIMES = struct.Struct(">qq")
_TIMES_AT = 27
_ATTRIBUTES_AT = 21


class OpaqueBatchError(Exception):
    """The records are compressed with something that is not read here."""


class BatchTooLargeError(Exception):
    """The records would become more than the bounds allow."""


class ClientRecord(NamedTuple):
    """One record as a client wrote it. Key, value and headers are untrusted bytes."""

    offset: Offset
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...] = ()
    """Name (UTF-8 when the client keeps to the rules) and value."""


def read_records(batch: Buffer) -> list[ClientRecord]:
    """All records of one batch, in order.

    Raises CorruptBatchError when the bytes do not fit, OpaqueBatchError when they are compressed with another codec
    than gzip, BatchTooLargeError when they would grow too large. The CRC is not checked.
    """
    header = read_header(batch if isinstance(batch, bytes | memoryview) else bytes(batch))
    if header.size_bytes != len(batch):
        raise CorruptBatchError(f"a batch of {header.size_bytes} bytes in {len(batch)}")
    base_timestamp_ms, newest_ms = _TIMES.unpack_from(batch, _TIMES_AT)
    is_appended = has_append_time(bytes(batch[:HEADER_BYTES]))
    data = _unpacked(batch)
    records: list[ClientRecord] = []
    position = 0
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
            records.append(record._replace(timestamp_ms=newest_ms) if is_appended else record)
    except IndexError as error:
        raise CorruptBatchError("a record cut short") from error
    if position != len(data):
        raise CorruptBatchError(f"{len(data) - position} bytes after the last record")
    return records


def check_records(batch: bytes, codec: int, count: int) -> Refusal | None:
    """Look at the records of a batch of which check_produced has seen the header; None when they may be appended.

    Uncompressed they take about half a microsecond each.

    Args:
        codec: of the header, known to be one.
        count: of the header.
    """
    try:
        if codec == Compression.NONE:
            wrong = what_is_wrong(batch, HEADER_BYTES, count)
        elif codec == Compression.GZIP:
            wrong = what_is_wrong(_gunzip(memoryview(batch)[HEADER_BYTES:]), 0, count)
        else:
            size = _BYTES_MAX[Compression(codec)](memoryview(batch)[HEADER_BYTES:])
            if size > UNPACKED_BYTES_MAX:
                raise BatchTooLargeError(f"records of up to {size} bytes, at most {UNPACKED_BYTES_MAX} are taken")
            return None
    except BatchTooLargeError as error:
        return Refusal(ErrorCode.MESSAGE_TOO_LARGE, str(error))
    except (CorruptBatchError, NoFrameError) as error:
        return Refusal(ErrorCode.INVALID_RECORD, str(error))
    return Refusal(ErrorCode.INVALID_RECORD, wrong) if wrong else None


_BYTES_MAX = {
    Compression.SNAPPY: snappy_bytes_max,
    Compression.LZ4: lz4_bytes_max,
    Compression.ZSTD: zstd_bytes_max,
}


def _unpacked(batch: Buffer) -> bytes:
    (attributes,) = struct.unpack_from(">h", batch, _ATTRIBUTES_AT)
    codec = attributes & CODEC_MASK
    body = memoryview(batch)[HEADER_BYTES:]
    if codec == Compression.NONE:
        return bytes(body)
    if codec == Compression.GZIP:
        return bytes(_gunzip(body))
    name = Compression(codec).name.lower() if codec in set(Compression) else f"codec {codec}"
    raise OpaqueBatchError(f"records compressed with {name}")


def _gunzip(packed: Buffer) -> bytearray:
    """All members of a gzip stream. What may become large is measured before it is kept."""
    bound = min(UNPACKED_BYTES_MAX, max(UNPACKED_BYTES_FREE, RATIO_MAX * len(packed)))
    if bound > KEPT_BYTES_FREE:
        for _ in _pieces(packed, bound):
            pass
    unpacked = bytearray()
    for piece in _pieces(packed, bound):
        unpacked += piece
    return unpacked


def _pieces(packed: Buffer, bound: int) -> Iterator[bytes]:
    left = bound
    member = zlib.decompressobj(_GZIP)
    try:
        while packed:
            piece = member.decompress(packed, _PIECE_BYTES)
            packed = member.unconsumed_tail
            left -= len(piece)
            if left < 0:
                raise BatchTooLargeError(f"records of more than {bound} bytes")
            yield piece
            if member.eof and member.unused_data:
                packed, member = member.unused_data, zlib.decompressobj(_GZIP)
    except zlib.error as error:
        raise CorruptBatchError("not gzip") from error
    if not member.eof:
        raise CorruptBatchError("compressed records cut short")


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
