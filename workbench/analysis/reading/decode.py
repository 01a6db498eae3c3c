"""Bytes of a trace file as rows of the events table, entry by entry. Plain Python, run by the workers of Spark.

This is what says exactly where a file stops to make sense; `piecewise.py` comes here with what is unusual.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster.model.codec import to_plain
from cluster.model.entry import Entry, UnknownEvent
from cluster.trace.reader import TraceError, TraceFile
from workbench.analysis.reading.columns import READ_EVENT, UNKNOWN_MAX, layout
from workbench.analysis.reading.ranges import Range

TOO_LARGE = "a number of more than 64 bits in the entry that ends there"


def nothing_read(item: Range) -> dict[str, Any]:
    """The row that tells of a reading which has not begun."""
    told: dict[str, Any] = {"run": item.run, "file": item.name, "event": READ_EVENT, "is_known": True}
    told |= {"from_byte": item.from_byte, "to_byte": item.from_byte, "next_seq": item.seq, "newest_ns": item.newest_ns}
    return told | {"until_ns": item.until_ns, "torn_bytes": 0, "entry_count": 0, "unknown_count": 0}


def rows(item: Range) -> Iterator[dict[str, Any]]:
    """A row for each complete entry, then one that tells how the reading went.

    A number that no column can hold makes its entry garbage, and the file ends there.
    """
    told = nothing_read(item)
    if item.to_byte < item.from_byte:
        yield told | {"bad_byte": max(0, item.to_byte), "bad_why": _missing(item)}
        return
    try:
        file = TraceFile(Path(item.path))
    except TraceError as error:
        yield told | {"bad_byte": item.from_byte, "bad_why": error.why}
        return
    except OSError as error:
        yield told | {"bad_byte": item.from_byte, "bad_why": error.strerror or type(error).__name__}
        return
    file.position, file.seq, file.origin = item.from_byte, item.seq, item.origin
    file.newest_ns, file.run = item.newest_ns, item.entry_run or item.run
    try:
        while file.read_to < item.to_byte and file.fill(item.to_byte):
            taken: Any = file.take()
            for entry in taken:
                row = row_of(entry, item)
                if not _fits(tuple(row.values())):
                    taken.close()
                    raise TraceError(file.path, file.position, TOO_LARGE)
                told["unknown_count"] += isinstance(entry.event, UnknownEvent)
                told["entry_count"] += 1
                yield row
        if file.read_to < item.to_byte:
            told |= {"bad_byte": file.read_to, "bad_why": "cut shorter while it was read"}
    except TraceError as error:
        told |= {"bad_byte": error.offset, "bad_why": error.why}
    finally:
        os.close(file.handle)
    told |= {"to_byte": file.position, "next_seq": file.seq, "newest_ns": file.newest_ns}
    if "bad_byte" not in told:
        told["torn_bytes"] = len(file.left)
    if file.origin is not None:
        told |= {"node": file.origin[0], "incarnation": file.origin[1]}
    yield told


def _fits(value: Any) -> bool:
    """Whether all whole numbers in it have at most 64 bits."""
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    return all(map(_fits, value)) if isinstance(value, tuple | list) else True


def _missing(item: Range) -> str:
    return "deleted since it was read" if item.to_byte < 0 else "cut shorter since it was read"


def row_of(entry: Entry, item: Range) -> dict[str, Any]:
    """One event as column to value."""
    event, decision, cause = entry.event, entry.decision, entry.cause
    row: dict[str, Any] = {
        "run": item.run,
        "file": item.name,
        "node": entry.node,
        "incarnation": entry.incarnation,
        "seq": entry.seq,
        "t_ns": entry.t_ns,
        "t_ms": (entry.t_ns - item.start_ns) / 1e6,
        "wall_ns": entry.wall_ns,
        "lamport": entry.lamport,
        "trigger": entry.trigger,
        "event": event.name,
        "is_known": not isinstance(event, UnknownEvent),
    }
    if cause is not None:
        row["cause_node"], row["cause_incarnation"], row["cause_seq"] = cause
    if decision is not None:
        row["rule"], row["rule_granted"], row["rule_reason"] = decision.rule, decision.granted, decision.reason
        row["rule_numbers"] = json.dumps(decision.numbers, default=list)
    if isinstance(event, UnknownEvent):
        row["unknown_fields"] = repr(event.fields)[:UNKNOWN_MAX]
    else:
        row.update(zip(layout().places[event.name], to_plain(event), strict=True))
    return row
