"""What a learner predicted, and what the run then showed."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import of

ANSWERS_COLUMNS = (
    "run",
    "question",
    "answer",
    "right_answer",
    "is_right",
    "attempt",
    "is_last",
    "t_ms",
    "answered",
    "source",
)


def answers(events: DataFrame, told_answers: DataFrame) -> DataFrame:
    """One row per prediction that was answered and then shown.

    is_right is null when the run had no single right answer. attempt counts the answers to one question in one run,
    from 1. answered is the wall clock in UTC. source: trace, or answers.json for what only that file holds; such an
    answer has no time.
    """
    given = of(events, "lesson.answered").where("answer <> ''")
    in_order = Window.partitionBy("run", "question").orderBy("t_ns", "seq")
    backwards = Window.partitionBy("run", "question").orderBy(F.desc("t_ns"), F.desc("seq"))
    traced = given.select(
        *("run", "question", "answer", "right_answer"),
        F.row_number().over(in_order).cast("bigint").alias("attempt"),
        (F.row_number().over(backwards) == 1).alias("is_last"),
        "t_ms",
        F.timestamp_micros(F.floor(F.col("wall_ns") / 1000).cast("bigint")).alias("answered"),
        F.lit("trace").alias("source"),
    )
    kept = told_answers.where("answer <> ''").join(
        traced.select("run", "question", "answer"), on=["run", "question", "answer"], how="left_anti"
    )
    only_kept = kept.select(
        *("run", "question", "answer", "right_answer"),
        F.lit(1).cast("bigint").alias("attempt"),
        F.lit(True).alias("is_last"),
        F.lit(None).cast("double").alias("t_ms"),
        F.lit(None).cast("timestamp").alias("answered"),
        F.lit("answers.json").alias("source"),
    )
    right = F.when(F.col("right_answer") != "", F.col("answer") == F.col("right_answer"))
    return traced.unionByName(only_kept).withColumn("is_right", right).select(*ANSWERS_COLUMNS)
