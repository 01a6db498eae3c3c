"""Traces, events and tables as data frames."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.reading.columns import READ_EVENT, layout
from workbench.analysis.reading.ranges import FORMAT, Range, RunSource, ranges_to_json

ANSWERS_DDL = "run string, question string, answer string, right_answer string"

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_ranges(session: SparkSession, ranges: list[Range], into: Path | None = None) -> DataFrame:
    """The rows of some bytes of trace files, straight from the files.

    With `into` the rows are written there by whoever reads them, and the frame has only what tells of the readings.
    """
    shares = str(session.sparkContext.defaultParallelism)
    source = session.read.format(FORMAT).option("ranges", ranges_to_json(ranges)).option("shares", shares)
    return source.option("into", "" if into is None else str(into)).load()


def follow_runs(
    session: SparkSession, runs: list[RunSource], start: dict[str, list[Any]], into: Path, also: tuple[str, ...]
) -> DataFrame:
    """These runs as a stream: what is there past `start` (path to a plain Place), and what comes.

    `into` as above; events that are named in `also` are in the frame all the same.
    """
    shares = str(session.sparkContext.defaultParallelism)
    told = [
        {"folder": str(run.folder), "run": run.run, "start_ns": run.start_ns, "entry_run": run.entry_run}
        for run in runs
    ]
    stream = session.readStream.format(FORMAT).option("runs", json.dumps(told)).option("start", json.dumps(start))
    return stream.option("shares", shares).option("into", str(into)).option("also", ",".join(also)).load()


def read_events(
    session: SparkSession, folder: Path, reads: int, runs: Mapping[str, int | None]
) -> tuple[DataFrame, DataFrame]:
    """(events, readings) of these runs from the finished readings; the columns are ours, not what a file claims.

    Args:
        runs: id to the instant (t_ns, inclusive) after which events are left out; None leaves out nothing.
    """
    stored = session.read.schema(f"{layout().text}, `read` int").parquet(str(folder))
    chosen = stored.where(stored["read"] <= reads).where(stored["run"].isin(*runs)).drop("read")
    is_reading = chosen["event"] == READ_EVENT
    events = chosen.where(~is_reading)
    for run, until_ns in runs.items():
        if until_ns is not None:
            events = events.where((events["run"] != run) | (events["t_ns"] <= until_ns))
    return events, chosen.where(is_reading)


def read_answers(session: SparkSession, runs: Mapping[str, list[list[str]]]) -> DataFrame:
    """run, question, answer, right_answer: what the ledger took from the answers.json of these runs."""
    told = [(run, *answer) for run, answers in runs.items() for answer in answers]
    return session.createDataFrame(told, ANSWERS_DDL)


def read_table(session: SparkSession, folder: Path, runs: list[str]) -> DataFrame:
    """One table for these runs."""
    from pyspark.sql.types import StructType

    schema = StructType.fromJson(json.loads((folder / "_schema.json").read_text("utf-8")))
    found = session.read.schema(schema).parquet(str(folder))
    return found.where(found["run"].isin(*runs))


def class_rows(folder: Path) -> list[dict[str, Any]]:
    """One table of a class as plain rows, without Spark."""
    import pyarrow.dataset as ds

    files = sorted(str(path) for path in folder.glob("*.parquet"))
    rows: list[dict[str, Any]] = ds.dataset(files, format="parquet").to_table().to_pylist()
    return rows


def table_rows(folder: Path, runs: list[str]) -> list[dict[str, Any]]:
    """The same as plain rows, without Spark: for showing what is small."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    names = [item["name"] for item in json.loads((folder / "_schema.json").read_text("utf-8"))["fields"]]
    found: list[dict[str, Any]] = []
    for run in runs:
        part = folder / f"run={run}"
        if not part.is_dir():
            continue
        files = sorted(str(path) for path in part.glob("*.parquet"))
        table: pa.Table = ds.dataset(files, format="parquet").to_table()
        found += [{name: run if name == "run" else row[name] for name in names} for row in table.to_pylist()]
    return found
