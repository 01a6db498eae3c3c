"""Bytes of a trace file as rows of the events table. Plain Python, run by the workers of Spark.

`TraceFile` reads, here as in `check`: so both say the same words about the same byte where a file stops to make sense.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pyarrow as pa

from cluster.model.codec import to_plain
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.events import CATALOGUE
from cluster.model.ruling import Decision
from cluster.trace.reader import TraceError, TraceFile
from workbench.analysis.reading.columns import ENVELOPE, FIELDS, READ_EVENT, READING, UNKNOWN_MAX
from workbench.analysis.reading.ranges import Range

TOO_LARGE = "a number of more than 64 bits in the entry that ends there"
ROWS_MAX = 2000
"""Rows of one batch for Spark: with more, its side of the pipe waits."""
PIECE_BYTES = 1 << 19
_LIMIT = 1 << 63
ARROW_TYPES = {"string": pa.string(), "bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_()}
"""Type of a column in SQL to the one of Arrow."""
SCHEMA = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in {**ENVELOPE, FIELDS: "string"}.items()])
"""The events table as Arrow has it."""
_NOBODY, _UNDECIDED = EventId(None, None, None), (None, None, None, None)  # type: ignore[arg-type]  # nulls of a table
_json = msgspec.json.Encoder().encode


class _TooLarge(Exception):
    """No column holds a number of this entry."""


def read_all(ranges: Sequence[Range]) -> Iterator[pa.RecordBatch]:
    """All rows of some ranges; after those of each range the one that tells how its reading went."""
    with _collector_resting():
        for item in ranges:
            yield from read(item)


def read(item: Range) -> Iterator[pa.RecordBatch]:
    """A row for each complete entry, then one that tells how the reading went.

    A number that no column can hold makes its entry garbage, and the file ends there.
    """
    reading: dict[str, Any] = {"from_byte": item.from_byte, "to_byte": item.from_byte, "next_seq": item.seq}
    reading |= {"newest_ns": item.newest_ns, "until_ns": item.until_ns, "entry_count": 0, "unknown_count": 0}
    reading["torn_bytes"] = 0
    if item.to_byte < item.from_byte:
        why = "deleted since it was read" if item.to_byte < 0 else "cut shorter since it was read"
        yield _told(item, reading | {"bad_byte": max(0, item.to_byte), "bad_why": why}, None)
        return
    try:
        file = TraceFile(Path(item.path))
    except TraceError as error:
        yield _told(item, reading | {"bad_byte": item.from_byte, "bad_why": error.why}, None)
        return
    except OSError as error:
        yield _told(
            item, reading | {"bad_byte": item.from_byte, "bad_why": error.strerror or type(error).__name__}, None
        )
        return
    file.position, file.seq, file.origin = item.from_byte, item.seq, item.origin
    file.newest_ns, file.run = item.newest_ns, item.entry_run or item.run
    try:
        yield from _batches(file, item, reading)
    finally:
        os.close(file.handle)
    reading |= {"to_byte": file.position, "next_seq": file.seq, "newest_ns": file.newest_ns}
    if "bad_byte" not in reading:
        reading["torn_bytes"] = len(file.left)
    yield _told(item, reading, file.origin)


def _batches(file: TraceFile, item: Range, told: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """Batches of rows; in `told` is counted what they hold, and noted where the file stops to make sense."""
    while file.read_to < item.to_byte and "bad_byte" not in told:
        if not file.fill(item.to_byte, PIECE_BYTES):
            told |= {"bad_byte": file.read_to, "bad_why": "cut shorter while it was read"}
            return
        taken = file.take()
        while "bad_byte" not in told:
            entries: list[Entry] = []
            try:
                _checked(islice(taken, ROWS_MAX), entries)
            except TraceError as error:
                told |= {"bad_byte": error.offset, "bad_why": error.why}
            except _TooLarge:
                taken.close()  # type: ignore[attr-defined]  # it is a generator
                told |= {"bad_byte": file.position, "bad_why": TOO_LARGE}
            if not entries:
                break
            told["entry_count"] += len(entries)
            told["unknown_count"] += sum(isinstance(entry.event, UnknownEvent) for entry in entries)
            yield rows_of(entries, item)


def _checked(entries: Iterator[Entry], found: list[Entry]) -> None:
    """Add these to what was found, as far as they make sense. TraceError or _TooLarge where they do not."""
    for entry in entries:
        numbers = (entry.seq, entry.t_ns, entry.wall_ns, entry.lamport, *(entry.cause or ()))
        if max(numbers) >= _LIMIT or not _fits(to_plain(entry.event)):
            raise _TooLarge
        found.append(entry)


def rows_of(entries: Sequence[Entry], item: Range) -> pa.RecordBatch:
    """Some entries of a range as rows of the events table."""
    columns: list[Any] = [
        [item.run] * len(entries),
        [item.name] * len(entries),
        [entry.node for entry in entries],
        [entry.incarnation for entry in entries],
        [entry.seq for entry in entries],
        [entry.t_ns for entry in entries],
        [(entry.t_ns - item.start_ns) / 1e6 for entry in entries],
        [entry.wall_ns for entry in entries],
        [entry.lamport for entry in entries],
        *zip(*[entry.cause or _NOBODY for entry in entries], strict=True),
        [entry.trigger for entry in entries],
        *zip(*[_decided(entry.decision) for entry in entries], strict=True),
        [entry.event.name for entry in entries],
        [not isinstance(entry.event, UnknownEvent) for entry in entries],
        [fields_text(entry.event) for entry in entries],
    ]
    arrays = [pa.array(values, column.type) for values, column in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _decided(decision: Decision | None) -> tuple[Any, ...]:
    if decision is None:
        return _UNDECIDED
    return decision.rule, decision.granted, decision.reason, _json(decision.numbers).decode()


def fields_text(event: Any) -> str:
    """The fields of an event as one JSON object; the parts of a tuple have the names _1, _2, ... as in its view."""
    if isinstance(event, UnknownEvent):
        return _json({"unknown": repr(event.fields)[:UNKNOWN_MAX]}).decode()
    names, shapes = _shapes(event.name)
    plain = to_plain(event)
    for place, shape in shapes:
        plain[place] = shape(plain[place])
    return _json(dict(zip(names, plain, strict=True))).decode()


@cache
def _shapes(event: str) -> tuple[tuple[str, ...], tuple[tuple[int, Callable[[Any], Any]], ...]]:
    """Names of the fields, and for those that hold tuples of several types what gives their parts names."""
    kind: Any = CATALOGUE[event]
    hints, names = get_type_hints(kind), kind.__struct_fields__
    shapes = [(place, _shape(hints[name])) for place, name in enumerate(names)]
    return names, tuple((place, shape) for place, shape in shapes if shape is not None)


def _shape(hint: Any) -> Callable[[Any], Any] | None:
    parts = get_args(hint)
    if len(parts) == 2 and parts[1] is Ellipsis:
        inner = _shape(parts[0])
        return None if inner is None else lambda values: [inner(value) for value in values]
    if getattr(hint, "__origin__", None) is not tuple:
        return None
    shapes = [(f"_{number}", _shape(part)) for number, part in enumerate(parts, 1)]
    return lambda values: {
        name: value if shape is None else shape(value) for (name, shape), value in zip(shapes, values, strict=True)
    }


def _told(item: Range, told: dict[str, Any], origin: tuple[int, int] | None) -> pa.RecordBatch:
    """The row that tells of a reading."""
    row: dict[str, Any] = {"run": item.run, "file": item.name, "event": READ_EVENT, "is_known": True}
    if origin is not None:
        row["node"], row["incarnation"] = origin
    row[FIELDS] = _json({name: told.get(name) for name in READING}).decode()
    return pa.RecordBatch.from_pylist([row], schema=SCHEMA)


def _fits(values: Sequence[Any]) -> bool:
    """Whether all whole numbers in it have at most 64 bits; none is smaller than msgpack's, which has as many."""
    for value in values:
        kind = type(value)
        if (kind is int and value >= _LIMIT) or (kind in (tuple, list) and not _fits(value)):
            return False
    return True


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Nothing that is made of entries is a cycle, and looking for cycles would take most of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
