"""What a learner predicted, and what the run then showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ANSWERS_COLUMNS = (
    *("run", "question", "answer", "right_answer", "is_right", "attempt", "is_last", "t_ms", "answered", "source"),
)


def answers(events: DataFrame, told_answers: DataFrame) -> DataFrame:
    """One row per prediction that was answered and then shown.

    is_right is null when the run had no single right answer. attempt counts the answers to one question in one run,
    from 1. answered is the wall clock in UTC. source: trace, or answers.json for what only that file holds; such an
    answer has no time.
    """
    question = f"""
WITH traced AS (
  SELECT run, question, answer, right_answer, t_ms, 'trace' AS source,
    CAST(row_number() OVER (PARTITION BY run, question ORDER BY t_ns, seq) AS bigint) AS attempt,
    row_number() OVER (PARTITION BY run, question ORDER BY t_ns DESC, seq DESC) = 1 AS is_last,
    timestamp_micros(CAST(floor(wall_ns / 1000) AS bigint)) AS answered
  FROM {picked("lesson.answered")} WHERE answer <> ''),
every AS (
  SELECT run, question, answer, right_answer, attempt, is_last, t_ms, answered, source FROM traced
  UNION ALL
  SELECT run, question, answer, right_answer, 1L, true, CAST(NULL AS double), CAST(NULL AS timestamp), 'answers.json'
  FROM told_answers LEFT ANTI JOIN traced USING (run, question, answer) WHERE answer <> '')
SELECT *, CASE WHEN right_answer <> '' THEN answer = right_answer END AS is_right FROM every"""
    return shown(ANSWERS_COLUMNS, question, events=events, told_answers=told_answers)
