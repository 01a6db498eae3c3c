"""What each learner of a class did: time on task, and what they broke."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

CLASS_EFFORT_COLUMNS = (
    "learner",
    "title",
    "runs",
    "simulated_runs",
    "active_ms",
    "span_ms",
    "steps",
    "answers",
    "right_answers",
    "faults",
)
CLASS_BREAKAGE_COLUMNS = ("learner", "what", "name", "times", "runs")


def class_effort(effort: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per learner and title of a lesson, or of what else was run; times are sums over runs of processes."""
    named = effort.join(learners, on="run", how="inner")
    sums = [F.sum(name).alias(name) for name in ("active_ms", "span_ms", "steps", "answers", "right_answers", "faults")]
    simulated = F.count(F.when(F.col("world") != "processes", 1)).alias("simulated_runs")
    grouped = named.groupBy("learner", "title").agg(F.count("*").alias("runs"), simulated, *sums)
    return grouped.select(*CLASS_EFFORT_COLUMNS)


def class_breakage(faults: DataFrame, verdicts: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per learner and thing: a kind of fault they injected, or a rule that their faults broke.

    what: fault; rule (broken, and some fault or setting excuses it); rule violated (nothing excuses it). times counts
    faults, or violations.
    """
    injected = faults.where("injected_ms IS NOT NULL").select(
        "run", F.lit("fault").alias("what"), F.col("kind").alias("name"), F.lit(1).cast("bigint").alias("_times")
    )
    how = F.when(F.col("verdict") == "VIOLATED", "rule violated").otherwise("rule")
    broken = verdicts.where("verdict IN ('VIOLATED', 'EXPECTED')").select(
        "run",
        how.alias("what"),
        F.concat_ws(" ", "rule", "title").alias("name"),
        F.col("violation_count").alias("_times"),
    )
    named = injected.unionByName(broken).join(learners, on="run", how="inner")
    grouped = named.groupBy("learner", "what", "name").agg(
        F.sum("_times").alias("times"), F.count_distinct("run").alias("runs")
    )
    return grouped.select(*CLASS_BREAKAGE_COLUMNS)
