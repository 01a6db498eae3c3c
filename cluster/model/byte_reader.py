"""Reads the primitive types of Kafka's records and protocols out of bytes, and writes the one of no fixed size.

Source: Kafka protocol guide, types.
"""

from __future__ import annotations

from typing import ClassVar


class ByteReader:
    """Reads bytes front to back; every length is checked before it is believed. A class for each kind of bytes."""

    __slots__ = ("_data", "_position")
    wrong: ClassVar[type[Exception]] = ValueError
    """Raised for bytes that end too early, or cannot be what they are said to be."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def take(self, size: int) -> bytes:
        """So many bytes."""
        end = self._position + size
        if size < 0 or end > len(self._data):
            raise self.wrong(f"cut short at byte {self._position}")
        taken, self._position = self._data[self._position : end], end
        return taken

    def int8(self) -> int:
        """One signed byte."""
        return int.from_bytes(self.take(1), "big", signed=True)

    def int16(self) -> int:
        """Two signed bytes."""
        return int.from_bytes(self.take(2), "big", signed=True)

    def int32(self) -> int:
        """Four signed bytes."""
        return int.from_bytes(self.take(4), "big", signed=True)

    def int64(self) -> int:
        """Eight signed bytes."""
        return int.from_bytes(self.take(8), "big", signed=True)

    def text(self) -> str:
        """A string; empty for null."""
        size = self.int16()
        return "" if size < 0 else self.take(size).decode("utf-8", "replace")

    def blob(self) -> bytes:
        """Bytes with their length before them."""
        return self.take(self.int32())

    def uvarint(self) -> int:
        """An unsigned varint of five bytes at most."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.wrong("a varint longer than 5 bytes")

    def array_size(self) -> int:
        """Elements of an array; none for null. No array has more elements than bytes follow."""
        return self._sane(self.int32())

    def count(self) -> int:
        """Elements of a compact array; none for null. No array has more elements than bytes follow."""
        return self._sane(self.uvarint() - 1)

    def _sane(self, count: int) -> int:
        left = len(self._data) - self._position
        if not -1 <= count <= left:
            raise self.wrong(f"{count} elements with {left} bytes left")
        return max(0, count)

    def compact(self) -> str:
        """A compact string; empty for null."""
        size = self.uvarint() - 1
        return "" if size < 0 else self.take(size).decode("utf-8", "replace")

    def skip_tags(self) -> None:
        """Step over tagged fields."""
        self.tags()

    def tags(self) -> dict[int, bytes]:
        """Tagged fields, each with its bytes."""
        return {self.uvarint(): self.take(self.uvarint()) for _ in range(self.uvarint())}


def uvarint(value: int) -> bytes:
    """An unsigned varint, as `ByteReader.uvarint` reads it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
