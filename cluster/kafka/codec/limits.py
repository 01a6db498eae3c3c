"""Bounds on what a frame may make us hold, what is said when one is passed, and the small readers that check them.

Source: KIP-482, CVE-2022-34917.
"""

from __future__ import annotations

from typing import NoReturn, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview
"""What a frame may be held in."""
ELEMENTS_MAX = 100_000
"""Array elements and tagged fields in one message, all arrays together: bytes alone do not bound objects."""
LENGTH_MAX = (1 << 31) - 1
"""Longest length, and largest tag, that an unsigned varint may say."""
FRAME_BYTES_MAX = 8 << 20
"""Longest frame of a client, without its length."""
_VARINT_SHIFT_MAX = 28
UNKNOWN_OFFSET = -1


class CodecError(Exception):
    """Bytes that are not the message they claim to be, or an object that cannot be written as one.

    The only exception that leaves the codec. Its text never holds bytes of the frame, so it may be logged.
    """

    def __init__(self, what: str, field: str = "", offset: int = UNKNOWN_OFFSET) -> None:
        super().__init__(what, field, offset)
        self.what = what
        """What is wrong."""
        self.field = field
        """Message and field, as in ProduceRequest.topic_data.name; empty when it is not about a field."""
        self.offset = offset
        """Byte of the frame (without its length) at which reading stopped; -1 when writing."""

    def __str__(self) -> str:
        field = f" in {self.field}" if self.field else ""
        offset = f" at byte {self.offset}" if self.offset >= 0 else ""
        return f"{self.what}{field}{offset}"


class UnsupportedVersionError(CodecError):
    """A request with a key or a version that is not in the table. Kafka closes the connection, but for ApiVersions."""

    def __init__(self, api_key: int, api_version: int, correlation_id: int, client_id: str | None) -> None:
        super().__init__(f"version {api_version} of API {api_key} is not supported")
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        """Untrusted text; None when it could not be read."""


def read_uvarint(data: Buffer, position: int, first: int) -> tuple[int, int]:
    """The rest of an unsigned varint whose first byte (128 or more) is read already, and the position after it."""
    value = first & 0x7F
    shift = 7
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > _VARINT_SHIFT_MAX:
            raise CodecError("a varint longer than 5 bytes")
    if value > LENGTH_MAX:
        raise CodecError(f"a varint of {value}, more than {LENGTH_MAX}")
    return value, position


SHORT_UVARINTS = tuple(bytes((value,)) for value in range(128))
"""The unsigned varints of one byte."""


def read_length(data: Buffer, position: int, first: int) -> tuple[int, int]:
    """As read_uvarint, for the length of a compact type: it is stored plus one, and -1 is null."""
    value, position = read_uvarint(data, position, first)
    return value - 1, position


def skip_tags(data: Buffer, position: int, count: int, end: int, budget: int) -> tuple[int, int]:
    """Step over tagged fields that nobody knows; the position after them, and what is left of the budget."""
    if count > 127:
        count, position = read_uvarint(data, position, count)
    budget -= count
    if budget < 0:
        refuse_more()
    for _ in range(count):
        _, position = read_tag_part(data, position)
        size, position = read_tag_part(data, position)
        if size > end - position:
            refuse_length(size, end - position)
        position += size
    return position, budget


def read_tag_part(data: Buffer, position: int) -> tuple[int, int]:
    """The number or the size of a tagged field, and the position after it."""
    value = data[position]
    position += 1
    return (value, position) if value < 128 else read_uvarint(data, position, value)


def refuse_more() -> NoReturn:
    """The budget of elements is used up."""
    raise CodecError(f"more than {ELEMENTS_MAX} elements")


def refuse_length(length: int, left: int) -> NoReturn:
    """A length that is negative, null where null is not allowed, or longer than what is left."""
    if length == -1:
        raise CodecError("null where null is not allowed")
    raise CodecError(f"a length of {length} with {left} bytes left")


def refuse_count(count: int, left: int) -> NoReturn:
    """A count of elements that cannot fit into what is left."""
    if count == -1:
        raise CodecError("null where null is not allowed")
    raise CodecError(f"{count} elements with {left} bytes left")


def refuse_tag_size() -> NoReturn:
    """A tagged field whose value is not as long as it says."""
    raise CodecError("a tagged field of another size than it says")


def refuse_uuid(value: bytes) -> NoReturn:
    """An id that is not sixteen bytes."""
    raise CodecError(f"an id of {len(value)} bytes")
