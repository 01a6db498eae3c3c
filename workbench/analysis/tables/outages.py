"""When a log could not be used, and how much of its time it could."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import (
    LOG,
    METADATA_TOPIC,
    clipped,
    down_intervals,
    ends_of,
    gaps_in,
    overlap,
    union_of,
)

OUTAGES_COLUMNS = (*LOG, "kind", "leader", "from_ms", "until_ms", "duration_ms")
AVAILABILITY_COLUMNS = (
    *LOG,
    "observed_ms",
    "leaderless_ms",
    "leader_away_ms",
    "under_min_isr_ms",
    "no_write_ms",
    "no_acks_all_ms",
    "write_share",
    "acks_all_share",
)
_SUMS = ("leaderless_ms", "leader_away_ms", "under_min_isr_ms", "no_write_ms", "no_acks_all_ms")
STUTTERING = "leader stuttering"
NO_WRITE = ("leaderless", "leader down", "leader paused")


def outages(events: DataFrame, leaderships: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per window in which a log could not serve; windows of different kinds may overlap.

    kind: leaderless (no leader any more; what comes before a log's first leader is its making, not an outage), leader
    down and leader paused (it has a leader by its metadata, whose process is gone or stopped), leader stuttering (its
    process runs and stands still by turns), under min.insync (acks=all is refused). A leader that is cut off is no row
    here: whether it serves depends on who asks.
    """
    ends = ends_of(runs)
    quorum = leaderships.where(F.col("topic") == METADATA_TOPIC).select(*LOG, "from_ms", "until_ms")
    vacant = gaps_in(quorum, LOG, ends).withColumn("kind", F.lit("leaderless")).withColumn("leader", _nobody())
    states = isr_history.select(*LOG, "leader", "from_ms", "until_ms", "under_min_isr")
    no_leader = states.where("leader < 0").withColumn("kind", F.lit("leaderless")).withColumn("leader", _nobody())
    few = states.where("leader >= 0 AND under_min_isr").withColumn("kind", F.lit("under min.insync"))
    few = few.withColumn("leader", _nobody())
    away = clipped(down_intervals(events), ends).withColumnRenamed("node", "leader")
    offices = leaderships.select(*LOG, "leader", "from_ms", "until_ms")
    absent = overlap(offices, away, ["run", "leader"]).withColumn("kind", F.concat(F.lit("leader "), F.col("state")))
    keys = [*LOG, "kind", "leader"]
    rows = [item.select(*keys, "from_ms", "until_ms") for item in (vacant, no_leader, few, absent)]
    everything = rows[0].unionByName(rows[1]).unionByName(rows[2]).unionByName(rows[3])
    merged = clipped(union_of(everything, keys), ends)
    return merged.withColumn("duration_ms", F.col("until_ms") - F.col("from_ms")).select(*OUTAGES_COLUMNS)


def _nobody() -> Column:
    return F.lit(None).cast("bigint")


def availability(outages: DataFrame, leaderships: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per log: for how much of the time since its first leader it took writes, and acks=all writes.

    no_write_ms is the union of leaderless, down and paused; no_acks_all_ms adds the time under min.insync. A leader
    that stutters serves in between: its windows are in none of the sums. Shares are from 0 to 1. The quorum has no
    min.insync: both are the same there.
    """
    first = leaderships.groupBy(*LOG).agg(F.min("from_ms").alias("_first"))
    observed = first.join(ends_of(runs), on="run", how="inner").withColumn(
        "observed_ms", F.col("end_ms") - F.col("_first")
    )
    later = outages.join(first, on=LOG, how="inner").withColumn("from_ms", F.greatest("from_ms", "_first"))
    later = later.where("until_ms > from_ms").drop("_first")
    kinds = F.array(
        F.when(F.col("kind") == "leaderless", F.lit("leaderless_ms")),
        F.when(F.col("kind").isin("leader down", "leader paused"), F.lit("leader_away_ms")),
        F.when(F.col("kind") == "under min.insync", F.lit("under_min_isr_ms")),
        F.when(F.col("kind").isin(*NO_WRITE), F.lit("no_write_ms")),
        F.when(F.col("kind") != STUTTERING, F.lit("no_acks_all_ms")),
    )
    counted = later.select(*LOG, "from_ms", "until_ms", F.explode(F.array_compact(kinds)).alias("_name"))
    merged = union_of(counted, [*LOG, "_name"]).withColumn("_ms", F.col("until_ms") - F.col("from_ms"))
    sums = [F.sum(F.when(F.col("_name") == name, F.col("_ms"))).alias(name) for name in _SUMS]
    summed = merged.groupBy(*LOG).agg(*sums)
    table = observed.join(summed, on=LOG, how="left").fillna(0.0, list(_SUMS))
    shares = table.withColumn("write_share", F.lit(1.0) - F.try_divide("no_write_ms", "observed_ms"))
    shares = shares.withColumn("acks_all_share", F.lit(1.0) - F.try_divide("no_acks_all_ms", "observed_ms"))
    return shares.select(*AVAILABILITY_COLUMNS)
