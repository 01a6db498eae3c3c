"""Who led what, from when until when: the quorum as its nodes believe, partitions as their metadata is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, METADATA_TOPIC, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEADERSHIPS_COLUMNS = (
    *("run", "topic", "partition", "epoch", "leader", "from_ms", "until_ms", "duration_ms", "ended_by"),
)


def leaderships(events: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per epoch of a log that had a leader.

    A leader of the quorum leads until it says otherwise or its process is gone, even when nobody hears it any more: so
    two may overlap. A leader of a partition leads until another state of the partition was applied somewhere.
    """
    question = f"""
WITH ends AS (
  SELECT run, node, incarnation, t_ns AS end_ns, t_ms, why AS ended_by
  FROM {picked("raft.role_changed")} WHERE role <> 'leader'
  UNION ALL SELECT run, node_id, incarnation_number, t_ns, t_ms, 'its process is gone' FROM {picked("proc.exited")}),
of_quorum AS (
  SELECT won.run, won.node AS leader, won.incarnation, won.epoch, won.t_ms AS from_ms,
    min(IF(end_ns IS NULL, NULL, struct(end_ns, ends.t_ms, ended_by))) AS ended
  FROM {picked("raft.leader_elected")} won LEFT JOIN ends ON ends.run = won.run AND ends.node = won.node
    AND ends.incarnation = won.incarnation AND ends.end_ns > won.t_ns
  GROUP BY ALL),
epochs AS (
  SELECT {LOG}, leader_epoch AS epoch, leader, min(from_ms) AS from_ms, max(until_ms) AS until_ms
  FROM isr_history WHERE leader >= 0 GROUP BY {LOG}, leader_epoch, leader),
of_partitions AS (
  SELECT epochs.*, min(IF(later.from_ms IS NULL, NULL, struct(later.from_ms, later.why))) AS following
  FROM epochs LEFT JOIN isr_history later ON later.run = epochs.run AND later.topic = epochs.topic
    AND later.partition = epochs.partition AND later.leader_epoch > epochs.epoch
  GROUP BY ALL),
every AS (
  SELECT run, '{METADATA_TOPIC}' AS topic, 0L AS partition, epoch, leader, from_ms, ended.t_ms AS until_ms,
    IF(ended.t_ms IS NULL, 'end of the run', ended.ended_by) AS ended_by FROM of_quorum
  UNION ALL
  SELECT {LOG}, epoch, leader, from_ms, until_ms,
    IF(following IS NULL, 'end of the run', coalesce(following.why, 'a new epoch')) FROM of_partitions),
timed AS (
  SELECT every.* EXCEPT (until_ms), least(until_ms, observed_ms) AS until_ms
  FROM every JOIN runs ON runs.run = every.run)
SELECT *, until_ms - from_ms AS duration_ms FROM timed WHERE until_ms > from_ms"""
    return shown(LEADERSHIPS_COLUMNS, question, events=events, isr_history=isr_history, runs=runs)
