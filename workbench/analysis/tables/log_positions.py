"""How far each replica's log and high watermark were at each change."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import METADATA_TOPIC, REPLICA, of

LOG_POSITIONS_COLUMNS = (
    *REPLICA,
    "t_ms",
    "incarnation",
    "seq",
    "event",
    "role",
    "log_end_offset",
    "old_log_end_offset",
    "high_watermark",
    "old_high_watermark",
    "lag",
)
_OF_PARTITIONS = (
    "rep.appended",
    "rep.truncated",
    "rep.high_watermark_advanced",
    "part.became_leader",
    "part.became_follower",
    "st.recovered",
)
_OF_QUORUM = ("raft.appended", "raft.truncated", "raft.high_watermark_advanced")


def log_positions(events: DataFrame) -> DataFrame:
    """One row per event that moved the log end offset or the high watermark of a replica; both are exclusive.

    lag counts records in the replica's log that it does not know to be committed. It is null while the high watermark
    is unknown. old_* is what was true before the event: 0 and null before the first.
    """
    name = F.col("event")
    end = (
        F.when(name.isin("rep.appended", "rep.truncated", "raft.appended", "raft.truncated"), F.col("end_offset"))
        .when(name == "part.became_leader", F.col("epoch_start_offset"))
        .when(name.isin("part.became_follower", "st.recovered"), F.col("log_end_offset"))
    )
    # Whoever cuts its log below its high watermark knows only what is left to be committed.
    cut_to = F.least("high_watermark", "end_offset")
    known = F.when(F.col("high_watermark") >= 0, F.col("high_watermark"))
    cut = F.when(F.col("high_watermark") >= 0, cut_to)
    watermark = F.when(name.isin("rep.truncated", "raft.truncated"), cut).otherwise(known)
    picked = of(events, *_OF_PARTITIONS, *_OF_QUORUM).select(
        "run",
        F.coalesce("topic", F.lit(METADATA_TOPIC)).alias("topic"),
        F.coalesce("partition", F.lit(0)).cast("bigint").alias("partition"),
        *("node", "incarnation", "seq", "t_ms", "event", "role"),
        end.alias("_end"),
        watermark.alias("_watermark"),
    )
    in_order = Window.partitionBy(*REPLICA).orderBy("incarnation", "seq")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    earlier = in_order.rowsBetween(Window.unboundedPreceding, -1)
    filled = picked.select(
        *picked.columns,
        F.coalesce(F.last("_end", ignorenulls=True).over(so_far), F.lit(0)).alias("log_end_offset"),
        F.coalesce(F.last("_end", ignorenulls=True).over(earlier), F.lit(0)).alias("old_log_end_offset"),
        F.last("_watermark", ignorenulls=True).over(so_far).alias("high_watermark"),
        F.last("_watermark", ignorenulls=True).over(earlier).alias("old_high_watermark"),
    )
    behind = F.col("log_end_offset") - F.col("high_watermark")
    lag = F.when(behind >= 0, behind).when(behind < 0, 0)
    return filled.withColumn("lag", lag).select(*LOG_POSITIONS_COLUMNS)
