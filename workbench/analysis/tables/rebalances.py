"""When a consumer group was between two assignments, how long, and what came of it."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import ends_of, moment, of

GROUP = ["run", "group"]
REBALANCES_COLUMNS = (
    *GROUP,
    "generation",
    "from_ms",
    "until_ms",
    "duration_ms",
    "ended_as",
    "members",
    "moved_count",
    "why",
)
AT_REST = ("Stable", "Empty", "Dead")
"""States of a group, of either protocol, in which nothing is being handed over."""


def rebalances(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per time that a group left rest, until it was at rest again; times are ms of the run.

    ended_as: the state it came to; "begun again" when another rebalance began before (its coordinator was lost), "end
    of the run" when none came. generation (a group epoch in the newer protocol) and members (their ids) are those of
    the end; moved_count is how many partitions had another owner in that generation than in the one before. why is
    what the coordinator gave for the begin.
    """
    changed = of(events, "group.state_changed").withColumn("_at", moment())
    was_at_rest, is_at_rest = (F.col(name).isin(*AT_REST) for name in ("before", "state"))
    turns = changed.where(was_at_rest != is_at_rest).withColumn("_is_begin", was_at_rest)
    following = Window.partitionBy(*GROUP).orderBy("_at")
    paired = turns.withColumn(
        "_end", F.lead(F.struct("t_ms", "_is_begin", "state", "generation", "members")).over(following)
    )
    begun = paired.where("_is_begin").join(ends_of(runs), on="run", how="inner").where("t_ms < end_ms")
    is_whole = ~F.col("_end._is_begin")
    how = F.when(F.col("_end").isNull(), "end of the run").when(is_whole, F.col("_end.state")).otherwise("begun again")
    timed = begun.select(
        *GROUP,
        F.when(is_whole, F.col("_end.generation")).alias("generation"),
        F.col("t_ms").alias("from_ms"),
        F.least(F.coalesce("_end.t_ms", "end_ms"), F.col("end_ms")).alias("until_ms"),
        how.alias("ended_as"),
        F.when(is_whole, F.sort_array("_end.members")).alias("members"),
        "why",
    )
    joined = timed.join(_moved(events), on=[*GROUP, "generation"], how="left")
    return joined.withColumn("duration_ms", F.col("until_ms") - F.col("from_ms")).select(*REBALANCES_COLUMNS)


def _moved(events: DataFrame) -> DataFrame:
    """run, group, generation, moved_count: of each assignment, the last one when it was made again."""
    made = of(events, "group.assigned", "group.target_assigned").withColumn("_at", moment())
    number = F.coalesce("generation", "group_epoch").alias("generation")
    each = made.groupBy(*GROUP, number).agg(F.max_by("assignments", "_at").alias("_now"), F.max("_at").alias("_at"))
    before = F.lag("_now").over(Window.partitionBy(*GROUP).orderBy("_at"))
    empty = F.array().cast("array<struct<_1: string, _2: string, _3: bigint>>")
    moved = F.size(F.array_except("_now", F.coalesce(before, empty))).cast("bigint")
    return each.select(*GROUP, "generation", moved.alias("moved_count"))
