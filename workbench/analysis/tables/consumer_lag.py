"""How far each consumer group is behind the end of what it can read, at each change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, MOMENT, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CONSUMER_LAG_COLUMNS = (
    *("run", "group", "topic", "partition", "t_ms", "what", "committed_offset", "read_offset", "high_watermark"),
    *("lag", "unread"),
)
READ = f"run, `group`, topic, partition, {MOMENT} AS moment, t_ms"


def consumer_lag(events: DataFrame) -> DataFrame:
    """One row per change of what a group committed or read of a partition, or of the end of what can be read there.

    what: committed, forgotten, read, or high watermark, which counts as its partition's leader announced it. All
    offsets are of the next record. lag counts records below the high watermark that the group has not committed, unread
    those that its members have not read; both are null while one of the two offsets is unknown. What is read is told of
    built-in members only. A group has rows for each partition that it ever committed or read.
    """
    question = f"""
WITH own AS (
  SELECT {READ}, 'read' AS what, coalesce(base_offset + count, `offset`) AS value
  FROM {picked("consumer.polled", "consumer.positioned")}
  UNION ALL
  SELECT run, `group`, part._1, part._2, moment, t_ms, 'committed', part._3
  FROM (SELECT *, {MOMENT} AS moment, explode(offsets) AS part FROM {picked("group.offsets_committed")})
  UNION ALL
  SELECT run, `group`, part._1, part._2, moment, t_ms, 'forgotten', CAST(NULL AS bigint)
  FROM (SELECT *, {MOMENT} AS moment, explode(partitions) AS part FROM {picked("group.offsets_forgotten")})),
marks AS (
  SELECT {LOG}, {MOMENT} AS moment, t_ms, high_watermark
  FROM {picked("rep.high_watermark_advanced")} WHERE role = 'leader'),
every AS (
  SELECT * FROM own
  UNION ALL
  SELECT run, `group`, topic, partition, moment, t_ms, 'high watermark', high_watermark
  FROM (SELECT DISTINCT run, `group`, topic, partition FROM own) JOIN marks USING ({LOG})),
filled AS (
  SELECT *, last(IF(what IN ('committed', 'forgotten'), struct(value), NULL), true) OVER so_far AS committed,
    last(IF(what = 'read', value, NULL), true) OVER so_far AS read_offset,
    last(IF(what = 'high watermark', value, NULL), true) OVER so_far AS high_watermark
  FROM every
  WINDOW so_far AS (PARTITION BY run, `group`, topic, partition ORDER BY moment, what ROWS UNBOUNDED PRECEDING))
SELECT *, committed.value AS committed_offset,
  IF(committed.value + high_watermark IS NULL, NULL, greatest(high_watermark - committed.value, 0L)) AS lag,
  IF(read_offset + high_watermark IS NULL, NULL, greatest(high_watermark - read_offset, 0L)) AS unread
FROM filled"""
    return shown(CONSUMER_LAG_COLUMNS, question, events=events)
