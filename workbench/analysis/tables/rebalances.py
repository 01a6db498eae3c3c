"""When a consumer group was between two assignments, how long, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import MOMENT, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

REBALANCES_COLUMNS = (
    *("run", "group", "generation", "from_ms", "until_ms", "duration_ms", "ended_as", "members", "moved_count", "why"),
)
AT_REST = ("Stable", "Empty", "Dead")
"""States of a group, of either protocol, in which nothing is being handed over."""


def rebalances(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per time that a group left rest, until it was at rest again; times are ms of the run.

    ended_as: the state it came to; "begun again" when another rebalance began before (its coordinator was lost), "end
    of the run" when none came. generation (a group epoch in the newer protocol) and members (their ids) are those of
    the end; moved_count is how many partitions had another owner in that generation than in the one before: in the
    last assignment of each, when it was made again. why is what the coordinator gave for the begin.
    """
    question = f"""
WITH turns AS (
  SELECT *, {MOMENT} AS moment, before IN {AT_REST} AS is_begin FROM {picked("group.state_changed")}
  WHERE (before IN {AT_REST}) <> (state IN {AT_REST})),
paired AS (
  SELECT *, lead(struct(t_ms, is_begin, state, generation, members))
    OVER (PARTITION BY run, `group` ORDER BY moment) AS ended FROM turns),
begun AS (
  SELECT paired.run, `group`, t_ms AS from_ms, least(ended.t_ms, observed_ms) AS until_ms, why,
    IF(ended.is_begin, NULL, ended.generation) AS generation,
    IF(ended.is_begin, NULL, sort_array(ended.members)) AS members,
    CASE WHEN ended IS NULL THEN 'end of the run' WHEN ended.is_begin THEN 'begun again'
      ELSE ended.state END AS ended_as
  FROM paired JOIN runs ON runs.run = paired.run WHERE is_begin AND t_ms < observed_ms),
made AS (
  SELECT run, `group`, coalesce(generation, group_epoch) AS generation, max_by(assignments, {MOMENT}) AS given,
    max({MOMENT}) AS moment
  FROM {picked("group.assigned", "group.target_assigned")} GROUP BY run, `group`, coalesce(generation, group_epoch)),
moved AS (
  SELECT run, `group`, generation, CAST(size(array_except(given, coalesce(lag(given)
    OVER (PARTITION BY run, `group` ORDER BY moment),
    CAST(array() AS array<struct<_1: string, _2: string, _3: bigint>>)))) AS bigint) AS moved_count
  FROM made)
SELECT *, until_ms - from_ms AS duration_ms FROM begun LEFT JOIN moved USING (run, `group`, generation)"""
    return shown(REBALANCES_COLUMNS, question, events=events, runs=runs)
