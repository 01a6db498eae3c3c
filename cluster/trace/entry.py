"""The bytes of one line of the trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from struct import Struct
from sys import intern as _intern
from typing import get_type_hints

import msgpack
import msgspec

from cluster.model.codec import DecodeError, encode, pack
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.events import CATALOGUE, Event
from cluster.model.ruling import Decision

_length = Struct(">I").pack
ENTRY_BYTES_MAX = 1 << 20
"""Longest entry, without its length prefix."""
ELEMENTS_MAX = 20_000
"""Longest list in an entry. One fetch of 1 MiB holds up to 17,189 batches of 61 bytes and more, all named."""
PARTS = 12
"""Values in an entry: run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, event, fields."""
unpack_entry = partial(msgpack.unpackb, use_list=False, max_array_len=ELEMENTS_MAX, max_map_len=1000, max_ext_len=0)
"""The plain values in the body of an entry, not looked at yet; one of UNREADABLE when they are no msgpack."""
UNREADABLE = (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException)
_parts = msgspec.msgpack.Decoder(
    tuple[str, int, int, int, int, int, int, EventId | None, str, Decision | None, str, msgspec.Raw]
).decode


def encode_entry(entry: Entry) -> bytes:
    """The entry with its 4-byte big-endian length."""
    event = entry.event
    parts = (
        entry.run,
        entry.node,
        entry.incarnation,
        entry.seq,
        entry.t_ns,
        entry.wall_ns,
        entry.lamport,
        entry.cause,
        entry.trigger,
        entry.decision,
        event.name,
        event.fields if type(event) is UnknownEvent else event,
    )
    try:
        body = encode(parts)
    except UnicodeEncodeError:
        body = pack(parts)
    size = len(body)
    if size > ENTRY_BYTES_MAX:
        raise ValueError(f"a trace entry of {size} bytes is longer than {ENTRY_BYTES_MAX}")
    return _length(size) + body


def decode_entry(body: bytes | memoryview) -> Entry:
    """The entry in body (without its length). DecodeError when it is not one."""
    try:
        run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, name, fields = _parts(body)
        event = _unknown(name, fields) if name not in CATALOGUE else _event(name, fields)
    except (*UNREADABLE, msgspec.DecodeError) as error:
        raise DecodeError(f"not an entry: {error}") from error
    return Entry(
        *(_intern(run), node, incarnation, seq, t_ns, wall_ns, lamport, cause, _intern(trigger), decision, event)
    )


def _event(name: str, fields: msgspec.Raw) -> Event:
    decode, texts = _decoder(name)
    event = decode(fields)
    for text in texts:
        setattr(event, text, _intern(getattr(event, text)))
    return event


@cache
def _decoder(name: str) -> tuple[Callable[[msgspec.Raw], Event], tuple[str, ...]]:
    """Of one kind of event; and its texts, which come again and again: one copy of each is enough for hours."""
    kind = CATALOGUE[name]
    texts = tuple(field for field, hint in get_type_hints(kind).items() if hint is str)
    return msgspec.msgpack.Decoder(kind).decode, texts


def _unknown(name: str, fields: msgspec.Raw) -> UnknownEvent:
    plain = unpack_entry(bytes(fields))
    if type(plain) is not tuple:
        raise DecodeError("an event without a list of fields")
    return UnknownEvent(name, plain)
