"""What was read of all runs, as Parquet: rows/batch=N/rows=events|readings/run=ID, one folder for each micro-batch.

Spark's checkpoint beside it remembers how far each file was read. A batch that is done again after a crash has the same
bytes to read and replaces its folder, so nobody who reads the folders ever counts a row twice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.reading.columns import COLUMNS, FIELDS, OF_READING, READ_EVENT, ddl
from workbench.analysis.reading.ranges import FORMAT, RunSource

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

ROWS, CHECKPOINT, MERGED = "rows", "checkpoint", "_merged"
MERGED_AT = 16
"""So many batches are merged when nobody reads traces: each costs Spark some files to open."""
MERGED_BYTES = 256 << 20
"""More than this is left as it is."""
ATTEMPTS = 3
TOO_SLOW = "Python worker failed to connect back"
"""What Spark says of it."""
Reading = dict[str, Any]
"""A row of OF_READING: how the reading of a part of one file went."""
Until = Mapping[str, int | None]
"""Run to the instant up to which its events are used."""


def stream_of(
    session: SparkSession, data: Path, sources: list[RunSource], done: Callable[[int], None] = lambda _number: None
) -> DataStreamWriter:
    """The query that reads what is new of these runs, to be given a trigger. Each batch is told `done`."""
    from pyspark.sql import functions as F  # noqa: N812

    ranges = [
        {"run": run.run, "folder": str(run.folder.absolute()), "start_ns": run.start_ns, "entry_run": run.entry_run}
        for run in sources
    ]
    shares = str(session.sparkContext.defaultParallelism)
    stream = session.readStream.format(FORMAT).option("runs", json.dumps(ranges)).option("shares", shares).load()
    kind = F.when(F.col("event") == READ_EVENT, "readings").otherwise("events")

    def keep(rows: DataFrame, number: int) -> None:
        whole = rows.write.mode("overwrite").option("partitionOverwriteMode", "static").partitionBy(ROWS, "run")
        whole.parquet(str(batch_folder(data, number)))
        done(number)

    writer: DataStreamWriter = stream.withColumn(ROWS, kind).writeStream
    return writer.foreachBatch(keep).option("checkpointLocation", str(data / CHECKPOINT))


def batch_folder(data: Path, number: int) -> Path:
    """Where the rows of one batch are."""
    return data / ROWS / f"batch={number}"


def read_to_end(start: Callable[[], StreamingQuery]) -> None:
    """Let a query that ends by itself do so; once more when its Python was too slow to begin.

    Spark waits ten seconds for that, which on a busy machine is not always enough. A batch is done again as a whole.
    """
    from pyspark.errors import StreamingQueryException

    for left in reversed(range(ATTEMPTS)):
        query = start()
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if not left or TOO_SLOW not in str(error):
                raise
        finally:
            query.stop()


def stored(session: SparkSession, data: Path, kind: str) -> DataFrame:
    """All events, or all readings, as the events table has them; the columns are ours, not what a file claims."""
    folder = data / ROWS
    reader = session.read.schema(f"{COLUMNS}, `batch` int, `rows` string").option("basePath", str(folder))
    parts = sorted(str(path) for path in folder.glob(f"batch=*/rows={kind}"))
    if not parts:
        return session.createDataFrame([], COLUMNS)
    return reader.parquet(*parts).drop("batch", ROWS)


def events_of(session: SparkSession, data: Path, until_ns: Until) -> tuple[DataFrame, DataFrame]:
    """Events and readings of these runs, as far as tables are made of them; see is_kept."""
    from pyspark.sql import functions as F  # noqa: N812

    readings = readings_of(data, until_ns)
    events = stored(session, data, "events").where(is_kept(F.col, until_ns, readings))
    return events, session.createDataFrame([tuple(map(row.get, OF_READING)) for row in readings], ddl(OF_READING))


def small_events_of(data: Path, until_ns: Until) -> tuple[pa.Table, pa.Table]:
    """The same without Spark, for what is small."""
    import pyarrow.dataset as ds

    readings = readings_of(data, until_ns)
    return read_events(data / ROWS, is_kept(ds.field, until_ns, readings)), readings_table(readings)


def read_events(folder: Path, condition: Any) -> pa.Table:
    """Events in the rows, or in one batch of them, for which a condition of Arrow holds; none where there is none."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    from workbench.analysis.reading.rows import SCHEMA

    if not folder.is_dir():
        return SCHEMA.empty_table()
    by = ds.partitioning(pa.schema([("batch", "int32"), (ROWS, "string"), ("run", "string")]), flavor="hive")
    dataset = ds.dataset(folder, pa.schema([*SCHEMA, *by.schema.remove(2)]), format="parquet", partitioning=by)
    return dataset.to_table(SCHEMA.names, filter=(ds.field(ROWS) == "events") & condition)


