"""How the records of a coordinator's topic write their fields: plain ones, and flexible ones (KIP-482)."""

from __future__ import annotations

import struct

from cluster.model.byte_reader import ByteReader, uvarint


class RecordError(Exception):
    """Bytes that are no record of the topic."""


class Reader(ByteReader):
    """Reads a key or a value."""

    __slots__ = ()
    wrong = RecordError


def text(value: str | None) -> bytes:
    """A string of a version that is not flexible; None is null."""
    if value is None:
        return struct.pack(">h", -1)
    data = value.encode("utf-8", "replace")
    return struct.pack(">h", len(data)) + data


def compact(value: str | None) -> bytes:
    """A string of a flexible version; None is null."""
    if value is None:
        return b"\x00"
    data = value.encode("utf-8", "replace")
    return uvarint(len(data) + 1) + data
