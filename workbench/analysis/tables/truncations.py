"""Logs that became shorter: why, by how much, and whether anybody had been told that it was written."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG, METADATA_TOPIC, REPLICA, of

TRUNCATIONS_COLUMNS = (
    *REPLICA,
    "t_ms",
    "kind",
    "mode",
    "why",
    "old_end_offset",
    "end_offset",
    "removed_count",
    "high_watermark",
    "committed_count",
    "acknowledged_count",
)

_EVENT = ["run", "node", "incarnation", "seq"]


def truncations(events: DataFrame, log_positions: DataFrame, log_cells: DataFrame) -> DataFrame:
    """One row per cut that removed something.

    kind: truncated by the protocol, or lost when a start found the log shorter than it had been. high_watermark is the
    replica's own before the cut. committed_count: removed records that a leader had announced as committed by then; a
    replica that cuts these may fetch them again. acknowledged_count: removed records that a producer was told are
    written; null for metadata, which no producer writes.
    """
    shorter = log_positions.where("log_end_offset < old_log_end_offset").select(
        *REPLICA,
        *("t_ms", "incarnation", "seq", "event"),
        F.col("old_log_end_offset").alias("old_end_offset"),
        F.col("log_end_offset").alias("end_offset"),
    )
    kind = F.when(F.col("event") == "st.recovered", "lost").otherwise("truncated")
    told = shorter.withColumn("kind", kind).join(_words(events), on=_EVENT, how="left")
    counted = told.join(_removed(events, log_cells), on=[*REPLICA, "incarnation", "seq"], how="left")
    is_data = F.col("topic") != METADATA_TOPIC
    acked = F.when(is_data, F.coalesce("_acknowledged", F.lit(0)))
    sized = counted.withColumn("removed_count", F.col("old_end_offset") - F.col("end_offset"))
    sized = sized.withColumn("acknowledged_count", acked)
    return sized.withColumn("committed_count", F.coalesce("_committed", F.lit(0))).select(*TRUNCATIONS_COLUMNS)


def _words(events: DataFrame) -> DataFrame:
    cut = of(events, "rep.truncated", "raft.truncated", "st.recovered")
    own = F.when((F.col("event") != "st.recovered") & (F.col("high_watermark") >= 0), F.col("high_watermark"))
    mode = F.coalesce("mode", F.when(F.col("event") == "raft.truncated", "fetch"))
    return cut.select(*_EVENT, "why", mode.alias("mode"), own.alias("high_watermark"))


def _removed(events: DataFrame, log_cells: DataFrame) -> DataFrame:
    """Of what each cut removed: how many records were committed, and how many acknowledged."""
    batch = [*LOG, "base_offset", "digest"]
    told = of(events, "op.succeeded").where("function = 'produce' AND base_offset >= 0 AND size(values) > 0")
    acked = told.withColumn("digest", F.element_at("values", 1)).groupBy(*batch).agg(F.count("*").alias("_times"))
    removed = log_cells.where("removed_seq IS NOT NULL")
    joined = removed.join(acked, on=batch, how="left")
    by = F.col("removed_incarnation").alias("incarnation"), F.col("removed_seq").alias("seq")
    keyed = joined.groupBy(*REPLICA, *by)
    return keyed.agg(
        F.sum(F.when(F.col("committed_ms") < F.col("removed_ms"), F.col("count"))).alias("_committed"),
        F.sum(F.when(F.col("_times").isNotNull(), F.col("count"))).alias("_acknowledged"),
    )
