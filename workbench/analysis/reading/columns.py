"""The columns of the events table, derived from the event catalogue. Types are written as Spark DDL."""

from __future__ import annotations

import types
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from cluster.model.events import CATALOGUE

READ_EVENT = "trace.read"
"""Name of the row that tells how the reading of one file went; no node writes it."""
ENVELOPE: dict[str, str] = {
    "run": "string",
    "file": "string",
    "node": "bigint",
    "incarnation": "bigint",
    "seq": "bigint",
    "t_ns": "bigint",
    "t_ms": "double",
    "wall_ns": "bigint",
    "lamport": "bigint",
    "cause_node": "bigint",
    "cause_incarnation": "bigint",
    "cause_seq": "bigint",
    "trigger": "string",
    "rule": "string",
    "rule_granted": "boolean",
    "rule_reason": "string",
    "rule_numbers": "string",
    "event": "string",
    "is_known": "boolean",
    "unknown_fields": "string",
}
"""What every event has. t_ms counts from the first event of the run; rule_numbers is one JSON object."""
READING: dict[str, str] = {
    "from_byte": "bigint",
    "to_byte": "bigint",
    "torn_bytes": "bigint",
    "entry_count": "bigint",
    "unknown_count": "bigint",
    "next_seq": "bigint",
    "newest_ns": "bigint",
    "bad_byte": "bigint",
    "bad_why": "string",
    "until_ns": "bigint",
}
"""What only a trace.read row has. bad_byte is null for a file that can be trusted, until_ns for a run that is over."""
UNKNOWN_MAX = 4096
"""Longest text in unknown_fields, in characters."""
_SCALARS = {int: "bigint", str: "string", bool: "boolean", float: "double"}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the fields of each event stand."""

    ddl: dict[str, str]
    """Column to type, in order."""
    places: dict[str, tuple[str, ...]]
    """Event name to the columns of its fields, in field order."""

    def fields(self, event: str) -> dict[str, str]:
        """Field of an event to the column it stands in."""
        return dict(zip(_fields(CATALOGUE[event]), self.places[event], strict=True))

    @property
    def text(self) -> str:
        """The schema as Spark reads it. Names come from the catalogue alone."""
        return ", ".join(f"`{name}` {kind}" for name, kind in self.ddl.items())


@cache
def layout() -> Layout:
    """One column for each field name, of the type that more than half of its events give it.

    An event that means another type by it has a column of its own: so an event that is new leaves the others alone.
    """
    kinds: dict[str, Counter[str]] = {}
    for event in CATALOGUE.values():
        for name, kind in _fields(event).items():
            kinds.setdefault(name, Counter())[kind] += 1
    ddl = {**ENVELOPE, **READING}
    places: dict[str, tuple[str, ...]] = {}
    for event_name, event in CATALOGUE.items():
        columns = []
        for name, kind in _fields(event).items():
            is_usual = kinds[name][kind] * 2 > kinds[name].total()
            is_shared = is_usual and name not in ENVELOPE and name not in READING
            column = name if is_shared else f"{event_name.replace('.', '_')}_{name}"
            ddl[column] = kind
            columns.append(column)
        places[event_name] = tuple(columns)
    return Layout(ddl, places)


def _fields(event: type[Any]) -> dict[str, str]:
    hints = get_type_hints(event)
    return {name: ddl_of(hints[name]) for name in event.__struct_fields__}


def ddl_of(hint: Any) -> str:
    """A type hint of the catalogue as Spark DDL; the parts of a tuple are _1, _2, ... TypeError when there is none."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = [item for item in arguments if item is not type(None)]
        if len(inner) == 1:
            return ddl_of(inner[0])
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return f"array<{ddl_of(arguments[0])}>"
    if origin is tuple and arguments:
        return f"struct<{', '.join(f'_{place}: {ddl_of(item)}' for place, item in enumerate(arguments, 1))}>"
    raise TypeError(f"no column type for {hint}")
