"""Structs to plain msgpack values and back, driven by their type hints. Field order is the wire order."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgpack
import msgspec
from msgspec import Struct

from cluster.model.metadata_records import MetadataRecord
from cluster.model.record_batch import Record


class DecodeError(Exception):
    """Plain values that do not fit the class. The message names class and field."""


SCALARS = (int, str, bytes, bool, float)
METADATA_RECORDS: dict[str, type[Struct]] = {kind.__name__: kind for kind in get_args(MetadataRecord)}

encode = msgspec.msgpack.Encoder().encode
"""As `pack`, of what holds no half of a surrogate pair; else UnicodeEncodeError."""


def pack(value: Any) -> bytes:
    """msgpack bytes of plain values and of structs among them, each as the list of its fields.

    Half a surrogate pair, which a client may put into a name, is written as "?".
    """
    try:
        return encode(value)
    except UnicodeEncodeError:
        packed: bytes = msgpack.packb(_plain(value), unicode_errors="replace")
        return packed


def to_plain(value: Any) -> list[Any]:
    """One struct as a list of plain values, in field order."""
    kind: Any = type(value)
    plain: list[Any] = _encoder(kind)(value)
    return plain


def from_plain(kind: type[Struct], plain: Any) -> Any:
    """The inverse of to_plain. DecodeError when the values do not fit; missing last fields take their defaults."""
    return _decoder(kind)(plain)


def encode_metadata_record(record: MetadataRecord) -> Record:
    """One metadata record as a log record: key is its kind, value its fields."""
    return Record(type(record).__name__.encode(), msgpack.packb(to_plain(record)))


def decode_metadata_record(record: Record) -> MetadataRecord:
    """The inverse of encode_metadata_record. DecodeError on an unknown kind."""
    kind = METADATA_RECORDS.get((record.key or b"").decode("utf-8", "replace"))
    if kind is None:
        raise DecodeError(f"unknown metadata record {record.key!r}")
    decoded: MetadataRecord = from_plain(kind, msgpack.unpackb(record.value or b"", use_list=False))
    return decoded


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _needs_conversion(hint: Any) -> bool:
    if _is_struct(hint):
        return True
    return any(_needs_conversion(part) for part in get_args(hint))


@cache
def _encoder(kind: Any) -> Callable[[Any], list[Any]]:
    names = kind.__struct_fields__
    if not names:
        return lambda _value: []
    hints = get_type_hints(kind)
    getter = attrgetter(*names)
    single = len(names) == 1
    nested = [index for index, name in enumerate(names) if _needs_conversion(hints[name])]

    def encode(value: Any) -> list[Any]:
        out = [getter(value)] if single else list(getter(value))
        for index in nested:
            out[index] = _plain(out[index])
        return out

    return encode


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return to_plain(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


@cache
def _decoder(kind: type[Struct]) -> Callable[[Any], Any]:
    """Checks and builds one class. Its body is written out once, because every frame and trace entry passes here."""
    hints = get_type_hints(kind)
    names = kind.__struct_fields__
    count = len(names)
    scope: dict[str, Any] = {"kind": kind, "intern": sys.intern, "slow": _careful_decoder(kind)}
    parts, tests = [], []
    for index, name in enumerate(names):
        if hints[name] in SCALARS:
            tests.append(f"type(plain[{index}]) is {hints[name].__name__}")
            # Names and sentences come again and again; one copy of each is enough for hours of a trace.
            parts.append(f"{name}=intern(plain[{index}])" if hints[name] is str else f"{name}=plain[{index}]")
        else:
            scope[f"convert_{index}"] = _converter(hints[name])
            parts.append(f"{name}=convert_{index}(plain[{index}])")
    fits = " and ".join([f"type(plain) is tuple and len(plain) == {count}", *tests])
    lines = ["def decode(plain):", f"    if {fits}:"]
    lines += ["        try:", f"            return kind({', '.join(parts)})"]
    lines += ["        except (TypeError, ValueError):", "            pass", "    return slow(plain)"]
    exec("\n".join(lines), scope)  # the text is made of field names of our own classes only
    decode: Callable[[Any], Any] = scope["decode"]
    return decode


def _careful_decoder(kind: type[Struct]) -> Callable[[Any], Any]:
    """The same for values that are not as expected: fewer fields, or a message that says which does not fit."""
    hints = get_type_hints(kind)
    names = kind.__struct_fields__
    converters = [_converter(hints[name]) for name in names]

    def decode(plain: Any) -> Any:
        if not isinstance(plain, tuple | list) or len(plain) > len(names):
            raise DecodeError(f"{kind.__name__}: expected up to {len(names)} fields")
        try:
            return kind(
                **{name: convert(value) for name, convert, value in zip(names, converters, plain, strict=False)}
            )
        except (TypeError, ValueError) as error:
            raise DecodeError(f"{kind.__name__}: {error}") from error

    return decode


@cache
def _converter(hint: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_struct(hint):
        return _decoder(hint)
    if origin in (Union, types.UnionType):
        inner = _converter(next(item for item in arguments if item is not type(None)))
        return lambda value: None if value is None else inner(value)
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        return lambda value: hint(*value)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            item = _converter(arguments[0])
            return lambda value: tuple(item(part) for part in _sequence(value))
        items = [_converter(argument) for argument in arguments]
        return lambda value: tuple(convert(part) for convert, part in zip(items, _sequence(value), strict=True))
    if hint in SCALARS:
        return _scalar(hint)
    return lambda value: value


def _sequence(value: Any) -> Any:
    if not isinstance(value, tuple | list):
        raise ValueError("expected a list")
    return value


def _scalar(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    return check
