"""One row for each recorded run, and whether its traces can be believed whole."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import field, observed, of

RUNS_COLUMNS = (
    "run",
    "title",
    "world",
    "started",
    "observed_ms",
    "is_complete",
    "has_ended",
    "event_count",
    "file_count",
    "node_count",
    "fault_count",
    "torn_bytes",
    "unknown_count",
    "bad_files",
    "incarnations",
)


SCRIPT_COLUMNS = ("run", "t_ms", "what", "text", "held", "seen", "answer", "right_answer")


def runs(events: DataFrame, readings: DataFrame) -> DataFrame:
    """One row per run. readings are the trace.read rows: one for each time that a file was read.

    is_complete is false when a file could not be read to its end; bad_files names it, the byte and why. started is the
    wall clock of the first event, in UTC. has_ended: the lab said the end; false for a run that goes on or broke off.
    """
    told = {
        "run.started": ("title", "world"),
        "proc.started": ("node_id", "incarnation_number"),
        "fault.injected": ("fault_id",),
    }
    named = [field(event, name).alias(name) for event, names in told.items() for name in names]
    first = (
        events.select("run", "event", "wall_ns", *named)
        .groupBy("run")
        .agg(
            F.max(F.when(F.col("event") == "run.started", F.col("title"))).alias("title"),
            F.max(F.when(F.col("event") == "run.started", F.col("world"))).alias("world"),
            F.timestamp_micros(F.min(F.floor(F.col("wall_ns") / 1000)).cast("bigint")).alias("started"),
            F.max(F.col("event") == "run.ended").alias("has_ended"),
            F.count("*").alias("event_count"),
            F.count_distinct(F.when(F.col("event") == "proc.started", F.col("node_id"))).alias("node_count"),
            F.count_distinct(F.when(F.col("event") == "proc.started", F.struct("node_id", "incarnation_number"))).alias(
                "incarnations"
            ),
            F.count_distinct(F.when(F.col("event") == "fault.injected", F.col("fault_id"))).alias("fault_count"),
        )
    )
    joined = first.join(_files(readings), on="run", how="left").join(observed(events), on="run", how="left")
    return joined.withColumn("is_complete", F.size("bad_files") == 0).select(*RUNS_COLUMNS)


def _files(readings: DataFrame) -> DataFrame:
    """The newest reading of each file tells of its tail; all of them tell how many events were unknown."""
    latest = readings.groupBy("run", "file").agg(
        F.max_by("torn_bytes", "to_byte").alias("torn_bytes"),
        F.sum("unknown_count").alias("unknown_count"),
        F.max(
            F.when(F.col("bad_byte").isNotNull(), F.concat_ws(" ", "file", F.lit("byte"), "bad_byte", "bad_why"))
        ).alias("_bad"),
    )
    return latest.groupBy("run").agg(
        F.count("*").alias("file_count"),
        F.sum("torn_bytes").alias("torn_bytes"),
        F.sum("unknown_count").alias("unknown_count"),
        F.sort_array(F.collect_list("_bad")).alias("bad_files"),
    )


def script(events: DataFrame) -> DataFrame:
    """What a lesson or script did: one row per step, check and answer, in order of time."""
    picked = of(events, "lesson.step", "lesson.checked", "lesson.answered")
    text = F.coalesce("text", "question")
    what = F.regexp_replace("event", r"^lesson\.", "")
    return picked.withColumns({"what": what, "text": text}).select(*SCRIPT_COLUMNS)
