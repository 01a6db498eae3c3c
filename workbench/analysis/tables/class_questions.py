"""What a class predicted: how many chose which answer, and what became of those who were wrong."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

QUESTION = ["title", "question"]
CLASS_QUESTIONS_COLUMNS = (*QUESTION, "answer", "learners", "share", "right_learners", "unclear_learners")
CLASS_MISCONCEPTIONS_COLUMNS = (
    *QUESTION,
    "answer",
    "learners_before",
    "asked_again",
    "right_after",
    "same_after",
    "other_after",
)


def class_questions(answers: DataFrame, runs: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per question and answer: by how many learners it was the first they ever gave.

    share is of all who answered the question. right_learners were right in their own run; unclear_learners saw a run
    without a single right answer.
    """
    first = _ends(answers, runs, learners).where("_place = 1")
    counted = first.groupBy(*QUESTION, "answer").agg(
        F.count("*").alias("learners"),
        F.count(F.when(F.col("is_right"), 1)).alias("right_learners"),
        F.count(F.when(F.col("is_right").isNull(), 1)).alias("unclear_learners"),
    )
    everybody = F.sum("learners").over(Window.partitionBy(*QUESTION))
    return counted.withColumn("share", F.col("learners") / everybody).select(*CLASS_QUESTIONS_COLUMNS)


def class_misconceptions(answers: DataFrame, runs: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per question and wrong answer that somebody gave first: the same learners when they were last asked.

    learners_before gave it first. Of these asked_again answered the question once more, in a later run or a second
    time: right_after, same_after and other_after say how they answered last. An answer that cannot be called right
    counts as another one.
    """
    ends = _ends(answers, runs, learners)
    first = ends.where("_place = 1 AND NOT is_right").select("learner", *QUESTION, "answer")
    last = ends.where("_place_from_end = 1 AND _place > 1")
    after = last.select("learner", *QUESTION, F.col("answer").alias("_after"), F.col("is_right").alias("_right"))
    joined = first.join(after, on=["learner", *QUESTION], how="left")
    again, right = F.col("_after").isNotNull(), F.coalesce("_right", F.lit(False))
    same = again & ~right & (F.col("_after") == F.col("answer"))
    return (
        joined.groupBy(*QUESTION, "answer")
        .agg(
            F.count("*").alias("learners_before"),
            F.count(F.when(again, 1)).alias("asked_again"),
            F.count(F.when(again & right, 1)).alias("right_after"),
            F.count(F.when(same, 1)).alias("same_after"),
            F.count(F.when(again & ~right & (F.col("_after") != F.col("answer")), 1)).alias("other_after"),
        )
        .select(*CLASS_MISCONCEPTIONS_COLUMNS)
    )


def _ends(answers: DataFrame, runs: DataFrame, learners: DataFrame) -> DataFrame:
    """Each answer with its place among those of its learner to that question, from both ends; runs sort by age."""
    named = answers.join(learners, on="run", how="inner").join(runs.select("run", "title"), on="run", how="inner")
    asked = Window.partitionBy("learner", *QUESTION)
    on = asked.orderBy("run", "attempt")
    back = asked.orderBy(F.desc("run"), F.desc("attempt"))
    placed = named.withColumn("_place", F.row_number().over(on))
    return placed.withColumn("_place_from_end", F.row_number().over(back))
