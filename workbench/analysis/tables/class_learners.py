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
    """One row per learner and thing: a kind of fault they asked for, or a rule that broke in a run with such a fault.

    what: fault; fault, unknown by whom (recordings of earlier versions do not say who asked); rule (broken, and some
    fault or setting excuses it); rule violated (nothing excuses it, and nobody asked for it). What a script or a
    lecturer does, and what breaks by that, is nobody's here. times counts faults, or violations.
    """
    own = faults.where("injected_ms IS NOT NULL AND commanded_by NOT IN ('script', 'lecturer')")
    injected = own.select(
        "run",
        F.when(F.col("commanded_by") == "", "fault, unknown by whom").otherwise("fault").alias("what"),
        F.col("kind").alias("name"),
        F.lit(1).cast("bigint").alias("_times"),
    )
    how = F.when(F.col("verdict") == "VIOLATED", "rule violated").otherwise("rule")
    touched = own.groupBy("run").agg(F.count("*").alias("_own")).select("run", F.lit(True).alias("_is_touched"))
    judged = verdicts.where("verdict IN ('VIOLATED', 'EXPECTED')").join(touched, on="run", how="left")
    broken = judged.where("verdict = 'VIOLATED' OR _is_touched").select(
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
