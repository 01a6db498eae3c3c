"""How far each replica's log and high watermark were at each change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import METADATA_TOPIC, REPLICA, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOG_POSITIONS_COLUMNS = (
    *("run", "topic", "partition", "node", "t_ms", "incarnation", "seq", "event", "role"),
    *("log_end_offset", "old_log_end_offset", "high_watermark", "old_high_watermark", "lag"),
)
_TOLD = (
    *("rep.appended", "rep.truncated", "rep.high_watermark_advanced", "part.became_leader", "part.became_follower"),
    *("st.recovered", "raft.appended", "raft.truncated", "raft.high_watermark_advanced"),
)


def log_positions(events: DataFrame) -> DataFrame:
    """One row per event that moved the log end offset or the high watermark of a replica; both are exclusive.

    lag counts records in the replica's log that it does not know to be committed. It is null while the high watermark
    is unknown. old_* is what was true before the event: 0 and null before the first. Whoever cuts its log below its
    high watermark knows only what is left to be committed.
    """
    question = f"""
WITH told AS (
  SELECT run, coalesce(topic, '{METADATA_TOPIC}') AS topic, coalesce(partition, 0L) AS partition, node,
    incarnation, seq, t_ms, event, role,
    CASE WHEN event IN ('rep.appended', 'rep.truncated', 'raft.appended', 'raft.truncated') THEN end_offset
      WHEN event = 'part.became_leader' THEN epoch_start_offset
      WHEN event IN ('part.became_follower', 'st.recovered') THEN log_end_offset END AS ends_at,
    CASE WHEN high_watermark < 0 THEN NULL WHEN event IN ('rep.truncated', 'raft.truncated')
      THEN least(high_watermark, end_offset) ELSE high_watermark END AS watermark
  FROM {picked(*_TOLD)}),
filled AS (
  SELECT *, coalesce(last(ends_at, true) OVER so_far, 0L) AS log_end_offset,
    coalesce(last(ends_at, true) OVER earlier, 0L) AS old_log_end_offset,
    last(watermark, true) OVER so_far AS high_watermark, last(watermark, true) OVER earlier AS old_high_watermark
  FROM told
  WINDOW so_far AS (PARTITION BY {REPLICA} ORDER BY incarnation, seq ROWS UNBOUNDED PRECEDING),
    earlier AS (PARTITION BY {REPLICA} ORDER BY incarnation, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
SELECT *, IF(high_watermark IS NULL, NULL, greatest(log_end_offset - high_watermark, 0L)) AS lag FROM filled"""
    return shown(LOG_POSITIONS_COLUMNS, question, events=events)
