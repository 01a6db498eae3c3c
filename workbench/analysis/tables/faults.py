"""Each fault, how long it was in force, and what happened after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import COMMANDED_BY, LOG, picked, quoted, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COUNTED = {
    "quorum_leaders_elected": ("raft.leader_elected",),
    "partition_leaders_elected": ("part.became_leader",),
    "isr_shrunk": ("isr.shrunk",),
    "isr_expanded": ("isr.expanded",),
    "truncated": ("rep.truncated", "raft.truncated"),
    "operations_failed": ("op.failed", "op.unknown"),
}
FAULTS_COLUMNS = (
    *("run", "fault_id", "kind", "arguments", "command", "commanded_by", "injected_ms", "applied_ms", "reverted_ms"),
    *("duration_ms", "until_ms", *_COUNTED, "first_effect", "first_effect_ms"),
)


def faults(events: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per fault that was asked for. commanded_by: script, learner or lecturer; empty where the recording does
    not say, as those of earlier versions. duration_ms is how long it was in force, at most to the run's end.

    The counts are of what happened between this fault and the next one (until_ms): after it, not for certain because of
    it. first_effect is the first of these, first_effect_ms how long after the fault it came.
    """
    kinds = quoted(kind for counted in _COUNTED.values() for kind in counted)
    counts = [f"count_if(what IN ({quoted(counted)})) AS {name}" for name, counted in _COUNTED.items()]
    question = f"""
WITH found AS (
  SELECT run, fault_id, min_by(kind, t_ns) AS kind, min_by(arguments, t_ns) AS arguments, max(command) AS command,
    max(IF(event = 'fault.injected', {COMMANDED_BY}, NULL)) AS commanded_by,
    min(IF(event = 'fault.injected', t_ms, NULL)) AS injected_ms,
    min(IF(event = 'fault.applied', t_ms, NULL)) AS applied_ms,
    min(IF(event = 'fault.reverted', t_ms, NULL)) AS reverted_ms
  FROM {picked("fault.injected", "fault.applied", "fault.reverted")} GROUP BY run, fault_id),
placed AS (
  SELECT found.*, coalesce(applied_ms, injected_ms, reverted_ms) AS at_ms, observed_ms AS end_ms
  FROM found JOIN runs ON runs.run = found.run),
timed AS (
  SELECT *, greatest(coalesce(lead(at_ms) OVER (PARTITION BY run ORDER BY at_ms, fault_id), end_ms), at_ms) AS until_ms,
    greatest(least(reverted_ms, end_ms) - applied_ms, 0D) AS duration_ms FROM placed),
sized AS (
  SELECT run, from_ms, isr_size - lag(isr_size) OVER (PARTITION BY {LOG} ORDER BY partition_epoch) AS more
  FROM isr_history),
happened AS (
  SELECT run, event AS what, t_ms FROM events WHERE event IN ({kinds})
  UNION ALL SELECT run, IF(more > 0, 'isr.expanded', 'isr.shrunk'), from_ms FROM sized WHERE more <> 0)
SELECT *, first.what AS first_effect, first.t_ms - at_ms AS first_effect_ms FROM (
  SELECT timed.*, {", ".join(counts)}, min(IF(what IS NOT NULL, struct(t_ms, what), NULL)) AS first
  FROM timed LEFT JOIN happened
    ON happened.run = timed.run AND happened.t_ms >= timed.at_ms AND happened.t_ms < timed.until_ms
  GROUP BY ALL)"""
    return shown(FAULTS_COLUMNS, question, events=events, isr_history=isr_history, runs=runs)
