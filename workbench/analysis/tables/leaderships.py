"""Who led what, from when until when: the quorum as its nodes believe, partitions as their metadata is committed."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG, METADATA_TOPIC, clipped, ends_of, of

LEADERSHIPS_COLUMNS = (*LOG, "epoch", "leader", "from_ms", "until_ms", "duration_ms", "ended_by")


def leaderships(events: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per epoch of a log that had a leader.

    A leader of the quorum leads until it says otherwise or its process is gone, even when nobody hears it any more: so
    two may overlap. A leader of a partition leads until another state of the partition was applied somewhere.
    """
    both = _of_quorum(events).unionByName(_of_partitions(isr_history))
    open_ended = F.when(F.col("until_ms").isNull(), "end of the run").otherwise(F.col("ended_by"))
    timed = clipped(both.withColumn("ended_by", open_ended), ends_of(runs))
    return timed.withColumn("duration_ms", F.col("until_ms") - F.col("from_ms")).select(*LEADERSHIPS_COLUMNS)


def _of_quorum(events: DataFrame) -> DataFrame:
    start = ["run", "node", "incarnation"]
    elected = of(events, "raft.leader_elected").select(*start, "epoch", "t_ns", F.col("t_ms").alias("from_ms"))
    left = of(events, "raft.role_changed").where("role <> 'leader'")
    left = left.select(*start, F.col("t_ns").alias("end_ns"), "t_ms", F.col("why").alias("ended_by"))
    gone = of(events, "proc.exited").select(
        "run",
        F.col("node_id").alias("node"),
        F.col("incarnation_number").alias("incarnation"),
        F.col("t_ns").alias("end_ns"),
        "t_ms",
        F.lit("its process is gone").alias("ended_by"),
    )
    ends = left.unionByName(gone)
    later = elected.join(ends, on=start, how="left").withColumn(
        "_end", F.when(F.col("end_ns") > F.col("t_ns"), F.struct("end_ns", "t_ms", "ended_by"))
    )
    first = later.groupBy(*start, "epoch", "from_ms").agg(F.min("_end").alias("_end"))
    return first.select(
        "run",
        F.lit(METADATA_TOPIC).alias("topic"),
        F.lit(0).cast("bigint").alias("partition"),
        "epoch",
        F.col("node").alias("leader"),
        "from_ms",
        F.col("_end.t_ms").alias("until_ms"),
        F.col("_end.ended_by").alias("ended_by"),
    )


def _of_partitions(isr_history: DataFrame) -> DataFrame:
    led = isr_history.where("leader >= 0")
    epochs = led.groupBy(*LOG, F.col("leader_epoch").alias("epoch"), "leader").agg(
        F.min("from_ms").alias("from_ms"), F.max("until_ms").alias("until_ms")
    )
    after = isr_history.select(
        *LOG, F.col("from_ms").alias("_from"), F.col("leader_epoch").alias("_epoch"), F.col("why").alias("_why")
    )
    joined = epochs.join(after, on=LOG, how="left").withColumn(
        "_next", F.when(F.col("_epoch") > F.col("epoch"), F.struct("_from", "_why"))
    )
    closed = joined.groupBy(*LOG, "epoch", "leader", "from_ms", "until_ms").agg(F.min("_next").alias("_next"))
    why = F.when(F.col("_next").isNull(), "end of the run").otherwise(F.coalesce("_next._why", F.lit("a new epoch")))
    return closed.select(*LOG, "epoch", "leader", "from_ms", "until_ms", why.alias("ended_by"))
