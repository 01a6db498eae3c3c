"""The columns of the events table, and the typed view of each kind of event, derived from the event catalogue.

The table is narrow: what every event has, and the event's own fields as one JSON object. So an event that is new needs
nothing here, and a field costs only those who ask for it. Types are written as Spark DDL.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from cluster.model.events import CATALOGUE

READ_EVENT = "trace.read"
"""Name of the row that tells how the reading of one file went; no node writes it."""
FIELDS = "fields"
"""Column with the event's own fields as one JSON object; of an event of a newer version only what it was read as."""
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
"""Fields of trace.read. bad_byte is null for a file that can be trusted, until_ns for a run that is over."""
OF_READING = {"run": "string", "file": "string", **READING}
"""Columns of the readings that tables are made from."""
UNKNOWN_MAX = 4096
"""Longest text that is kept of an event of a newer version, in characters."""
_SCALARS = {int: "bigint", str: "string", bool: "boolean", float: "double"}


def ddl(columns: dict[str, str]) -> str:
    """A schema as Spark reads it. Names come from the catalogue and from here alone."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns.items())


COLUMNS = ddl({**ENVELOPE, FIELDS: "string"})
"""The events table."""


@cache
def fields_of(event: str) -> dict[str, str]:
    """Field of an event to its type, in field order."""
    kind: Any = CATALOGUE[event]
    hints = get_type_hints(kind)
    return {name: ddl_of(hints[name]) for name in kind.__struct_fields__}


@cache
def view_of(*events: str) -> dict[str, str]:
    """Field of these events to its type. What they give different types has no column: ask for one of them."""
    kinds: dict[str, set[str]] = {}
    for event in events:
        for name, kind in fields_of(event).items():
            kinds.setdefault(name, set()).add(kind)
    return {
        name: kinds_of_column.pop()
        for name, kinds_of_column in kinds.items()
        if len(kinds_of_column) == 1 and name not in ENVELOPE
    }


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
