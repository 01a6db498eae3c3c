"""How a layout class says what a field is on the wire: `throttle_time_ms: int = int32("3+")`.

A version text is Kafka's: "3+" from version 3 on, "0-3" both inclusive, "7" only 7. `versions` are those that have the
field, `null` those in which it may be null. A field that a version lacks reads as its default and is not written.
A field with a tag is written only when it differs from its default (a struct: from None and from an all-default one),
and only flexible versions (KIP-482) have tags.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, TypeAlias

RecordSet: TypeAlias = bytes | bytearray | memoryview
"""Record batches as they are on the wire. A decoded one is a view of its frame: it keeps the whole frame alive."""
UUID_BYTES = 16
NO_UUID = bytes(UUID_BYTES)
"""The all-zero id: none."""
_EVERY = "0+"
_WIRE = "wire"


@dataclasses.dataclass(frozen=True, slots=True)
class Versions:
    """A range of versions."""

    first: int
    """Inclusive."""
    last: int
    """Inclusive."""

    @classmethod
    def parse(cls, text: str) -> Versions:
        """Read "3+", "0-3" or "7". Raises ValueError on anything else."""
        if text.endswith("+"):
            return cls(int(text[:-1]), 32_767)
        first, dash, last = text.partition("-")
        return cls(int(first), int(last if dash else first))

    def __contains__(self, version: int) -> bool:
        return self.first <= version <= self.last


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One field of a message as it is on the wire."""

    name: str
    """Its name in the class."""
    kind: str
    """int8, int16, uint16, int32, int64, float64, boolean, uuid, string, blob, record_set, struct or array."""
    element: str | type | None
    """What an array holds (a kind or a class); the class of a struct."""
    versions: Versions
    """Versions that have it."""
    null: Versions | None
    """Versions in which it may be null."""
    tag: int | None
    """Its number when it is tagged."""
    default: Any
    """What it is when it is absent; None for arrays means null."""

    def nullable_in(self, version: int) -> bool:
        """Whether null may be written in this version."""
        return self.null is not None and version in self.null


def int8(versions: str = _EVERY, *, default: int = 0) -> Any:
    """One signed byte."""
    return _field("int8", versions, default)


def int16(versions: str = _EVERY, *, tag: int | None = None, default: int = 0) -> Any:
    """Two signed bytes."""
    return _field("int16", versions, default, tag=tag)


def uint16() -> Any:
    """Two bytes without a sign."""
    return _field("uint16", _EVERY, 0)


def int32(versions: str = _EVERY, *, default: int = 0) -> Any:
    """Four signed bytes."""
    return _field("int32", versions, default)


def int64(versions: str = _EVERY, *, tag: int | None = None, default: int = 0) -> Any:
    """Eight signed bytes."""
    return _field("int64", versions, default, tag=tag)


def float64() -> Any:
    """Eight bytes, a double of IEEE 754."""
    return _field("float64", _EVERY, 0.0)


def boolean(versions: str = _EVERY, *, tag: int | None = None, default: bool = False) -> Any:
    """One byte; all but 0 is true."""
    return _field("boolean", versions, default, tag=tag)


def uuid(versions: str = _EVERY, *, tag: int | None = None) -> Any:
    """Sixteen bytes; all zero is none."""
    return _field("uuid", versions, NO_UUID, tag=tag)


def string(versions: str = _EVERY, *, null: str | None = None, tag: int | None = None, default: str | None = "") -> Any:
    """UTF-8 text."""
    return _field("string", versions, default, null=null, tag=tag)


def blob(versions: str = _EVERY) -> Any:
    """Bytes that only the clients understand."""
    return _field("blob", versions, b"")


def record_set() -> Any:
    """Record batches, kept as they are; null for none."""
    return _field("record_set", _EVERY, None, null=_EVERY)


def struct(kind: type, versions: str = _EVERY, *, null: str | None = None, tag: int | None = None) -> Any:
    """One object. None means null where the version has null, and absent where it is tagged."""
    return _field("struct", versions, None, element=kind, null=null, tag=tag)


def array(
    element: str | type,
    versions: str = _EVERY,
    *,
    null: str | None = None,
    tag: int | None = None,
    default: None | tuple[()] = (),
) -> Any:
    """Many objects of a class, or many int32 or string. The default is empty, or None for null."""
    return _field("array", versions, default, element=element, null=null, tag=tag)


def _field(
    kind: str,
    versions: str,
    default: Any,
    *,
    element: str | type | None = None,
    null: str | None = None,
    tag: int | None = None,
) -> Any:
    wire = Field(
        "", kind, element, Versions.parse(versions), Versions.parse(null) if null is not None else None, tag, default
    )
    if default == ():
        return dataclasses.field(default_factory=list, metadata={_WIRE: wire})
    return dataclasses.field(default=default, metadata={_WIRE: wire})


@cache
def fields_of(kind: type) -> tuple[Field, ...]:
    """The fields of a layout class in wire order, those of all versions."""
    return tuple(dataclasses.replace(item.metadata[_WIRE], name=item.name) for item in dataclasses.fields(kind))
