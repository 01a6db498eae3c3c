"""Each partition as it stands at the end of what was read."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG, of

PARTITIONS_COLUMNS = (
    *LOG,
    "leader",
    "leader_epoch",
    "partition_epoch",
    "isr",
    "under_min_isr",
    "high_watermark",
    "epochs_with_two_leaders",
    "epochs_with_two_states",
)
_STATE = ("partition_epoch", "leader_epoch", "leader", "isr", "min_insync_replicas")


def partitions(events: DataFrame) -> DataFrame:
    """One row per partition: its newest committed state, and the high watermark that a leader announced last.

    leader is -1 while nobody leads. The last two columns count what must never be: leader epochs in which two nodes
    became leader, and partition epochs under which brokers applied different states. `analyse --follow` tells the same
    row of each partition while a run goes on.
    """
    applied = of(events, "meta.partition_applied")
    newest = applied.groupBy(*LOG).agg(F.max(F.struct(*_STATE)).alias("_newest"))
    states = applied.groupBy(*LOG, "partition_epoch").agg(
        F.count_distinct(F.struct("leader_epoch", "leader", "isr")).alias("_count")
    )
    led = of(events, "part.became_leader").groupBy(*LOG, "leader_epoch").agg(F.count_distinct("node").alias("_count"))
    announced = of(events, "rep.high_watermark_advanced").where("role = 'leader'").groupBy(*LOG)
    watermark = announced.agg(F.max(F.struct("leader_epoch", "high_watermark")).alias("_watermark"))
    joined = newest.join(watermark, on=LOG, how="full")
    joined = joined.join(_more_than_one(led, "epochs_with_two_leaders"), on=LOG, how="full")
    joined = joined.join(_more_than_one(states, "epochs_with_two_states"), on=LOG, how="full")
    told = joined.select(*LOG, "_newest.*", F.col("_watermark.high_watermark").alias("high_watermark"), *_COUNTS)
    under = F.when(F.col("isr").isNotNull(), F.size("isr") < F.col("min_insync_replicas"))
    return told.withColumn("under_min_isr", under).select(*PARTITIONS_COLUMNS)


_COUNTS = [
    F.coalesce(name, F.lit(0)).cast("bigint").alias(name)
    for name in ("epochs_with_two_leaders", "epochs_with_two_states")
]


def _more_than_one(counted: DataFrame, name: str) -> DataFrame:
    return counted.groupBy(*LOG).agg(F.count(F.when(F.col("_count") > 1, 1)).alias(name))
