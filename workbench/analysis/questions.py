"""Questions in SQL to the tables of recorded runs, and what there is to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cluster.model.events import CATALOGUE
from workbench.analysis.reading.columns import ENVELOPE, fields_of
from workbench.analysis.store.tables import Store, read_table
from workbench.analysis.tables import CLASS_TABLES, TABLES
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVENTS = "events"
UNITS = {
    "_ms": "milliseconds; a moment counts from the first event of the run",
    "_ns": "nanoseconds",
    "_bytes": "bytes",
    "_share": "from 0 to 1",
    "share": "from 0 to 1",
    "_offset": "an offset; of an end or a high watermark, one past the last record",
    "high_watermark": "an offset, one past the last record",
    "_count": "a number of them",
}
"""End of a column's name to the unit of its values."""


def view_name(event: str) -> str:
    """What SQL calls the view of an event: raft.leader_elected is raft_leader_elected."""
    return event.replace(".", "_")


def answer(session: SparkSession, store: Store, runs: list[str], query: str) -> list[dict[str, Any]]:
    """The rows of the answer. Refusal with Spark's own words for what is no question, or has no answer."""
    from workbench.analysis.store.rows import ROWS, events_of
    from workbench.analysis.tables.common import name_view, of

    words = set(re.findall(r"\w+", query.lower()))
    views = {view_name(event): event for event in CATALOGUE}
    if words & {EVENTS, *views}:
        if not (store.data / ROWS).is_dir():
            raise Refusal(BAD_DATA, "tables alone are kept there, no events: name the runs to ask for those too")
        events, _ = events_of(session, store.data, dict.fromkeys(runs))
        name_view(EVENTS, events)
        for name in words & {*views}:
            name_view(name, of(events, views[name]))
    for name in words & {*TABLES}:
        name_view(name, read_table(session, store.table(name), runs))
    with _spark_s_own_words():
        rows: list[dict[str, Any]] = session.sql(query).toArrow().to_pylist()
    return rows


@contextmanager
def _spark_s_own_words() -> Iterator[None]:
    """What Spark says of a query is said in one line, without what stood on its stack."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise Refusal(USAGE, safe_text(lines[0] if lines else type(error).__name__, 400)) from error


def listed() -> list[dict[str, str]]:
    """Each table and what a row of it is."""
    tables = [{"table": info.name, "a row is": info.text} for info in (*TABLES.values(), *CLASS_TABLES.values())]
    return [*tables, {"table": EVENTS, "a row is": "an event of any kind; its own fields are JSON in `fields`"}]


def described(name: str) -> tuple[str, list[dict[str, str]]]:
    """(what a row is, in sentences; each column with its unit or type). Refusal for what is no table and no event."""
    events = {view_name(event): event for event in CATALOGUE}
    event = events.get(view_name(name))
    if event is not None:
        columns = {**ENVELOPE, **{own: kind for own, kind in fields_of(event).items() if own not in ENVELOPE}}
        text = " ".join((CATALOGUE[event].__doc__ or "").split())
        return f"{view_name(event)}: {text}", [
            {"column": own, "type": kind, "unit": unit_of(own)} for own, kind in columns.items()
        ]
    info = {**TABLES, **CLASS_TABLES}.get(name)
    if info is None:
        tables = ", ".join([*TABLES, *CLASS_TABLES])
        raise Refusal(USAGE, f"no table '{safe_text(name, 60)}' and no such event; there are {tables}")
    text = " ".join((info.function().__doc__ or "").split())
    return f"{name}: {text}", [{"column": own, "unit": unit_of(own)} for own in info.columns()]


def unit_of(column: str) -> str:
    """In words; empty for names and plain numbers."""
    return next((unit for ending, unit in UNITS.items() if column.endswith(ending)), "")
