"""Many entries of a trace at once as Arrow columns: nothing is made for one event alone.

Only entries in which nothing is unusual pass here. The others go the way of `decode.rows`, which says what is wrong.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from cluster.model.codec import from_plain, to_plain
from cluster.model.events import CATALOGUE
from cluster.trace.entry import PARTS
from workbench.analysis.reading.columns import UNKNOWN_MAX, ddl_of, layout
from workbench.analysis.reading.ranges import Range

Build = Callable[[Sequence[Any]], pa.Array]
Pieces = dict[str, list[tuple[int, pa.Array]]]
NULLS = 1 << 16
_NONE = type(None)
_SCALARS = {"bigint": pa.int64(), "string": pa.string(), "boolean": pa.bool_(), "double": pa.float64()}
_DECISION = (str, bool, str, str, dict)
_numbers = json.JSONEncoder(default=list).encode


class Unusual(Exception):
    """Something in these entries wants a closer look."""


def arrow_type(ddl: str) -> pa.DataType:
    """A type of the events table as Arrow has it, and as Spark translates it."""
    if ddl in _SCALARS:
        return _SCALARS[ddl]
    inner = ddl[ddl.index("<") + 1 : -1]
    if ddl.startswith("array<"):
        return pa.list_(pa.field("element", arrow_type(inner)))
    return pa.struct([(name, arrow_type(kind)) for name, kind in _parts(inner)])


def _parts(inner: str) -> Iterator[tuple[str, str]]:
    """Name and type of each field of a struct, which may hold others."""
    depth = start = 0
    for place, sign in enumerate(f"{inner},"):
        depth += (sign == "<") - (sign == ">")
        if sign == "," and not depth:
            name, kind = inner[start:place].split(":", 1)
            yield name.strip(), kind.strip()
            start = place + 1


@cache
def arrow_schema() -> pa.Schema:
    """All columns of the events table."""
    return pa.schema([(name, arrow_type(ddl)) for name, ddl in layout().ddl.items()])


def nulls(count: int, kind: pa.DataType) -> pa.Array:
    """So many nulls."""
    return _many_nulls(kind).slice(0, count) if count <= NULLS else pa.nulls(count, kind)


@cache
def _many_nulls(kind: pa.DataType) -> pa.Array:
    return pa.nulls(NULLS, kind)


def batch_of(entries: list[Any], item: Range, seq: int) -> tuple[pa.RecordBatch, tuple[int, int], int]:
    """The rows of these plain entries, events of one kind together.

    Args:
        entries: what unpack_entry made of them, in the order of their file; at least one.
        seq: the number that the first must have.

    Returns:
        The rows; node and incarnation of all; how many events are not in the catalogue.

    Unusual, DecodeError, or one of pyarrow's errors when they want a closer look.
    """
    if {*map(type, entries)} != {tuple} or {*map(len, entries)} != {PARTS}:
        raise Unusual
    if [entry[3] for entry in entries] != list(range(seq, seq + len(entries))):
        raise Unusual
    groups: dict[str, list[Any]] = {}
    for entry in entries:
        groups.setdefault(entry[10], []).append(entry)
    _all_of(groups, str)
    run, node, incarnation, number, t_ns, wall_ns, lamport, cause, trigger, decision, _name, fields = zip(
        *chain.from_iterable(groups.values()), strict=True
    )
    for column in (node, incarnation):
        _all_of(column, int)
    for column in (run, trigger):
        _all_of(column, str)
    _all_of(fields, tuple)
    if {*run} != {item.entry_run or item.run} or len({*node}) != 1 or len({*incarnation}) != 1:
        raise Unusual
    count, whole = len(entries), _integers(t_ns)
    since = pc.subtract_checked(whole, item.start_ns)
    columns = {
        "run": pa.repeat(item.run, count),
        "file": pa.repeat(item.name, count),
        "node": pa.repeat(pa.scalar(node[0], pa.int64()), count),
        "incarnation": pa.repeat(pa.scalar(incarnation[0], pa.int64()), count),
        "seq": _integers(number),
        "t_ns": whole,
        "t_ms": pc.divide(pc.cast(since, pa.float64(), safe=False), 1e6),
        "wall_ns": _integers(wall_ns),
        "lamport": _integers(lamport),
        "trigger": pa.array(trigger, pa.string()),
    }
    columns |= _causes(cause) | _decisions(decision)
    own, unknown = _own(groups, fields)
    columns |= own
    arrays = [
        columns[wanted.name] if wanted.name in columns else nulls(count, wanted.type) for wanted in arrow_schema()
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema()), (node[0], incarnation[0]), unknown


def _own(groups: dict[str, list[Any]], fields: Sequence[Any]) -> tuple[dict[str, pa.Array], int]:
    """The columns that depend on the kind of event, of groups that follow each other; how many are of no known kind."""
    pieces: Pieces = {}
    start = unknown = 0
    for kind, group in groups.items():
        is_known, after = kind in CATALOGUE, start + len(group)
        unknown += 0 if is_known else len(group)
        made = _fields(kind, fields[start:after]) if is_known else _unknown(fields[start:after])
        for place, value in (("event", kind), ("is_known", is_known)):
            made[place] = pa.repeat(value, len(group))
        for place, values in made.items():
            pieces.setdefault(place, []).append((start, values))
        start = after
    return {place: _joined(found, start) for place, found in pieces.items()}, unknown


def _all_of(values: Iterable[Any], *kinds: type) -> None:
    if not {*map(type, values)} <= {*kinds}:
        raise Unusual


def _integers(values: Sequence[Any]) -> pa.Array:
    _all_of(values, int)
    return pa.array(values, pa.int64())


def _joined(pieces: list[tuple[int, pa.Array]], count: int) -> pa.Array:
    """One column of pieces that begin at these rows; null between them."""
    parts, filled = [], 0
    for start, values in pieces:
        if start > filled:
            parts.append(nulls(start - filled, values.type))
        parts.append(values)
        filled = start + len(values)
    if filled < count:
        parts.append(nulls(count - filled, pieces[0][1].type))
    return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)


def _causes(causes: Sequence[Any]) -> dict[str, pa.Array]:
    _all_of(causes, tuple, _NONE)
    given = [cause for cause in causes if cause is not None]
    if not given:
        return {}
    if {*map(len, given)} != {3}:
        raise Unusual
    _all_of(chain.from_iterable(given), int)
    if len(given) < len(causes):
        given = [cause or (None, None, None) for cause in causes]
    names = ("cause_node", "cause_incarnation", "cause_seq")
    return {name: pa.array(part, pa.int64()) for name, part in zip(names, zip(*given, strict=True), strict=True)}


def _decisions(decisions: Sequence[Any]) -> dict[str, pa.Array]:
    _all_of(decisions, tuple, _NONE)
    given = [decision for decision in decisions if decision is not None]
    if not given:
        return {}
    if {*map(len, given)} != {len(_DECISION)}:
        raise Unusual
    for part, kind in zip(zip(*given, strict=True), _DECISION, strict=True):
        _all_of(part, kind)
    told = [(*entry[:3], _numbers(entry[4])) if entry is not None else (None,) * 4 for entry in decisions]
    names = ("rule", "rule_granted", "rule_reason", "rule_numbers")
    kinds = pa.string(), pa.bool_(), pa.string(), pa.string()
    return {name: pa.array(part, kind) for name, part, kind in zip(names, zip(*told, strict=True), kinds, strict=True)}


def _unknown(group: Sequence[Any]) -> dict[str, pa.Array]:
    return {"unknown_fields": pa.array([repr(fields)[:UNKNOWN_MAX] for fields in group], pa.string())}


def _fields(kind: str, group: Sequence[Any]) -> dict[str, pa.Array]:
    builders = _builders(kind)
    if {*map(len, group)} != {len(builders)}:
        # An older version wrote fewer fields: the codec knows what the others are.
        group = [to_plain(from_plain(CATALOGUE[kind], fields)) for fields in group]
    columns = zip(*group, strict=True)
    return {name: build(values) for (name, build), values in zip(builders, columns, strict=True)} if builders else {}


@cache
def _builders(kind: str) -> tuple[tuple[str, Build], ...]:
    """Column and what makes it, for each field of an event."""
    hints = get_type_hints(CATALOGUE[kind])
    return tuple((column, _builder(hints[name])) for name, column in layout().fields(kind).items())


def _builder(hint: Any) -> Build:
    """What makes an array of values that must have exactly the types of the hint."""
    inner, is_optional = hint, False
    if get_origin(hint) in (Union, types.UnionType):
        is_optional = True
        (inner,) = (item for item in get_args(hint) if item is not _NONE)
    kind = arrow_type(ddl_of(inner))
    if pa.types.is_list(kind):
        assert not is_optional, f"no event has had {hint} so far"
        return _lists(kind, _builder(get_args(inner)[0]))
    if pa.types.is_struct(kind):
        assert not is_optional, f"no event has had {hint} so far"
        return _tuples(kind, [_builder(item) for item in get_args(inner)])
    wanted = (inner, _NONE) if is_optional else (inner,)

    def scalars(values: Sequence[Any]) -> pa.Array:
        _all_of(values, *wanted)
        return pa.array(values, kind)

    return scalars


def _lists(kind: pa.DataType, inner: Build) -> Build:
    def build(values: Sequence[Any]) -> pa.Array:
        _all_of(values, tuple)
        ends = pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())
        return pa.ListArray.from_arrays(ends, inner(list(chain.from_iterable(values))), type=kind)

    return build


def _tuples(kind: pa.StructType, inner: list[Build]) -> Build:
    def build(values: Sequence[Any]) -> pa.Array:
        _all_of(values, tuple)
        if not {*map(len, values)} <= {len(inner)}:
            raise Unusual
        parts: Iterable[Any] = zip(*values, strict=True) if values else [()] * len(inner)
        made = [make(part) for make, part in zip(inner, parts, strict=True)]
        return pa.StructArray.from_arrays(made, fields=[kind.field(place) for place in range(kind.num_fields)])

    return build
