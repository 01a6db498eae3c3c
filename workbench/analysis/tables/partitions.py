"""Each partition as it stands at the end of what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS_COLUMNS = (
    *("run", "topic", "partition", "leader", "leader_epoch", "partition_epoch", "isr", "under_min_isr"),
    *("high_watermark", "epochs_with_two_leaders", "epochs_with_two_states"),
)
PARTITION_EVENTS = ("meta.partition_applied", "part.became_leader", "rep.high_watermark_advanced")
"""All that it is made of."""


def partitions(events: DataFrame) -> DataFrame:
    """One row per partition: its newest committed state, and the high watermark that a leader announced last.

    leader is -1 while nobody leads. The last two columns count what must never be: leader epochs in which two nodes
    became leader, and partition epochs under which brokers applied different states. `analyse --follow` tells the same
    row of each partition while a run goes on.
    """
    question = f"""
WITH told AS (
  SELECT {LOG}, event, node, leader_epoch, IF(event = 'meta.partition_applied', partition_epoch, NULL) AS applied_epoch,
    struct(partition_epoch, leader_epoch, leader, isr, min_insync_replicas) AS state,
    IF(role = 'leader', struct(leader_epoch, high_watermark), NULL) AS mark
  FROM {picked(*PARTITION_EVENTS)}
  WHERE event <> 'rep.high_watermark_advanced' OR role = 'leader'),
epochs AS (
  SELECT {LOG}, max(IF(event = 'meta.partition_applied', state, NULL)) AS newest,
    max(IF(event = 'rep.high_watermark_advanced', mark, NULL)) AS mark,
    size(collect_set(IF(event = 'part.became_leader', node, NULL))) > 1 AS has_two_leaders,
    size(collect_set(IF(event = 'meta.partition_applied', struct(leader_epoch, state.leader, state.isr), NULL))) > 1
      AS has_two_states
  FROM told GROUP BY {LOG}, event, IF(event = 'part.became_leader', leader_epoch, applied_epoch)),
stands AS (
  SELECT {LOG}, max(newest) AS newest, max(mark).high_watermark AS high_watermark,
    count_if(has_two_leaders) AS epochs_with_two_leaders, count_if(has_two_states) AS epochs_with_two_states
  FROM epochs GROUP BY {LOG})
SELECT *, newest.*, IF(newest.isr IS NULL, NULL, size(newest.isr) < newest.min_insync_replicas) AS under_min_isr
FROM stands"""
    return shown(PARTITIONS_COLUMNS, question, events=events)
