"""Every batch of every replica's log: when it was written, committed, and cut away."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import METADATA_TOPIC, REPLICA, moment, of

LOG_CELLS_COLUMNS = (
    *REPLICA,
    "base_offset",
    "count",
    "leader_epoch",
    "digest",
    "role",
    "cause_node",
    "cause_incarnation",
    "cause_seq",
    "written_ms",
    "committed_ms",
    "removed_ms",
    "removed_incarnation",
    "removed_seq",
    "removed_by",
)
_IDENTITY = ("run", "topic", "partition", "base_offset", "leader_epoch")
_MARKS = ("rep.high_watermark_advanced", "raft.high_watermark_advanced")


def log_cells(events: DataFrame, log_positions: DataFrame) -> DataFrame:
    """One row per batch and time that a replica wrote it. removed_* are null while it is in the log.

    A batch goes when the log is cut below its end, or when a start finds the log ending below it. committed_ms is when
    a leader that held this very batch first announced a high watermark past it; the same for all its replicas; null
    when none did. removed_incarnation and removed_seq name the node's event that took it away. The cause
    is the event that led to the writing: for a leader the client's. No digest for metadata.
    """
    cells = _batches(events).unionByName(_metadata(events))
    joined = cells.join(_cuts(events), on=REPLICA, how="left")
    hits = (F.col("_cut_at") > F.col("_moment")) & (F.col("_cut_to") < F.col("base_offset") + F.col("count"))
    cut = F.when(hits, F.struct("_cut_at", "_cut_ms", "_cut_by"))
    kept = joined.withColumn("_cut", cut).groupBy(*cells.columns).agg(F.min("_cut").alias("_cut"))
    gone = kept.withColumn("removed_ms", F.col("_cut._cut_ms")).withColumn("removed_by", F.col("_cut._cut_by"))
    told = gone.withColumn("removed_incarnation", F.col("_cut._cut_at.incarnation"))
    told = told.withColumn("removed_seq", F.col("_cut._cut_at.seq"))
    return told.join(_committed(told, log_positions), on=list(_IDENTITY), how="left").select(*LOG_CELLS_COLUMNS)


def _batches(events: DataFrame) -> DataFrame:
    exploded = of(events, "rep.appended").withColumn("_batch", F.explode("batches"))
    return exploded.select(
        *REPLICA,
        F.col("_batch._1").alias("base_offset"),
        F.col("_batch._2").alias("count"),
        F.col("_batch._3").alias("leader_epoch"),
        F.col("_batch._4").alias("digest"),
        *("role", "cause_node", "cause_incarnation", "cause_seq"),
        F.col("t_ms").alias("written_ms"),
        moment().alias("_moment"),
    )


def _metadata(events: DataFrame) -> DataFrame:
    """Batches of the metadata log: each ends where the next one of the same event begins."""
    appended = of(events, "raft.appended").withColumn("_moment", moment())
    exploded = appended.select("*", F.posexplode("epochs").alias("_place", "_batch"))
    in_order = Window.partitionBy("run", "_moment").orderBy("_place")
    end = F.coalesce(F.lead("_batch._2").over(in_order), F.col("end_offset"))
    return exploded.select(
        "run",
        F.lit(METADATA_TOPIC).alias("topic"),
        F.lit(0).cast("bigint").alias("partition"),
        "node",
        F.col("_batch._2").alias("base_offset"),
        (end - F.col("_batch._2")).alias("count"),
        F.col("_batch._1").alias("leader_epoch"),
        F.lit(None).cast("string").alias("digest"),
        *("role", "cause_node", "cause_incarnation", "cause_seq"),
        F.col("t_ms").alias("written_ms"),
        "_moment",
    )


def _cuts(events: DataFrame) -> DataFrame:
    found = of(events, "rep.truncated", "raft.truncated", "st.recovered")
    is_recovery = F.col("event") == "st.recovered"
    end = F.when(is_recovery, F.col("log_end_offset")).otherwise(F.col("end_offset"))
    by = F.when(is_recovery, "lost before a start").otherwise("truncated")
    return found.select(
        "run",
        F.coalesce("topic", F.lit(METADATA_TOPIC)).alias("topic"),
        F.coalesce("partition", F.lit(0)).cast("bigint").alias("partition"),
        *("node", moment().alias("_cut_at"), end.alias("_cut_to"), F.col("t_ms").alias("_cut_ms"), by.alias("_cut_by")),
    )


def _committed(cells: DataFrame, log_positions: DataFrame) -> DataFrame:
    """Offsets that a leader's high watermark passed, met with the batch that ended there in its log at that time."""
    marks = log_positions.where(F.col("event").isin(*_MARKS) & (F.col("role") == "leader"))
    marks = marks.where("high_watermark > coalesce(old_high_watermark, 0)")
    passed = F.sequence(F.coalesce("old_high_watermark", F.lit(0)) + 1, F.col("high_watermark"))
    offsets = marks.select(*REPLICA, F.explode(passed).alias("_end"), F.col("t_ms").alias("_at"))
    ends = cells.withColumn("_end", F.col("base_offset") + F.col("count"))
    met = ends.join(offsets, on=[*REPLICA, "_end"], how="inner")
    alive = (F.col("_at") >= F.col("written_ms")) & (
        F.col("removed_ms").isNull() | (F.col("_at") < F.col("removed_ms"))
    )
    return met.where(alive).groupBy(*_IDENTITY).agg(F.min("_at").alias("committed_ms"))