def readings_table(readings: list[Reading]) -> pa.Table:
    """Readings as Arrow has them."""
    import pyarrow as pa

    from workbench.analysis.reading.rows import ARROW_TYPES

    kinds = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in OF_READING.items()])
    return pa.Table.from_pylist([{name: row.get(name) for name in OF_READING} for row in readings], kinds)


def is_kept(field: Callable[[str], Any], until_ns: Until, readings: list[Reading]) -> Any:
    """Which events tables are made of, as a condition of Spark or of Arrow: both say it with the same words.

    What stands behind garbage is no part of a file: where its reading in one go would have ended, its events end.

    Args:
        field: gives a column its name.
        until_ns: run to the instant (inclusive) after which events are left out; None leaves out nothing.
        readings: of these runs.
    """
    kept = field("run").isin(list(until_ns))
    for run, instant in until_ns.items():
        if instant is not None:
            kept &= (field("run") != run) | (field("t_ns") <= instant)
    for row in bad_files(readings):
        is_own = (field("run") == row["run"]) & (field("file") == row["file"])
        kept &= ~(is_own & (field("seq") >= row["next_seq"]))
    return kept


def readings_of(data: Path, runs: Iterable[str]) -> list[Reading]:
    """How the readings of these runs went, in order; without Spark, for there are few."""
    import pyarrow.dataset as ds

    wanted, readings = set(runs), []
    for path in sorted((data / ROWS).glob("batch=*/rows=readings/run=*/*.parquet")):
        run = path.parent.name.removeprefix("run=")
        if run in wanted:
            for row in ds.dataset(path, format="parquet").to_table(["file", FIELDS]).to_pylist():
                readings.append({"run": run, "file": row["file"], **json.loads(row[FIELDS])})
    return sorted(readings, key=lambda row: (row["run"], row["file"], row["from_byte"], row["to_byte"]))


def bad_files(readings: list[Reading]) -> list[Reading]:
    """The first reading of each file that ended at something that makes no sense; what comes after cannot mend it."""
    bad: dict[tuple[str, str], Reading] = {}
    for row in readings:
        if row["bad_byte"] is not None:
            bad.setdefault((row["run"], row["file"]), row)
    return list(bad.values())


def newest_clock(readings: list[Reading], run: str) -> int | None:
    """The instant up to which all causes were read of a run that goes on."""
    return max((row["until_ns"] for row in readings if row["run"] == run and row["until_ns"] is not None), default=None)


def merge(session: SparkSession, data: Path, at: int = MERGED_AT) -> None:
    """Make one batch of all, when there are many small ones. Only between queries: all batches are whole then."""
    batches = _batches(data)
    size = sum(path.stat().st_size for path in (data / ROWS).glob("batch=*/rows=*/run=*/*.parquet"))
    if len(batches) < at or size > MERGED_BYTES:
        return
    incoming = data / f"{MERGED}-incoming"
    shutil.rmtree(incoming, ignore_errors=True)
    for kind in ("events", "readings"):
        rows = stored(session, data, kind).repartition(session.sparkContext.defaultParallelism, "run")
        rows.write.partitionBy("run").parquet(str(incoming / f"rows={kind}"))
    incoming.rename(data / f"{MERGED}-{max(batches)}")
    finish_merge(data)


def finish_merge(data: Path) -> None:
    """Let merged rows take the place of their batches. For a moment they are missing; they never stand there twice."""
    for whole in data.glob(f"{MERGED}-[0-9]*"):
        last = int(whole.name.rpartition("-")[2])
        for number, folder in _batches(data).items():
            if number <= last:
                shutil.rmtree(folder)
        whole.rename(batch_folder(data, last))


def _batches(data: Path) -> dict[int, Path]:
    """Number of a batch to its folder."""
    return {int(path.name.removeprefix("batch=")): path for path in (data / ROWS).glob("batch=*")}
