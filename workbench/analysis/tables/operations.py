"""Every produce operation of the built-in clients, as its client saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OPERATION = "run, client_id, operation_id"
OPERATIONS_COLUMNS = (
    *("run", "client_id", "operation_id", "topic", "partition", "value", "acks", "count", "attempts", "outcome"),
    *("base_offset", "digest", "invoked_ms", "answered_ms", "latency_ms"),
)


def operations(events: DataFrame) -> DataFrame:
    """One row per produce operation of a built-in client.

    outcome: acknowledged, refused (it certainly did nothing), unknown, or no answer. acks=0 is answered by nobody, so
    it is unknown. base_offset and digest are of what was acknowledged.
    """
    question = f"""
WITH invoked AS (
  SELECT {OPERATION}, topic, partition, value, acks, t_ms AS invoked_ms
  FROM {picked("op.invoked")} WHERE function = 'produce'),
heard AS (
  SELECT {OPERATION}, count, t_ms AS answered_ms, IF(base_offset >= 0, base_offset, NULL) AS base_offset,
    try_element_at(`values`, 1) AS digest,
    CASE WHEN event = 'op.succeeded' AND base_offset >= 0 THEN 'acknowledged'
      WHEN event = 'op.failed' THEN 'refused' ELSE 'unknown' END AS outcome
  FROM {picked("op.succeeded", "op.failed", "op.unknown")} WHERE function = 'produce'),
tried AS (SELECT {OPERATION}, max(attempt) AS attempts FROM {picked("op.retried")} GROUP BY {OPERATION})
SELECT * EXCEPT (attempts, outcome), coalesce(attempts, 1L) AS attempts, coalesce(outcome, 'no answer') AS outcome,
  answered_ms - invoked_ms AS latency_ms
FROM invoked LEFT JOIN heard USING ({OPERATION}) LEFT JOIN tried USING ({OPERATION})"""
    return shown(OPERATIONS_COLUMNS, question, events=events)
