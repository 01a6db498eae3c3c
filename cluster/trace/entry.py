"""One line of the trace: an event with who, when and why; and its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import msgpack

from cluster.model.codec import DecodeError, from_plain, to_plain
from cluster.model.decision import Decision
from cluster.model.events import CATALOGUE, Event
from cluster.model.identifiers import NodeId

ENTRY_BYTES_MAX = 1 << 20
"""Longest entry, without its length prefix."""
ELEMENTS_MAX = 20_000
"""Longest list in an entry. One fetch of 1 MiB holds up to 17,189 batches of 61 bytes and more, all named."""
_PARTS = 12


class EventId(NamedTuple):
    """Names one event of a run."""

    node: NodeId
    """Who wrote it; 0 for the lab."""
    incarnation: int
    """Which start of that node, from 0."""
    seq: int
    """Position in that start's trace, from 0, without gaps."""


@dataclass(slots=True)
class UnknownEvent:
    """An event of a newer version, kept as it was read."""

    KNOWN: ClassVar[bool] = False
    name: str
    """Its name there."""
    fields: tuple[Any, ...]
    """Its plain values."""


@dataclass(slots=True)
class Entry:
    """One event as it stands in a trace file."""

    run: str
    """Which run."""
    node: NodeId
    """Who wrote it; 0 for the lab."""
    incarnation: int
    """Which start of that node."""
    seq: int
    """From 0, without gaps."""
    t_ns: int
    """Monotonic clock of the machine."""
    wall_ns: int
    """Unix time."""
    lamport: int
    """Logical clock."""
    cause: EventId | None
    """The event that led to this one, when known."""
    trigger: str
    """The input that was being handled."""
    decision: Decision | None
    """The rule that decided it, when one did."""
    event: Event | UnknownEvent
    """What happened."""

    @property
    def id(self) -> EventId:
        """Its name in the run."""
        return EventId(self.node, self.incarnation, self.seq)


def encode_entry(entry: Entry) -> bytes:
    """The entry with its 4-byte big-endian length."""
    event = entry.event
    plain = [
        *(entry.run, entry.node, entry.incarnation, entry.seq, entry.t_ns, entry.wall_ns, entry.lamport),
        *(entry.cause, entry.trigger, None if entry.decision is None else to_plain(entry.decision)),
        *(event.name, event.fields if isinstance(event, UnknownEvent) else to_plain(event)),
    ]
    body: bytes = msgpack.packb(plain, unicode_errors="replace")
    if len(body) > ENTRY_BYTES_MAX:
        raise ValueError(f"a trace entry of {len(body)} bytes is longer than {ENTRY_BYTES_MAX}")
    return len(body).to_bytes(4, "big") + body


def decode_entry(body: bytes | memoryview) -> Entry:
    """The entry in body (without its length). DecodeError when it is not one."""
    try:
        plain = msgpack.unpackb(body, use_list=False, max_array_len=ELEMENTS_MAX, max_map_len=1000, max_ext_len=0)
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise DecodeError(f"not an entry: {error}") from error
    if type(plain) is not tuple or len(plain) != _PARTS:
        raise DecodeError("not an entry")
    run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, name, fields = plain
    if type(run) is not str or type(trigger) is not str or type(name) is not str or type(fields) is not tuple:
        raise DecodeError("an entry with wrong parts")
    for number in (node, incarnation, seq, t_ns, wall_ns, lamport):
        if type(number) is not int:
            raise DecodeError("an entry with wrong numbers")
    return Entry(
        run,
        node,
        incarnation,
        seq,
        t_ns,
        wall_ns,
        lamport,
        None if cause is None else _cause(cause),
        trigger,
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
