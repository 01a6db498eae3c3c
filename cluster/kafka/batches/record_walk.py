"""A look at each record of a client's batch without making it an object: does what the header says of them hold?

A broker does this for every batch that it can read before it appends it, so it is one flat loop, and none at all where
all records look alike (`_are_alike`). What a record must be: length varint, attributes 1, timestamp delta varlong,
offset delta varint, key, value, headers; the n-th record has offset delta n.
Sources: Kafka's DefaultRecord.readFrom, LogValidator.validateMessagesAndAssignOffsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice

from cluster.kafka.codec.limits import CodecError, read_uvarint
from cluster.model.byte_reader import uvarint

HEADERS_MAX = 1_000
"""The most headers of one record. Kafka sets no bound but the size of a batch."""
_VARLONG_BYTES_MAX = 10
_NULL = 1
_RECORD_SIZE_MIN = 12
_ALIKE_MIN = 16
"""Fewer records are read sooner one by one."""
_DELTAS_MAX = 1 << 14
_WIDTHS = ((1, 0, 64), (2, 64, 8_192), (3, 8_192, _DELTAS_MAX))
"""Bytes of an offset delta, and the deltas that take so many: from (inclusive) to (exclusive)."""


def _zigzag(number: int) -> bytes:
    return uvarint(number << 1)


_DELTAS = [_zigzag(number) for number in range(256)]
"""How the first offset deltas are written; it grows to the longest batch that was seen."""


def what_is_wrong(data: bytes | bytearray, position: int, count: int) -> str:
    """One clause about the first record that is none; empty when there are exactly count records from position on."""
    try:
        return "" if _are_alike(data, position, count) else _walk(data, position, count)
    except IndexError:
        return "a record is cut short"
    except CodecError as error:
        return error.what


def time_deltas(data: bytes | bytearray, position: int, count: int) -> set[int]:
    """How much later than their batch says records were written, in ms. They are known to be sane."""
    zigzags: set[int] = set()
    if _are_alike(data, position, count, zigzags):
        count = 0
    else:
        zigzags.clear()
    for _ in range(count):
        size = data[position]
        position += 1
        if size >= 0x80:
            size, position = read_uvarint(data, position, size)
        delta = data[position + 1]
        zigzags.add(delta if delta < 0x80 else _varlong(data, position + 1))
        position += size >> 1
    return {zigzag >> 1 ^ -(zigzag & 1) for zigzag in zigzags}


def have_keys(data: bytes | bytearray, position: int, count: int) -> bool:
    """Whether each record has a key. They are known to be sane."""
    for _ in range(count):
        size = data[position]
        position += 1
        if size >= 0x80:
            size, position = read_uvarint(data, position, size)
        if data[_after_varlong(data, _after_varlong(data, position + 1))] == _NULL:
            return False
        position += size >> 1
    return True


def _deltas(count: int) -> Iterator[bytes]:
    ready = len(_DELTAS)
    if count > ready:
        _DELTAS.extend(_zigzag(number) for number in range(ready, min(count, _DELTAS_MAX)))
        if count > _DELTAS_MAX:
            return chain(_DELTAS, (_zigzag(number) for number in range(_DELTAS_MAX, count)))
    return islice(_DELTAS, count)


def _walk(data: bytes | bytearray, position: int, count: int) -> str:
    starts_with = data.startswith
    for delta in _deltas(count):
        size = data[position]
        position += 1
        if size >= 0x80:
            size, position = read_uvarint(data, position, size)
        if size < _RECORD_SIZE_MIN or size & 1:
            return "a record has no length that a record may have"
        at = position + 2
        position += size >> 1
        if data[at - 1] >= 0x80:
            at = _after_varlong(data, at - 1)
        if not starts_with(delta, at):
            return "a record has another offset delta than its place"
        at += len(delta)
        part = data[at]
        at += 1
        if part >= 0x80:
            part, at = read_uvarint(data, at, part)
        at = at + (part >> 1) if part & 1 == 0 else _after_null(part, at)
        part = data[at]
        at += 1
        if part >= 0x80:
            part, at = read_uvarint(data, at, part)
        at = at + (part >> 1) if part & 1 == 0 else _after_null(part, at)
        headers = data[at]
        at += 1
        if headers:
            at = _after_headers(data, at, headers)
        if at != position:
            return "a record's parts have another length than the record"
    return "" if position == len(data) else "there are bytes after the last record"


def _are_alike(data: bytes | bytearray, position: int, count: int, zigzags: set[int] | None = None) -> bool:
    """Whether all records are sane because their lengths are those of a sane one. False means: not known.

    Where all keys and all values have one length each, a byte of the layout stands in every record at the same place,
    so that it is read for all of them at once, as a column: twenty times as fast as record by record.

    Args:
        zigzags: gets how much later than their batch the records so far were written, with the sign in the last bit.
    """
    if not _ALIKE_MIN <= count <= _DELTAS_MAX:
        return False
    try:
        for width, start, end in _WIDTHS:
            if count > start and position >= 0:
                position = _after_alike(data, position, min(count, end) - start, width, zigzags)
    except (IndexError, CodecError):
        return False
    return position == len(data)


def _after_alike(data: bytes | bytearray, first: int, count: int, width: int, zigzags: set[int] | None) -> int:
    """The position after records that look like the one that begins at first; -1 when they do not."""
    size, after_size = _varint(data, first)
    time_at = after_size + 1
    key, after_key = _varint(data, time_at + 1 + width)
    value, after_value = _varint(data, _after_part(key, after_key))
    headers_at = _after_part(value, after_value)
    stride = headers_at + 1 - first
    end = first + stride * count
    if size != headers_at + 1 - after_size << 1 or data[headers_at] or end > len(data):
        return -1
    key_at, value_at = time_at + 1 + width, _after_part(key, after_key)
    fixed = (*range(first, after_size), *range(key_at, after_key), *range(value_at, after_value), headers_at)
    if any(data[at:end:stride].count(data[at]) != count for at in fixed):
        return -1
    times = data[time_at:end:stride]
    if not times.isascii():
        return -1
    if zigzags is not None:
        zigzags.update(times)
    deltas = enumerate(_delta_columns(width), time_at + 1)
    return end if all(column.startswith(data[at:end:stride]) for at, column in deltas) else -1


def _varint(data: bytes | bytearray, at: int) -> tuple[int, int]:
    first = data[at]
    return (first, at + 1) if first < 0x80 else read_uvarint(data, at + 1, first)


def _after_part(size: int, at: int) -> int:
    return at + (size >> 1) if size & 1 == 0 else _after_null(size, at)


@cache
def _delta_columns(width: int) -> tuple[bytes, ...]:
    """The first bytes of all offset deltas of this width, then their second bytes, and so on."""
    _, start, end = _WIDTHS[width - 1]
    deltas = [_zigzag(number) for number in range(start, end)]
    return tuple(bytes(delta[at] for delta in deltas) for at in range(width))


def _after_varlong(data: bytes | bytearray, at: int) -> int:
    for end in range(at, at + _VARLONG_BYTES_MAX):
        if data[end] < 0x80:
            return end + 1
    raise CodecError("a time difference of more than 64 bits")


def _varlong(data: bytes | bytearray, at: int) -> int:
    """Of one that `_after_varlong` has found whole, without its sign."""
    end = _after_varlong(data, at)
    return sum((data[index] & 0x7F) << 7 * (index - at) for index in range(at, end))


def _after_null(size: int, at: int) -> int:
    if size != _NULL:
        raise CodecError("a part of a record has a negative length")
    return at


def _after_headers(data: bytes | bytearray, at: int, count: int) -> int:
    if count >= 0x80:
        count, at = read_uvarint(data, at, count)
    if count & 1:
        raise CodecError("a record has a negative number of headers")
    if count >> 1 > HEADERS_MAX:
        raise CodecError(f"a record has {count >> 1} headers, at most {HEADERS_MAX} are taken")
    for part in range(count):
        size = data[at]
        at += 1
        if size >= 0x80:
            size, at = read_uvarint(data, at, size)
        if size == _NULL and part % 2 == 0:
            raise CodecError("a header has no name")
        at = at + (size >> 1) if size & 1 == 0 else _after_null(size, at)
    return at
