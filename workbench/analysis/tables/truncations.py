"""Logs that became shorter: why, by how much, and whether anybody had been told that it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import METADATA_TOPIC, REPLICA, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TRUNCATIONS_COLUMNS = (
    *("run", "topic", "partition", "node", "t_ms", "kind", "mode", "why", "old_end_offset", "end_offset"),
    *("removed_count", "high_watermark", "committed_count", "acknowledged_count"),
)


def truncations(events: DataFrame, log_positions: DataFrame, log_cells: DataFrame) -> DataFrame:
    """One row per cut that removed something.

    kind: truncated by the protocol, or lost when a start found the log shorter than it had been. high_watermark is the
    replica's own before the cut. committed_count: removed records that a leader had announced as committed by then; a
    replica that cuts these may fetch them again. acknowledged_count: removed records that a producer was told are
    written; null for metadata, which no producer writes.
    """
    question = f"""
WITH shorter AS (
  SELECT {REPLICA}, t_ms, incarnation, seq, IF(event = 'st.recovered', 'lost', 'truncated') AS kind,
    old_log_end_offset AS old_end_offset, log_end_offset AS end_offset
  FROM log_positions WHERE log_end_offset < old_log_end_offset),
told AS (
  SELECT run, node, incarnation, seq, why, coalesce(mode, IF(event = 'raft.truncated', 'fetch', NULL)) AS mode,
    IF(event <> 'st.recovered' AND high_watermark >= 0, high_watermark, NULL) AS high_watermark
  FROM {picked("rep.truncated", "raft.truncated", "st.recovered")}),
acknowledged AS (
  SELECT DISTINCT run, topic, partition, base_offset, `values`[0] AS digest, true AS is_acknowledged
  FROM {picked("op.succeeded")} WHERE function = 'produce' AND base_offset >= 0 AND size(`values`) > 0),
removed AS (
  SELECT {REPLICA}, removed_incarnation AS incarnation, removed_seq AS seq,
    sum(IF(committed_ms < removed_ms, count, NULL)) AS committed, sum(IF(is_acknowledged, count, NULL)) AS acknowledged
  FROM log_cells LEFT JOIN acknowledged USING (run, topic, partition, base_offset, digest)
  WHERE removed_seq IS NOT NULL GROUP BY {REPLICA}, removed_incarnation, removed_seq)
SELECT *, old_end_offset - end_offset AS removed_count, coalesce(committed, 0L) AS committed_count,
  IF(topic = '{METADATA_TOPIC}', NULL, coalesce(acknowledged, 0L)) AS acknowledged_count
FROM shorter LEFT JOIN told USING (run, node, incarnation, seq)
  LEFT JOIN removed USING ({REPLICA}, incarnation, seq)"""
    return shown(TRUNCATIONS_COLUMNS, question, events=events, log_positions=log_positions, log_cells=log_cells)
