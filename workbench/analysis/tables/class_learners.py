"""What each learner of a class did: time on task, and what they broke."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUMS = ("active_ms", "span_ms", "steps", "answers", "right_answers", "faults")
CLASS_EFFORT_COLUMNS = ("learner", "title", "runs", "simulated_runs", *_SUMS)
CLASS_BREAKAGE_COLUMNS = ("learner", "what", "name", "times", "runs")


def class_effort(effort: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per learner and title of a lesson, or of what else was run; times are sums over runs of processes."""
    sums = ", ".join(f"sum({name}) AS {name}" for name in _SUMS)
    question = f"""
SELECT learner, title, count(*) AS runs, count_if(world <> 'processes') AS simulated_runs, {sums}
FROM effort JOIN learners USING (run) GROUP BY learner, title"""
    return shown(CLASS_EFFORT_COLUMNS, question, effort=effort, learners=learners)


def class_breakage(faults: DataFrame, verdicts: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per learner and thing: a kind of fault they asked for, or a rule that broke in a run with such a fault.

    what: fault; fault, unknown by whom (recordings of earlier versions do not say who asked); rule (broken, and some
    fault or setting excuses it); rule violated (nothing excuses it, and nobody asked for it). What a script or a
    lecturer does, and what breaks by that, is nobody's here. times counts faults, or violations.
    """
    question = """
WITH own AS (SELECT * FROM faults WHERE injected_ms IS NOT NULL AND commanded_by NOT IN ('script', 'lecturer')),
every AS (
  SELECT run, IF(commanded_by = '', 'fault, unknown by whom', 'fault') AS what, kind AS name, 1L AS time_count FROM own
  UNION ALL
  SELECT run, IF(verdict = 'VIOLATED', 'rule violated', 'rule'), concat_ws(' ', rule, title), violation_count
  FROM verdicts WHERE verdict = 'VIOLATED' OR (verdict = 'EXPECTED' AND run IN (SELECT run FROM own)))
SELECT learner, what, name, sum(time_count) AS times, count(DISTINCT run) AS runs
FROM every JOIN learners USING (run) GROUP BY learner, what, name"""
    return shown(CLASS_BREAKAGE_COLUMNS, question, faults=faults, verdicts=verdicts, learners=learners)
