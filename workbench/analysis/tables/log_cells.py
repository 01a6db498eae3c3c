"""Every batch of every replica's log: when it was written, committed, and cut away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import METADATA_TOPIC, MOMENT, REPLICA, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOG_CELLS_COLUMNS = (
    *("run", "topic", "partition", "node", "base_offset", "count", "leader_epoch", "digest", "role"),
    *("cause_node", "cause_incarnation", "cause_seq", "written_ms", "committed_ms"),
    *("removed_ms", "removed_incarnation", "removed_seq", "removed_by"),
)
_CAUSE = "role, cause_node, cause_incarnation, cause_seq, t_ms AS written_ms"
_BATCHES = f"""
batches AS (
  SELECT {REPLICA}, batch._1 AS base_offset, batch._2 AS count, batch._3 AS leader_epoch, batch._4 AS digest, {_CAUSE},
    {MOMENT} AS moment
  FROM (SELECT *, explode(batches) AS batch FROM {picked("rep.appended")})),
metadata AS (
  SELECT run, '{METADATA_TOPIC}' AS topic, 0L AS partition, node, batch._2 AS base_offset,
    coalesce(lead(batch._2) OVER (PARTITION BY run, moment ORDER BY place), end_offset) - batch._2 AS count,
    batch._1 AS leader_epoch, CAST(NULL AS string) AS digest, {_CAUSE}, moment
  FROM (SELECT *, {MOMENT} AS moment, posexplode(epochs) AS (place, batch) FROM {picked("raft.appended")})),
cells AS (SELECT * FROM batches UNION ALL SELECT * FROM metadata)"""
"""Batches of the metadata log end where the next one of the same event begins."""
_CUTS = f"""
cuts AS (
  SELECT run, coalesce(topic, '{METADATA_TOPIC}') AS topic, coalesce(partition, 0L) AS partition, node,
    {MOMENT} AS cut_at, IF(event = 'st.recovered', log_end_offset, end_offset) AS cut_to, t_ms AS cut_ms,
    IF(event = 'st.recovered', 'lost before a start', 'truncated') AS cut_by
  FROM {picked("rep.truncated", "raft.truncated", "st.recovered")})"""


def log_cells(events: DataFrame, log_positions: DataFrame) -> DataFrame:
    """One row per batch and time that a replica wrote it. removed_* are null while it is in the log.

    A batch goes when the log is cut below its end, or when a start finds the log ending below it. committed_ms is when
    a leader that held this very batch first announced a high watermark past it; the same for all its replicas; null
    when none did. removed_incarnation and removed_seq name the node's event that took it away. The cause
    is the event that led to the writing: for a leader the client's. No digest for metadata.
    """
    question = f"""
WITH {_BATCHES}, {_CUTS},
kept AS (
  SELECT cells.*, min(IF(cut_at IS NULL, NULL, struct(cut_at, cut_ms, cut_by))) AS cut
  FROM cells LEFT JOIN cuts ON cuts.run = cells.run AND cuts.topic = cells.topic AND cuts.partition = cells.partition
    AND cuts.node = cells.node AND cut_at > moment AND cut_to < base_offset + count
  GROUP BY ALL),
told AS (
  SELECT kept.* EXCEPT (cut, moment), cut.cut_ms AS removed_ms, cut.cut_by AS removed_by,
    cut.cut_at.incarnation AS removed_incarnation, cut.cut_at.seq AS removed_seq
  FROM kept),
passed AS (
  SELECT {REPLICA}, t_ms AS at_ms, explode(sequence(coalesce(old_high_watermark, 0L) + 1, high_watermark)) AS end_offset
  FROM log_positions WHERE role = 'leader' AND endswith(event, '.high_watermark_advanced')
    AND high_watermark > coalesce(old_high_watermark, 0)),
committed AS (
  SELECT told.run, told.topic, told.partition, base_offset, leader_epoch, min(at_ms) AS committed_ms
  FROM told JOIN passed ON passed.run = told.run AND passed.topic = told.topic AND passed.partition = told.partition
    AND passed.node = told.node AND passed.end_offset = base_offset + count
  WHERE at_ms >= written_ms AND (removed_ms IS NULL OR at_ms < removed_ms)
  GROUP BY told.run, told.topic, told.partition, base_offset, leader_epoch)
SELECT * FROM told LEFT JOIN committed USING (run, topic, partition, base_offset, leader_epoch)"""
    return shown(LOG_CELLS_COLUMNS, question, events=events, log_positions=log_positions)
