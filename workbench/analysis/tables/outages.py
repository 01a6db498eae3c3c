"""When a log could not be used, and how much of its time it could."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, METADATA_TOPIC, picked, quoted, shown, union_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OUTAGES_COLUMNS = ("run", "topic", "partition", "kind", "leader", "from_ms", "until_ms", "duration_ms")
_SUMS = {
    "leaderless_ms": ("leaderless",),
    "leader_away_ms": ("leader down", "leader paused"),
    "under_min_isr_ms": ("under min.insync",),
    "no_write_ms": ("leaderless", "leader down", "leader paused"),
    "no_acks_all_ms": ("leaderless", "leader down", "leader paused", "under min.insync"),
}
"""Which kinds of outages each sum has. A leader that stutters serves in between, so it is in none."""
AVAILABILITY_COLUMNS = ("run", "topic", "partition", "observed_ms", *_SUMS, "write_share", "acks_all_share")
_DOWN = f"""
turns AS (
  SELECT run, node_id AS node, t_ms AS from_ms, event = 'proc.exited' AS is_exit,
    lead(t_ms) OVER (PARTITION BY run, node_id ORDER BY t_ms) AS until_ms
  FROM {picked("proc.exited", "proc.ready")}),
begun AS (
  SELECT run, fault_id, kind, t_ms AS from_ms, try_element_at(split(trim(arguments), '[ \\t]+'), 1) AS named
  FROM {picked("fault.applied")} WHERE kind IN ('Pause', 'Stutter', 'Freeze')),
over AS (SELECT run, fault_id, min(t_ms) AS until_ms FROM {picked("fault.reverted")} GROUP BY run, fault_id),
down AS (
  SELECT run, node, from_ms, until_ms, 'leader down' AS kind FROM turns WHERE is_exit
  UNION ALL
  SELECT run, node, from_ms, until_ms, IF(kind = 'Stutter', 'leader stuttering', 'leader paused')
  FROM begun LEFT JOIN over USING (run, fault_id)
    JOIN (SELECT DISTINCT run, node_id AS node FROM {picked("proc.started")}) USING (run)
  WHERE kind = 'Freeze' OR named = CAST(node AS string))"""
"""When the process of a node was gone (down), stopped (paused), or ran and stood still by turns (stuttering): no
event tells when exactly it did which. A Pause and a Stutter name their node first; a Freeze stops every node that was
started.
"""


def outages(events: DataFrame, leaderships: DataFrame, isr_history: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per window in which a log could not serve; windows of different kinds may overlap.

    kind: leaderless (no leader any more; what comes before a log's first leader is its making, not an outage), leader
    down and leader paused (it has a leader by its metadata, whose process is gone or stopped), leader stuttering (its
    process runs and stands still by turns), under min.insync (acks=all is refused). A leader that is cut off is no row
    here: whether it serves depends on who asks.
    """
    keys = f"{LOG}, kind, leader"
    question = f"""
WITH {_DOWN},
quorum AS (SELECT {LOG}, from_ms, until_ms FROM leaderships WHERE topic = '{METADATA_TOPIC}'),
held AS (
  SELECT *, lead(from_ms) OVER (PARTITION BY {LOG} ORDER BY from_ms) AS next_ms FROM {union_of("quorum", LOG)}),
every AS (
  SELECT held.run, topic, partition, 'leaderless' AS kind, CAST(NULL AS bigint) AS leader, until_ms AS from_ms,
    coalesce(next_ms, observed_ms) AS until_ms FROM held JOIN runs ON runs.run = held.run
  UNION ALL
  SELECT {LOG}, IF(leader < 0, 'leaderless', 'under min.insync'), NULL, from_ms, until_ms
  FROM isr_history WHERE leader < 0 OR under_min_isr
  UNION ALL
  SELECT office.run, topic, partition, kind, leader, greatest(office.from_ms, down.from_ms),
    least(office.until_ms, down.until_ms)
  FROM leaderships office JOIN down ON down.run = office.run AND down.node = office.leader),
timed AS (
  SELECT every.* EXCEPT (until_ms), least(until_ms, observed_ms) AS until_ms
  FROM every JOIN runs ON runs.run = every.run WHERE least(until_ms, observed_ms) > from_ms)
SELECT *, until_ms - from_ms AS duration_ms FROM {union_of("timed", keys)}"""
    return shown(OUTAGES_COLUMNS, question, events=events, leaderships=leaderships, isr_history=isr_history, runs=runs)


def availability(outages: DataFrame, leaderships: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per log: for how much of the time since its first leader it took writes, and acks=all writes.

    no_write_ms is the union of leaderless, down and paused; no_acks_all_ms adds the time under min.insync. A leader
    that stutters serves in between: its windows are in none of the sums. Shares are from 0 to 1. The quorum has no
    min.insync: both are the same there.
    """
    names = ", ".join(f"IF(kind IN ({quoted(kinds)}), '{name}', NULL)" for name, kinds in _SUMS.items())
    sums = ", ".join(f"sum(IF(name = '{name}', until_ms - from_ms, NULL)) AS {name}" for name in _SUMS)
    zero_or_sums = ", ".join(f"coalesce({name}, 0D) AS {name}" for name in _SUMS)
    question = f"""
WITH first AS (SELECT {LOG}, min(from_ms) AS first_ms FROM leaderships GROUP BY {LOG}),
counted AS (
  SELECT {LOG}, greatest(from_ms, first_ms) AS from_ms, until_ms, explode(array_compact(array({names}))) AS name
  FROM outages JOIN first USING ({LOG}) WHERE until_ms > first_ms),
summed AS (SELECT {LOG}, {sums} FROM {union_of("counted", f"{LOG}, name")} GROUP BY {LOG}),
told AS (
  SELECT first.run, first.topic, first.partition, observed_ms - first_ms AS observed_ms, {zero_or_sums}
  FROM first JOIN runs ON runs.run = first.run LEFT JOIN summed
    ON summed.run = first.run AND summed.topic = first.topic AND summed.partition = first.partition)
SELECT *, 1D - try_divide(no_write_ms, observed_ms) AS write_share,
  1D - try_divide(no_acks_all_ms, observed_ms) AS acks_all_share FROM told"""
    return shown(AVAILABILITY_COLUMNS, question, outages=outages, leaderships=leaderships, runs=runs)
