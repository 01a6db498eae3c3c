"""Each committed state of a partition: leader, ISR, and whether acks=all could be served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ISR_HISTORY_COLUMNS = (
    *("run", "topic", "partition", "partition_epoch", "leader", "leader_epoch", "isr", "isr_size"),
    *("min_insync_replicas", "under_min_isr", "change", "joined", "left", "why", "unclean"),
    *("from_ms", "until_ms", "duration_ms"),
)


def isr_history(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per partition epoch, from when the first broker applied it until the next one was applied.

    change: created, shrunk, expanded, leader, leaderless, or other (the same ISR under the same leader).
    why and unclean are those of the controller's last decision for that state (one that was lost with its controller
    may have been taken again); null when the decision is not in the trace.
    """
    keys = f"{LOG}, partition_epoch"
    question = f"""
WITH applied AS (
  SELECT {keys}, min_by(leader, t_ns) AS leader, min_by(leader_epoch, t_ns) AS leader_epoch, min_by(isr, t_ns) AS isr,
    min_by(min_insync_replicas, t_ns) AS min_insync_replicas, min(t_ms) AS from_ms
  FROM {picked("meta.partition_applied")} GROUP BY {keys}),
decided AS (
  SELECT {keys}, leader, leader_epoch, isr, max_by(why, t_ns) AS why, max_by(unclean, t_ns) AS unclean
  FROM {picked("ctl.partition_changed")} GROUP BY {keys}, leader, leader_epoch, isr),
following AS (
  SELECT *, lag(struct(leader, isr)) OVER in_order AS before, lead(from_ms) OVER in_order AS next_ms
  FROM applied LEFT JOIN decided USING ({keys}, leader, leader_epoch, isr)
  WINDOW in_order AS (PARTITION BY {LOG} ORDER BY partition_epoch)),
timed AS (
  SELECT following.*, least(next_ms, observed_ms) AS until_ms, CAST(size(isr) AS bigint) AS isr_size,
    coalesce(before.isr, CAST(array() AS array<bigint>)) AS old
  FROM following JOIN runs ON runs.run = following.run)
SELECT *, until_ms - from_ms AS duration_ms, isr_size < min_insync_replicas AS under_min_isr,
  array_except(isr, old) AS joined, array_except(old, isr) AS `left`,
  CASE WHEN before IS NULL THEN 'created' WHEN leader < 0 THEN 'leaderless' WHEN leader <> before.leader THEN 'leader'
    WHEN isr_size < size(old) THEN 'shrunk' WHEN isr_size > size(old) THEN 'expanded' ELSE 'other' END AS change
FROM timed WHERE until_ms > from_ms"""
    return shown(ISR_HISTORY_COLUMNS, question, events=events, runs=runs)
