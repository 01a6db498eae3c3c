"""What became of everything that was produced. One row is one produce operation, usually one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, picked, shown
from workbench.analysis.tables.operations import OPERATION, OPERATIONS_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RECORD_FATES_COLUMNS = (
    *("run", "topic", "partition"),
    *(name for name in OPERATIONS_COLUMNS if name not in ("run", "topic", "partition")),
    *("visible_ms", "copies", "is_in_log", "fate"),
)
_BATCH = f"{LOG}, base_offset, digest"
_WRITTEN = f"""
led AS (SELECT {LOG}, max_by(leader, partition_epoch) AS last_leader FROM isr_history WHERE leader >= 0 GROUP BY {LOG}),
batches AS (
  SELECT {_BATCH}, leader_epoch, cause_node, cause_incarnation, cause_seq, committed_ms
  FROM log_cells WHERE role = 'leader'),
told AS (SELECT {OPERATION}, {_BATCH} FROM (SELECT * FROM operations WHERE outcome = 'acknowledged')),
caused AS (
  SELECT batches.*, asked.client_id, asked.operation_id
  FROM batches JOIN {picked("op.invoked", "op.retried")} asked ON asked.run = batches.run
    AND asked.node = batches.cause_node AND asked.incarnation = batches.cause_incarnation
    AND asked.seq = batches.cause_seq),
claimed AS (
  SELECT caused.* FROM caused
    LEFT JOIN told ON told.run = caused.run AND told.topic = caused.topic AND told.partition = caused.partition
      AND told.base_offset = caused.base_offset AND told.digest = caused.digest
    JOIN operations wanted ON wanted.run = caused.run AND wanted.client_id = caused.client_id
      AND wanted.operation_id = caused.operation_id
  WHERE (told.run IS NULL OR (told.client_id = caused.client_id AND told.operation_id = caused.operation_id))
    AND (wanted.digest IS NULL OR wanted.digest = caused.digest)),
written AS (
  SELECT {OPERATION}, {_BATCH}, leader_epoch, committed_ms FROM (
    SELECT {OPERATION}, {_BATCH}, leader_epoch, committed_ms FROM told JOIN batches USING ({_BATCH})
    UNION ALL SELECT {OPERATION}, {_BATCH}, leader_epoch, committed_ms FROM claimed) GROUP BY ALL)"""
"""Which batches leaders wrote for which operation.

An acknowledged batch is known by its offset and digest. The others are known by their cause, the client's event: with
several requests in flight that may name a later one of the same client, so what is another's is left out.
"""
_JUDGED = f"""
held AS (
  SELECT log_cells.* FROM log_cells JOIN led ON led.run = log_cells.run AND led.topic = log_cells.topic
    AND led.partition = log_cells.partition AND node = last_leader WHERE removed_ms IS NULL),
starts AS (
  SELECT began.run, began.topic, began.partition, max(log_start_offset) AS log_start
  FROM {picked("rep.log_start_advanced")} began JOIN led ON led.run = began.run AND led.topic = began.topic
    AND led.partition = began.partition AND node = last_leader GROUP BY ALL),
firsts AS (SELECT {LOG}, min(base_offset) AS first_held FROM held GROUP BY {LOG}),
copied AS (
  SELECT {OPERATION}, min(written.committed_ms) AS visible_ms,
    count(DISTINCT IF(held.run IS NULL, NULL, written.base_offset)) AS copies
  FROM written LEFT JOIN held USING ({_BATCH}, leader_epoch) GROUP BY {OPERATION}),
judged AS (
  SELECT *, coalesce(outcome = 'acknowledged' AND base_offset >= 0 AND base_offset + count <= log_start
      AND (copies > 0 OR coalesce(first_held >= base_offset + count, true)), false) AS is_gone
  FROM operations LEFT JOIN copied USING ({OPERATION}) LEFT JOIN led USING ({LOG})
    LEFT JOIN (SELECT run, is_complete FROM runs) USING (run)
    LEFT JOIN starts USING ({LOG}) LEFT JOIN firsts USING ({LOG})),
counted AS (SELECT * EXCEPT (copies), IF(is_gone, 0L, coalesce(copies, 0L)) AS copies FROM judged)"""
"""Deleted is what lies below the log start of the last leader and was there, or what a leader that began anew after it
never held."""


def record_fates(
    operations: DataFrame, events: DataFrame, log_cells: DataFrame, isr_history: DataFrame, runs: DataFrame
) -> DataFrame:
    """One row per produce operation of a built-in client, judged by the log of the partition's last leader.

    fate: visible (in the log, and below a high watermark); in the log (not yet visible); duplicated (more than once);
    deleted (acknowledged, and the log begins after it now); lost (acknowledged and not there); refused; written though
    refused; in doubt (nobody was told, see is_in_log); not evaluated (a trace of the run cannot be read whole, or the
    partition never had a leader).
    visible_ms: when a leader that held it first announced a high watermark past it.
    copies: batches of it in the last leader's log.
    """
    question = f"""
WITH {_WRITTEN}, {_JUDGED}
SELECT *, copies > 0 AS is_in_log,
  CASE WHEN NOT is_complete OR last_leader IS NULL THEN 'not evaluated'
    WHEN outcome = 'refused' THEN IF(copies > 0, 'written though refused', 'refused')
    WHEN is_gone THEN 'deleted'
    WHEN outcome = 'acknowledged' AND copies = 0 THEN 'lost'
    WHEN copies > 1 THEN 'duplicated'
    WHEN outcome = 'acknowledged' THEN IF(visible_ms IS NULL, 'in the log', 'visible')
    ELSE 'in doubt' END AS fate
FROM counted"""
    tables = {"log_cells": log_cells, "isr_history": isr_history, "runs": runs}
    return shown(RECORD_FATES_COLUMNS, question, operations=operations, events=events, **tables)
