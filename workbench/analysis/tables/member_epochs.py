"""What each member of a consumer group had, epoch by epoch, and what its client did with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MEMBER = "run, `group`, member_id"
MEMBER_EPOCHS_COLUMNS = (
    *("run", "group", "member_id", "client_id", "software", "protocol", "epoch", "state", "assigned", "revoking"),
    *("from_ms", "until_ms", "duration_ms", "ended_by", "taken_ms", "polled_count", "committed_count"),
)


def member_epochs(events: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per member and assignment that its coordinator committed for it; times are ms of the run.

    protocol: classic, where epoch is the generation and state is empty, or consumer, where a member comes to its target
    in several steps: epoch is its member epoch, state says what it waits for, revoking what it still has to give up.
    assigned and revoking are topic-partition. ended_by: a new assignment, why the member left, or the end of the run.

    What its client did meanwhile is told of built-in clients only: taken_ms is when it was first told of partitions of
    its own, polled_count how many records it polled, committed_count how many commits succeeded. software is empty for
    clients that do not say what they are.
    """
    question = f"""
WITH classic AS (
  SELECT run, `group`, generation, t_ns, t_ms, assignments, member_id
  FROM (SELECT run, `group`, generation, explode(members) AS member_id FROM {picked("group.generation_began")})
    JOIN {picked("group.assigned")} USING (run, `group`, generation)),
every AS (
  SELECT {MEMBER}, 'classic' AS protocol, generation AS epoch, '' AS state,
    {_names("filter(assignments, a -> a._1 = member_id)", "_2", "_3")} AS assigned,
    CAST(array() AS array<string>) AS revoking, t_ns, t_ms AS from_ms FROM classic
  UNION ALL
  SELECT {MEMBER}, 'consumer', member_epoch, state, {_names("assigned", "_1", "_2")}, {_names("revoking", "_1", "_2")},
    t_ns, t_ms FROM {picked("group.member_reconciled")}),
timed AS (
  SELECT every.*, observed_ms AS end_ms,
    lead(from_ms) OVER (PARTITION BY every.run, `group`, member_id ORDER BY t_ns) AS next_ms
  FROM every JOIN runs ON runs.run = every.run),
gone AS (
  SELECT timed.*, min(IF(away.t_ms IS NULL, NULL, struct(away.t_ms, away.why))) AS away
  FROM timed LEFT JOIN {picked("group.member_left")} away ON away.run = timed.run AND away.`group` = timed.`group`
    AND away.member_id = timed.member_id AND away.t_ms >= timed.from_ms
  GROUP BY ALL),
ended AS (SELECT *, least(next_ms, away.t_ms, end_ms) AS until_ms FROM gone),
named AS (
  SELECT {MEMBER}, max_by(client_id, t_ns) AS client_id FROM {picked("group.member_joined")} GROUP BY {MEMBER}),
software AS (
  SELECT run, client_id, max_by(software, t_ns) AS software FROM {picked("client.connected")} WHERE software <> ''
  GROUP BY run, client_id),
did AS (
  SELECT {MEMBER}, t_ms, IF(event = 'consumer.assigned' AND size(added) > 0, t_ms, NULL) AS taken,
    IF(event = 'consumer.polled', count, NULL) AS polled, event = 'consumer.committed' AND error = 0 AS has_committed
  FROM {picked("consumer.assigned", "consumer.polled", "consumer.committed")}),
done AS (
  SELECT ended.*, min(taken) AS taken_ms, coalesce(sum(polled), 0L) AS polled_count,
    count_if(has_committed) AS committed_count
  FROM ended LEFT JOIN did ON did.run = ended.run AND did.`group` = ended.`group` AND did.member_id = ended.member_id
    AND did.t_ms >= from_ms AND did.t_ms < until_ms
  WHERE until_ms >= from_ms GROUP BY ALL)
SELECT *, until_ms - from_ms AS duration_ms, CASE WHEN until_ms = next_ms THEN 'a new assignment'
  WHEN until_ms = away.t_ms THEN away.why ELSE 'end of the run' END AS ended_by
FROM done LEFT JOIN named USING (run, `group`, member_id) LEFT JOIN software USING (run, client_id)"""
    return shown(MEMBER_EPOCHS_COLUMNS, question, events=events, runs=runs)


def _names(partitions: str, topic: str, partition: str) -> str:
    """SQL for topic-partition each, in order."""
    pairs = f"sort_array(transform({partitions}, p -> struct(p.{topic} AS t, p.{partition} AS n)))"
    return f"transform({pairs}, p -> concat_ws('-', p.t, p.n))"
