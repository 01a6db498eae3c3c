"""Each fault, how long it was in force, and what happened after it."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import commanded_by, ends_of, of

FAULTS_COLUMNS = (
    "run",
    "fault_id",
    "kind",
    "arguments",
    "command",
    "commanded_by",
    "injected_ms",
    "applied_ms",
    "reverted_ms",
    "duration_ms",
    "until_ms",
    "quorum_leaders_elected",
    "partition_leaders_elected",
    "isr_shrunk",
    "isr_expanded",
    "truncated",
    "operations_failed",
    "first_effect",
    "first_effect_ms",
)
_COUNTED = {
    "raft.leader_elected": "quorum_leaders_elected",
    "part.became_leader": "partition_leaders_elected",
    "isr.shrunk": "isr_shrunk",
    "isr.expanded": "isr_expanded",
    "rep.truncated": "truncated",
    "raft.truncated": "truncated",
    "op.failed": "operations_failed",
    "op.unknown": "operations_failed",
}


def faults(events: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per fault that was asked for. commanded_by: script, learner or lecturer; empty where the recording does
    not say, as those of earlier versions. duration_ms is how long it was in force, at most to the run's end.

    The counts are of what happened between this fault and the next one (until_ms): after it, not for certain because of
    it. first_effect is the first of these, first_effect_ms how long after the fault it came.
    """
    named = F.col("event")
    of_fault = (
        of(events, "fault.injected", "fault.applied", "fault.reverted")
        .groupBy("run", "fault_id")
        .agg(
            F.min_by("kind", "t_ns").alias("kind"),
            F.min_by("arguments", "t_ns").alias("arguments"),
            F.max("command").alias("command"),
            F.max(F.when(named == "fault.injected", commanded_by())).alias("commanded_by"),
            F.min(F.when(named == "fault.injected", F.col("t_ms"))).alias("injected_ms"),
            F.min(F.when(named == "fault.applied", F.col("t_ms"))).alias("applied_ms"),
            F.min(F.when(named == "fault.reverted", F.col("t_ms"))).alias("reverted_ms"),
        )
    )
    in_order = Window.partitionBy("run").orderBy("_at", "fault_id")
    placed = of_fault.withColumn("_at", F.coalesce("applied_ms", "injected_ms", "reverted_ms"))
    ended = placed.join(ends_of(runs), on="run", how="inner")
    following = F.coalesce(F.lead("_at").over(in_order), F.col("end_ms"))
    until = ended.withColumn("until_ms", F.greatest(following, F.col("_at")))
    over = F.least(F.coalesce("reverted_ms", "end_ms"), F.col("end_ms"))
    timed = until.withColumn("duration_ms", F.greatest(over - F.col("applied_ms"), F.lit(0.0)))
    keyed = timed.drop("end_ms")
    return _with_effects(keyed, _happenings(events, isr_history)).select(*FAULTS_COLUMNS)


def _happenings(events: DataFrame, isr_history: DataFrame) -> DataFrame:
    told = events.where(F.col("event").isin(*_COUNTED)).select("run", F.col("event").alias("what"), "t_ms")
    change = F.when(F.col("isr_size") > F.col("_size"), "isr.expanded").when(
        F.col("isr_size") < F.col("_size"), "isr.shrunk"
    )
    in_order = Window.partitionBy("run", "topic", "partition").orderBy("partition_epoch")
    sized = isr_history.withColumn("_size", F.lag("isr_size").over(in_order)).withColumn("what", change)
    return told.unionByName(sized.where("what IS NOT NULL").select("run", "what", F.col("from_ms").alias("t_ms")))


def _with_effects(found: DataFrame, happenings: DataFrame) -> DataFrame:
    joined = found.join(happenings, on="run", how="left")
    after = (F.col("t_ms") >= F.col("_at")) & (F.col("t_ms") < F.col("until_ms"))
    effect = F.when(after, F.struct("t_ms", "what"))
    counts = []
    for name in dict.fromkeys(_COUNTED.values()):
        kinds = [kind for kind, counted in _COUNTED.items() if counted == name]
        counts.append(F.count(F.when(after & F.col("what").isin(*kinds), 1)).alias(name))
    grouped = joined.groupBy(*found.columns).agg(*counts, F.min(effect).alias("_first"))
    shown = grouped.withColumn("first_effect", F.col("_first.what"))
    return shown.withColumn("first_effect_ms", F.col("_first.t_ms") - F.col("_at"))
