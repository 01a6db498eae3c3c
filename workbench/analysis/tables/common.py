"""What several tables need: picking events, times of a run's end, intervals and their union."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # what every reader of PySpark expects

from workbench.analysis.reading.columns import ENVELOPE, FIELDS, ddl, fields_of, view_of

METADATA_TOPIC = "__cluster_metadata"
LOG = ["run", "topic", "partition"]
REPLICA = [*LOG, "node"]
_ACTIVITY = ("lesson.", "op.", "fault.", "command.")
_ENDING = ("proc.exited", "ctl.shutdown_begun")


def of(events: DataFrame, *names: str) -> DataFrame:
    """The events with one of these names, each field a column of its own beside those of the envelope.

    A field to which these events give different types is left out.
    """
    picked = events.where(F.col("event").isin(*names)).select(
        *ENVELOPE, F.from_json(FIELDS, view_of(*names)).alias("_")
    )
    return picked.select(*ENVELOPE, "_.*")


def field(event: str, name: str) -> Column:
    """A field of one event among all; null for others."""
    only = F.from_json(FIELDS, ddl({name: fields_of(event)[name]}))
    return F.when(F.col("event") == event, only[name])


def moment() -> Column:
    """When an event happened, finer than a clock: events of one start of a node are in the order of seq."""
    return F.struct("t_ns", "node", "incarnation", "seq")


def commanded_by() -> Column:
    """Who gave the command that an event tells of; empty where its trigger does not say."""
    return F.regexp_extract("trigger", "^command by (.*)$", 1)


def ends_of(runs: DataFrame) -> DataFrame:
    """run, end_ms of the runs table."""
    return runs.select("run", F.col("observed_ms").alias("end_ms"))


def observed(events: DataFrame) -> DataFrame:
    """run, observed_ms: when observation ends. What a lab ends when all is done is no outage, so it is not counted.

    A process that ended without having been asked to is one all the same.
    """
    name = F.col("event")
    starts = F.lit(False)
    for prefix in _ACTIVITY:
        starts = starts | name.startswith(prefix)
    active = starts | name.isin("proc.started", "proc.ready")
    times = events.select("run", "event", "t_ms", field("proc.exited", "expected").alias("expected"))
    last = times.groupBy("run").agg(
        F.max(F.when(active, F.col("t_ms"))).alias("active_ms"), F.max("t_ms").alias("last_ms")
    )
    is_asked = F.coalesce("expected", F.lit(True))
    leaving = times.where(name.isin(*_ENDING) & is_asked).select("run", "t_ms")
    after = leaving.join(last, on="run", how="inner").where("t_ms > active_ms")
    closing = after.groupBy("run").agg(F.min("t_ms").alias("closing_ms"))
    joined = last.join(closing, on="run", how="left")
    return joined.select("run", F.coalesce("closing_ms", "last_ms").alias("observed_ms"))


def clipped(intervals: DataFrame, ends: DataFrame) -> DataFrame:
    """Intervals (run, from_ms, until_ms, ...) that end no later than their run; an open one ends with it."""
    joined = intervals.join(ends, on="run", how="inner")
    until = F.least(F.coalesce("until_ms", "end_ms"), F.col("end_ms"))
    return joined.withColumn("until_ms", until).drop("end_ms").where("until_ms > from_ms")


def union_of(intervals: DataFrame, keys: list[str]) -> DataFrame:
    """keys, from_ms, until_ms: overlapping and touching intervals of a key as one."""
    by_start = Window.partitionBy(*keys).orderBy("from_ms", "until_ms")
    before = by_start.rowsBetween(Window.unboundedPreceding, -1)
    reached = F.max("until_ms").over(before)
    begins = F.when(reached.isNull() | (F.col("from_ms") > reached), 1).otherwise(0)
    so_far = by_start.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    numbered = intervals.withColumn("_begins", begins).withColumn("_group", F.sum("_begins").over(so_far))
    merged = numbered.groupBy(*keys, "_group").agg(
        F.min("from_ms").alias("from_ms"), F.max("until_ms").alias("until_ms")
    )
    return merged.select(*keys, "from_ms", "until_ms")


def gaps_in(intervals: DataFrame, keys: list[str], ends: DataFrame) -> DataFrame:
    """keys (run among them), from_ms, until_ms: what the union of the intervals leaves between its begin and the run's
    end."""
    merged = clipped(union_of(intervals, keys), ends)
    by_start = Window.partitionBy(*keys).orderBy("from_ms")
    begin = F.lag("until_ms").over(by_start)
    between = merged.select(*keys, begin.alias("from_ms"), F.col("from_ms").alias("until_ms"))
    last = merged.groupBy(*keys).agg(F.max("until_ms").alias("from_ms"))
    tail = last.join(ends, on="run", how="inner").select(*keys, "from_ms", F.col("end_ms").alias("until_ms"))
    return between.unionByName(tail).where("until_ms > from_ms")


def down_intervals(events: DataFrame) -> DataFrame:
    """run, node, from_ms, until_ms, state: when the process of a node was gone (down), stopped (paused), or ran and
    stood still by turns (stuttering): no event tells when exactly it did which.
    """
    exits = of(events, "proc.exited").select("run", F.col("node_id").alias("node"), "t_ms", F.lit("exit").alias("what"))
    readies = of(events, "proc.ready").select("run", F.col("node_id").alias("node"), "t_ms", F.lit("up").alias("what"))
    turns = exits.unionByName(readies)
    following = Window.partitionBy("run", "node").orderBy("t_ms")
    ended = turns.withColumn("until_ms", F.lead("t_ms").over(following)).where("what = 'exit'")
    down = ended.select("run", "node", F.col("t_ms").alias("from_ms"), "until_ms", F.lit("down").alias("state"))
    return down.unionByName(_stopped(events))


def _stopped(events: DataFrame) -> DataFrame:
    """A Pause and a Stutter name their node first; a Freeze stops every node that was started."""
    begun = of(events, "fault.applied").where(F.col("kind").isin("Pause", "Stutter", "Freeze"))
    begun = begun.select("run", "fault_id", "kind", "arguments", F.col("t_ms").alias("from_ms"))
    over = of(events, "fault.reverted").groupBy("run", "fault_id").agg(F.min("t_ms").alias("until_ms"))
    faults = begun.join(over, on=["run", "fault_id"], how="left")
    nodes = of(events, "proc.started").groupBy("run", F.col("node_id").alias("node")).agg(F.count("*").alias("_starts"))
    named = F.try_element_at(F.split(F.trim("arguments"), r"\s+"), F.lit(1))
    touched = (F.col("kind") == "Freeze") | (named == F.col("node").cast("string"))
    joined = faults.join(nodes, on="run", how="inner").where(touched)
    state = F.when(F.col("kind") == "Stutter", F.lit("stuttering")).otherwise(F.lit("paused")).alias("state")
    return joined.select("run", "node", "from_ms", "until_ms", state)


def overlap(one: DataFrame, other: DataFrame, keys: list[str]) -> DataFrame:
    """Columns of both, joined on keys where their times overlap; from_ms and until_ms are what they share."""
    left = one.withColumnsRenamed({"from_ms": "_from", "until_ms": "_until"})
    right = other.withColumnsRenamed({"from_ms": "_from_other", "until_ms": "_until_other"})
    joined = left.join(right, on=keys, how="inner")
    shared = joined.withColumn("from_ms", F.greatest("_from", "_from_other"))
    shared = shared.withColumn("until_ms", F.least("_until", "_until_other")).where("until_ms > from_ms")
    return shared.drop("_from", "_until", "_from_other", "_until_other")
