"""What the checker says of each run, rule by rule."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.judge import CAUSE, NEEDED, TORN, VERDICTS, judge_batches
from workbench.analysis.reading.columns import FIELDS, ddl

VERDICTS_COLUMNS = (
    "run",
    "rule",
    "title",
    "verdict",
    "check_count",
    "violation_count",
    "t_ms",
    "sentence",
    "record",
    "assumption",
    "excuse",
)
_EVENT = ["run", "node", "incarnation", "seq"]


def verdicts(events: DataFrame, readings: DataFrame) -> DataFrame:
    """One row per run and rule: what `workbench check` says, with --salvage of a run that is not whole.

    sentence, record and t_ms are of the first violation that nothing excuses, else of the first one; assumption and
    excuse tell what excuses that one. NOT EVALUATED says nothing about the run. No lesson's promise is looked at.
    """
    kept = _before_damage(events, readings).select(*NEEDED, *CAUSE, FIELDS)
    chosen = kept.join(_torn(readings), on="run", how="left")
    ordered = chosen.repartition("run").sortWithinPartitions("run", "t_ns", "node", "seq", "incarnation")
    judged = ordered.mapInArrow(judge_batches, ddl(VERDICTS))
    return judged.join(events.select(*_EVENT, "t_ms"), on=_EVENT, how="left").select(*VERDICTS_COLUMNS)


def _torn(readings: DataFrame) -> DataFrame:
    """run, TORN: the files whose newest reading ended within an entry."""
    latest = readings.groupBy("run", "file").agg(F.max_by("torn_bytes", "to_byte").alias("_bytes"))
    return latest.where("_bytes > 0").groupBy("run").agg(F.sort_array(F.collect_list("file")).alias(TORN))


def _before_damage(events: DataFrame, readings: DataFrame) -> DataFrame:
    """Where a file of a run turns to garbage, all of its files end for the checker: later causes may be missing."""
    bad = readings.where("bad_byte IS NOT NULL").select("run", "file").distinct()
    last = bad.join(events.select("run", "file", "t_ns"), on=["run", "file"], how="left")
    ends = last.groupBy("run", "file").agg(F.coalesce(F.max("t_ns"), F.lit(0)).alias("_last"))
    until = ends.groupBy("run").agg(F.min("_last").alias("_until"))
    joined = events.join(until, on="run", how="left")
    return joined.where("_until IS NULL OR t_ns <= _until").drop("_until")
