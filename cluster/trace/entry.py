"""The bytes of one line of the trace."""

from __future__ import annotations

import sys
from functools import partial
from operator import attrgetter
from typing import Any

import msgpack

from cluster.model.codec import DecodeError, from_plain, pack
from cluster.model.decision import Decision
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.events import CATALOGUE, Event

ENTRY_BYTES_MAX = 1 << 20
"""Longest entry, without its length prefix."""
ELEMENTS_MAX = 20_000
"""Longest list in an entry. One fetch of 1 MiB holds up to 17,189 batches of 61 bytes and more, all named."""
PARTS = 12
"""Values in an entry: run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, event, fields."""
unpack_entry = partial(msgpack.unpackb, use_list=False, max_array_len=ELEMENTS_MAX, max_map_len=1000, max_ext_len=0)
"""The plain values in the body of an entry, not looked at yet; one of UNREADABLE when they are no msgpack."""
UNREADABLE = (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException)
_envelope = attrgetter(
    "run", "node", "incarnation", "seq", "t_ns", "wall_ns", "lamport", "cause", "trigger", "decision"
)


def encode_entry(entry: Entry) -> bytes:
    """The entry with its 4-byte big-endian length."""
    event = entry.event
    body = pack((*_envelope(entry), event.name, event.fields if type(event) is UnknownEvent else event))
    if len(body) > ENTRY_BYTES_MAX:
        raise ValueError(f"a trace entry of {len(body)} bytes is longer than {ENTRY_BYTES_MAX}")
    return len(body).to_bytes(4, "big") + body


def decode_entry(body: bytes | memoryview) -> Entry:
    """The entry in body (without its length). DecodeError when it is not one."""
    try:
        plain = unpack_entry(body)
    except UNREADABLE as error:
        raise DecodeError(f"not an entry: {error}") from error
    if type(plain) is not tuple or len(plain) != PARTS:
        raise DecodeError("not an entry")
    run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, name, fields = plain
    if type(run) is not str or type(trigger) is not str or type(name) is not str or type(fields) is not tuple:
        raise DecodeError("an entry with wrong parts")
    for number in (node, incarnation, seq, t_ns, wall_ns, lamport):
        if type(number) is not int:
            raise DecodeError("an entry with wrong numbers")
    return Entry(
        sys.intern(run),
        node,
        incarnation,
        seq,
        t_ns,
        wall_ns,
        lamport,
        None if cause is None else _cause(cause),
        sys.intern(trigger),
        None if decision is None else from_plain(Decision, decision),
        _event(name, fields),
    )


def _cause(plain: Any) -> EventId:
    if type(plain) is not tuple or [type(part) for part in plain] != [int, int, int]:
        raise DecodeError("an entry with a wrong cause")
    return EventId(*plain)


def _event(name: str, fields: tuple[Any, ...]) -> Event | UnknownEvent:
    kind = CATALOGUE.get(name)
    if kind is None:
        return UnknownEvent(name, fields)
    event: Event = from_plain(kind, fields)
    return event
