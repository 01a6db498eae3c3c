"""How long somebody was at a run, and what they did there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import COMMANDED_BY, field, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EFFORT_COLUMNS = (
    *("run", "title", "world", "started", "span_ms", "active_ms", "longest_pause_ms", "client_commands", "steps"),
    *("checks_failed", "answers", "right_answers", "faults", "refused_commands"),
)
PAUSE_MS = 120_000
"""Longer without a sign of the learner is not counted as time on the task beyond this."""


def effort(events: DataFrame, runs: DataFrame, answers: DataFrame) -> DataFrame:
    """One row per run. A sign of the learner is a step, an answer, a fault or any other command.

    span_ms is from the start of the run to the last sign; active_ms the same without what pauses exceed PAUSE_MS by.
    Both are null for a simulated run: its clock is virtual. steps are the commands of a lesson or script,
    client_commands those to clients, whoever gave them; faults are those that no script asked for. A lesson that starts
    several clusters is several runs, and the time between them is not counted.
    """
    question = f"""
WITH signs AS (
  SELECT run, event, t_ms, {field("lesson.checked", "held")} AS held, {COMMANDED_BY} AS commanded_by,
    t_ms - coalesce(lag(t_ms) OVER (PARTITION BY run ORDER BY t_ms, seq), 0D) AS gap
  FROM events WHERE event IN ('run.started', 'lesson.step', 'lesson.checked', 'lesson.answered', 'fault.injected',
    'fault.reverted', 'command.rejected') OR (event = 'op.invoked' AND startswith(`trigger`, 'command'))),
counted AS (
  SELECT run, max(t_ms) AS span, sum(least(gap, {PAUSE_MS}D)) AS active, max(gap) AS longest,
    count_if(event = 'op.invoked') AS client_commands, count_if(event = 'lesson.step') AS steps,
    count_if(event = 'lesson.checked' AND NOT held) AS checks_failed,
    count_if(event = 'fault.injected' AND commanded_by <> 'script') AS faults,
    count_if(event = 'command.rejected') AS refused_commands
  FROM signs GROUP BY run),
given AS (
  SELECT run, count(*) AS answers, count_if(is_right) AS right_answers FROM answers WHERE is_last GROUP BY run)
SELECT runs.run, title, world, started, IF(world = 'processes', span, NULL) AS span_ms,
  IF(world = 'processes', active, NULL) AS active_ms, IF(world = 'processes', longest, NULL) AS longest_pause_ms,
  client_commands, steps, checks_failed, coalesce(given.answers, 0L) AS answers,
  coalesce(right_answers, 0L) AS right_answers, faults, refused_commands
FROM runs LEFT JOIN counted USING (run) LEFT JOIN given USING (run)"""
    return shown(EFFORT_COLUMNS, question, events=events, runs=runs, answers=answers)
