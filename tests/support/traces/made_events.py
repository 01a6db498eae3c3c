"""Literal events for the tests of the analysis: as rows of a data frame, and as trace files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from cluster.model.entry import Entry
from cluster.trace.entry import encode_entry
from workbench.analysis.reading.columns import FIELDS, OF_READING, ddl
from workbench.analysis.reading.ranges import Range, RunSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RUN = "20260101-000000-000aa"
QUORUM = "__cluster_metadata"


def at(t_ms: float, node: int, event: Any, *, seq: int | None = None, incarnation: int = 0, cause: Any = None) -> Entry:
    """An event of a node. seq is the time in microseconds unless told."""
    number = round(t_ms * 1000) if seq is None else seq
    t_ns = round(t_ms * 1e6)
    return Entry(RUN, node, incarnation, number, t_ns, 1_700_000_000_000_000_000 + t_ns, number, cause, "", None, event)


def by_script(entry: Entry) -> Entry:
    """The same, asked for by a script."""
    return structs.replace(entry, trigger="command by script")


def frame(spark: SparkSession, entries: list[Entry]) -> DataFrame:
    """These events as the events table has them."""
    import pyarrow as pa

    from workbench.analysis.reading.rows import SCHEMA, rows_of

    made = [
        rows_of([entry], Range(entry.run, 0, "", f"{entry.node}-{entry.incarnation}.trace", 0, 0, 0, None))
        for entry in entries
    ]
    return spark.createDataFrame(pa.Table.from_batches(made, SCHEMA))


def readings_frame(spark: SparkSession, *listed: dict[str, Any]) -> DataFrame:
    """Rows that tell how readings went; what a row does not name is null."""
    told = [tuple(({"run": RUN} | row).get(name) for name in OF_READING) for row in listed]
    return spark.createDataFrame(told, ddl(OF_READING))


def rows(table: DataFrame, *names: str) -> list[tuple[Any, ...]]:
    """Some columns of a table, in the order of its rows when sorted by them."""
    found = [tuple(row) for row in table.select(*names).collect()]
    return sorted(found, key=lambda row: [(item is None, str(type(item)), item) for item in row])


def ended(spark: SparkSession, end_ms: float) -> DataFrame:
    """A runs table with one whole run."""
    return spark.createDataFrame([(RUN, end_ms, True)], "run string, observed_ms double, is_complete boolean")


def write_run(folder: Path, events: dict[str, list[Any]], *, run: str = RUN, step_ns: int = 1_000_000) -> Path:
    """A run's folder with these events in its trace files (name to events), one step_ns after the other."""
    (folder / "trace").mkdir(parents=True, exist_ok=True)
    t_ns = 5_000_000
    for name, listed in events.items():
        node, incarnation = map(int, name.split("-"))
        data = b""
        for seq, event in enumerate(listed):
            t_ns += step_ns
            made = Entry(
                run, node, incarnation, seq, t_ns, 1_700_000_000_000_000_000 + t_ns, seq, None, "", None, event
            )
            data += encode_entry(made)
        (folder / "trace" / f"{name}.trace").write_bytes(data)
    facts = {"id": run, "title": "t", "created": "2026-01-01T00:00:00", "state": "ended", "controllers": [101]}
    (folder / "run.json").write_text(json.dumps({**facts, "brokers": [1], "settings": {}}))
    return folder


def fixed(table: DataFrame) -> DataFrame:
    """The same rows without where they come from, as a table has them that was written and read again."""
    return table.sparkSession.createDataFrame(table.toArrow())


def ranges_of(source: RunSource) -> list[Range]:
    """All of its files from their beginning."""
    folder = source.folder / "trace"
    return [
        Range(source.run, source.start_ns, str(folder / name), name, 0, size, 0, None, entry_run=source.entry_run)
        for name, size in source.sizes.items()
    ]


def read_range(item: Range) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """(the rows of its events, the row of its reading and what that tells)."""
    from workbench.analysis.reading.rows import read

    *found, last = [row for batch in read(item) for row in batch.to_pylist()]
    return found, last | json.loads(last[FIELDS])


def seen_from_outside(data: Path) -> list[str]:
    """All events that are kept there, as somebody reads them who knows nothing of us."""
    import pyarrow.dataset as ds

    files = [str(path) for path in data.glob("rows/*/rows=events/*/*.parquet")]
    return sorted(map(str, ds.dataset(files, format="parquet").to_table().to_pylist()))
