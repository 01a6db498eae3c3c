"""How long somebody was at a run, and what they did there."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import commanded_by, field

EFFORT_COLUMNS = (
    "run",
    "title",
    "world",
    "started",
    "span_ms",
    "active_ms",
    "longest_pause_ms",
    "client_commands",
    "steps",
    "checks_failed",
    "answers",
    "right_answers",
    "faults",
    "refused_commands",
)
PAUSE_MS = 120_000
"""Longer without a sign of the learner is not counted as time on the task beyond this."""
_SIGNS = ("lesson.step", "lesson.checked", "lesson.answered", "fault.injected", "fault.reverted", "command.rejected")


def effort(events: DataFrame, runs: DataFrame, answers: DataFrame) -> DataFrame:
    """One row per run. A sign of the learner is a step, an answer, a fault or any other command.

    span_ms is from the start of the run to the last sign; active_ms the same without what pauses exceed PAUSE_MS by.
    Both are null for a simulated run: its clock is virtual. steps are the commands of a lesson or script,
    client_commands those to clients, whoever gave them; faults are those that no script asked for. A lesson that starts
    several clusters is several runs, and the time between them is not counted.
    """
    name = F.col("event")
    is_sign = name.isin(*_SIGNS) | ((name == "op.invoked") & F.col("trigger").startswith("command"))
    signs = events.where(is_sign | (name == "run.started")).select(
        "run", "event", "t_ms", "trigger", "seq", field("lesson.checked", "held").alias("held")
    )
    in_order = Window.partitionBy("run").orderBy("t_ms", "seq")
    gap = F.col("t_ms") - F.coalesce(F.lag("t_ms").over(in_order), F.lit(0.0))
    timed = signs.withColumn("_gap", gap)
    counted = timed.groupBy("run").agg(
        F.max("t_ms").alias("_span"),
        F.sum(F.least("_gap", F.lit(float(PAUSE_MS)))).alias("_active"),
        F.max("_gap").alias("_longest"),
        F.count(F.when(name == "op.invoked", 1)).alias("client_commands"),
        F.count(F.when(name == "lesson.step", 1)).alias("steps"),
        F.count(F.when((name == "lesson.checked") & ~F.col("held"), 1)).alias("checks_failed"),
        F.count(F.when((name == "fault.injected") & (commanded_by() != "script"), 1)).alias("faults"),
        F.count(F.when(name == "command.rejected", 1)).alias("refused_commands"),
    )
    last = answers.where("is_last").groupBy("run")
    given = last.agg(F.count("*").alias("_answers"), F.count(F.when(F.col("is_right"), 1)).alias("_right"))
    joined = runs.join(counted, on="run", how="left").join(given, on="run", how="left")
    is_real = F.col("world") == "processes"
    named = {"span_ms": "_span", "active_ms": "_active", "longest_pause_ms": "_longest"}
    shown = joined.withColumns({column: F.when(is_real, F.col(held)) for column, held in named.items()})
    sums = {"answers": F.coalesce("_answers", F.lit(0)), "right_answers": F.coalesce("_right", F.lit(0))}
    return shown.withColumns(sums).select(*EFFORT_COLUMNS)
