"""Objects of the layout classes to bytes and back, through functions that are generated when first needed."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

from cluster.kafka.codec.decoding import compile_decoder
from cluster.kafka.codec.encoding import compile_encoder
from cluster.kafka.codec.limits import ELEMENTS_MAX, Buffer, CodecError
from cluster.kafka.codec.source import Compiled

_BAD_BYTES = (IndexError, struct.error, UnicodeDecodeError, CodecError)
_BAD_OBJECT = (struct.error, TypeError, AttributeError, UnicodeEncodeError, CodecError)
_CUT_SHORT = "cut short"


@cache
def decoder(kind: type, version: int, flexible: bool) -> Compiled:
    """The generated function that reads this class in this version."""
    return compile_decoder(kind, version, flexible=flexible)


@cache
def encoder(kind: type, version: int, flexible: bool) -> Compiled:
    """The generated function that writes this class in this version."""
    return compile_encoder(kind, version, flexible=flexible)


def read(kind: type, version: int, flexible: bool, data: Buffer, position: int = 0) -> tuple[Any, int]:
    """The object at position and the position after it. CodecError when the bytes are not one."""
    compiled = decoder(kind, version, flexible)
    try:
        value_and_end: tuple[Any, int] = compiled.function(data, position, ELEMENTS_MAX)
    except _BAD_BYTES as error:
        field, offset = compiled.place_of(error)
        raise CodecError(_reading(error), field, offset) from error
    return value_and_end


def write(kind: type, version: int, flexible: bool, value: Any) -> list[Buffer]:
    """The parts of the message in order; record sets by reference. CodecError when the object cannot be written."""
    compiled = encoder(kind, version, flexible)
    parts: list[Buffer] = []
    try:
        compiled.function(value, parts.append)
    except _BAD_OBJECT as error:
        field, _ = compiled.place_of(error)
        raise CodecError(error.what if isinstance(error, CodecError) else str(error), field) from error
    return parts


def _reading(error: Exception) -> str:
    if isinstance(error, CodecError):
        return error.what
    return "text that is not UTF-8" if isinstance(error, UnicodeDecodeError) else _CUT_SHORT
