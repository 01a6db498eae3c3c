"""What the checker says of each run, rule by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.judge import CAUSE, DECISION, NEEDED, TORN, VERDICTS, judge_batches
from workbench.analysis.reading.columns import FIELDS, ddl
from workbench.analysis.tables.common import asked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VERDICTS_COLUMNS = (
    *("run", "rule", "title", "verdict", "check_count", "violation_count", "t_ms", "sentence", "record"),
    *("assumption", "excuse"),
)
_KEPT = f"""
WITH torn AS (
  SELECT run, sort_array(collect_list(file)) AS {TORN}
  FROM (SELECT run, file, max_by(torn_bytes, to_byte) AS bytes FROM readings GROUP BY run, file)
  WHERE bytes > 0 GROUP BY run),
bad AS (
  SELECT run, file, coalesce(max(t_ns), 0L) AS last_ns
  FROM (SELECT DISTINCT run, file FROM readings WHERE bad_byte IS NOT NULL) LEFT JOIN events USING (run, file)
  GROUP BY run, file),
ends AS (SELECT run, min(last_ns) AS until_ns FROM bad GROUP BY run)
SELECT {", ".join(f"`{name}`" for name in (*NEEDED, *CAUSE, *DECISION, FIELDS, TORN))}
FROM events LEFT JOIN torn USING (run) LEFT JOIN ends USING (run) WHERE until_ns IS NULL OR t_ns <= until_ns"""
"""Where a file of a run turns to garbage, all of its files end for the checker: later causes may be missing."""


def verdicts(events: DataFrame, readings: DataFrame) -> DataFrame:
    """One row per run and rule: what `workbench check` says, with --salvage of a run that is not whole.

    sentence, record and t_ms are of the first violation that nothing excuses, else of the first one; assumption and
    excuse tell what excuses that one. NOT EVALUATED says nothing about the run. No lesson's promise is looked at.
    """
    kept = asked(_KEPT, events=events, readings=readings)
    ordered = kept.repartition("run").sortWithinPartitions("run", "t_ns", "node", "seq", "incarnation")
    judged = ordered.mapInArrow(judge_batches, ddl(VERDICTS))
    question = "SELECT judged.*, t_ms FROM judged LEFT JOIN events USING (run, node, incarnation, seq)"
    return shown(VERDICTS_COLUMNS, question, judged=judged, events=events)
