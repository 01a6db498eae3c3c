"""Each committed state of a partition: leader, ISR, and whether acks=all could be served."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG, clipped, ends_of, of

ISR_HISTORY_COLUMNS = (
    *LOG,
    "partition_epoch",
    "leader",
    "leader_epoch",
    "isr",
    "isr_size",
    "min_insync_replicas",
    "under_min_isr",
    "change",
    "joined",
    "left",
    "why",
    "unclean",
    "from_ms",
    "until_ms",
    "duration_ms",
)
_STATE = ("leader", "leader_epoch", "isr", "min_insync_replicas")


def isr_history(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per partition epoch, from when the first broker applied it until the next one was applied.

    change: created, shrunk, expanded, leader, leaderless, or other (the same ISR under the same leader).
    why and unclean are those of the controller's decision; null when the decision is not in the trace.
    """
    keys = [*LOG, "partition_epoch"]
    applied = (
        of(events, "meta.partition_applied")
        .groupBy(*keys)
        .agg(*(F.min_by(name, "t_ns").alias(name) for name in _STATE), F.min("t_ms").alias("from_ms"))
    )
    explained = applied.join(_decisions(events), on=[*keys, "leader", "leader_epoch", "isr"], how="left")
    in_order = Window.partitionBy(*LOG).orderBy("partition_epoch")
    before = F.lag(F.struct("leader", "isr")).over(in_order)
    following = explained.withColumn("_before", before).withColumn("until_ms", F.lead("from_ms").over(in_order))
    timed = clipped(following, ends_of(runs))
    size, size_before = F.size("isr"), F.size("_before.isr")
    change = (
        F.when(F.col("_before").isNull(), "created")
        .when(F.col("leader") < 0, "leaderless")
        .when(F.col("leader") != F.col("_before.leader"), "leader")
        .when(size < size_before, "shrunk")
        .when(size > size_before, "expanded")
        .otherwise("other")
    )
    empty = F.array().cast("array<bigint>")
    old = F.coalesce("_before.isr", empty)
    told = timed.withColumn("change", change).withColumn("isr_size", size.cast("bigint"))
    told = told.withColumn("joined", F.array_except("isr", old)).withColumn("left", F.array_except(old, "isr"))
    told = told.withColumn("under_min_isr", F.col("isr_size") < F.col("min_insync_replicas"))
    return told.withColumn("duration_ms", F.col("until_ms") - F.col("from_ms")).select(*ISR_HISTORY_COLUMNS)


def _decisions(events: DataFrame) -> DataFrame:
    """The last decision for each state: one that was lost with its controller may have been taken again."""
    keys = [*LOG, "partition_epoch", "leader", "leader_epoch", "isr"]
    decided = of(events, "ctl.partition_changed").groupBy(*keys)
    return decided.agg(F.max_by("why", "t_ns").alias("why"), F.max_by("unclean", "t_ns").alias("unclean"))
