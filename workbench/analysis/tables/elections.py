"""Elections of the quorum: each epoch that was asked for, and each round of votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import METADATA_TOPIC, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ELECTIONS_COLUMNS = (
    *("run", "epoch", "outcome", "leader", "candidates", "started_ms", "elected_ms", "duration_ms", "leaderless_ms"),
)
VOTE_ROUNDS_COLUMNS = (
    *("run", "epoch", "candidate", "pre_vote", "outcome", "granted_count", "rejected_count", "needed"),
    *("started_ms", "ended_ms", "duration_ms"),
)


def elections(events: DataFrame, leaderships: DataFrame) -> DataFrame:
    """One row per quorum epoch in which binding votes were asked for.

    outcome: won; split when several asked and none won; no majority when one asked in vain. duration_ms runs from the
    first request for binding votes. leaderless_ms is the time before the victory in which no node held the office, from
    the start of the run for the first; 0 when the old leader still held it; null when nobody won.
    """
    question = f"""
WITH asked AS (
  SELECT run, epoch, sort_array(collect_set(node)) AS candidates, min(t_ms) AS started_ms
  FROM {picked("raft.election_started")} WHERE NOT pre_vote GROUP BY run, epoch),
won AS (
  SELECT run, epoch, min_by(node, t_ns) AS leader, min(t_ms) AS elected_ms
  FROM {picked("raft.leader_elected")} GROUP BY run, epoch),
office AS (
  SELECT asked.run, asked.epoch, max(until_ms) AS left_ms FROM asked JOIN leaderships held
  ON held.run = asked.run AND held.epoch < asked.epoch AND held.topic = '{METADATA_TOPIC}'
  GROUP BY asked.run, asked.epoch)
SELECT *, elected_ms - started_ms AS duration_ms,
  CASE WHEN leader IS NOT NULL THEN 'won' WHEN size(candidates) > 1 THEN 'split' ELSE 'no majority' END AS outcome,
  IF(elected_ms IS NULL, NULL, greatest(elected_ms - coalesce(left_ms, 0D), 0D)) AS leaderless_ms
FROM asked LEFT JOIN won USING (run, epoch) LEFT JOIN office USING (run, epoch)"""
    return shown(ELECTIONS_COLUMNS, question, events=events, leaderships=leaderships)


def vote_rounds(events: DataFrame, elections: DataFrame) -> DataFrame:
    """One row per round of one candidate, pre-votes too; a candidate's own vote counts.

    outcome: won; beaten when another won the epoch; split when nobody did and several asked; no majority else. A round
    ends when the candidate takes another role; it has no end when it asks again first, or when its process is gone.
    """
    events_picked = picked("raft.election_started", "raft.vote_received", "raft.leader_elected", "raft.role_changed")
    question = f"""
WITH numbered AS (
  SELECT *, last(IF(event = 'raft.election_started', struct(seq, epoch, pre_vote, t_ms, voters), NULL), true)
    OVER (PARTITION BY run, node, incarnation ORDER BY seq ROWS UNBOUNDED PRECEDING) AS round
  FROM {events_picked}),
counted AS (
  SELECT *, event = 'raft.vote_received' AND epoch = round.epoch AND pre_vote = round.pre_vote AS is_counted
  FROM numbered WHERE round IS NOT NULL),
rounds AS (
  SELECT run, node, incarnation, round,
    coalesce(max(IF(is_counted, granted_count, NULL)), 1L) AS granted_count,
    coalesce(max(IF(is_counted, rejected_count, NULL)), 0L) AS rejected_count,
    min(IF(event = 'raft.role_changed', struct(seq, t_ms, role), NULL)) AS turn,
    max(IF(event = 'raft.leader_elected', epoch, NULL)) AS won_epoch
  FROM counted GROUP BY run, node, incarnation, round),
ended AS (
  SELECT run, round.epoch AS epoch, node AS candidate, round.pre_vote AS pre_vote, granted_count, rejected_count,
    coalesce(IF(round.pre_vote, turn.role = 'candidate', won_epoch = round.epoch), false) AS has_won,
    floor(size(round.voters) / 2) + 1 AS needed, round.t_ms AS started_ms, turn.t_ms AS ended_ms
  FROM rounds)
SELECT ended.*, ended_ms - ended.started_ms AS duration_ms,
  CASE WHEN has_won THEN 'won' WHEN pre_vote THEN 'no majority' WHEN of_epoch.outcome = 'won' THEN 'beaten'
    ELSE coalesce(of_epoch.outcome, 'no majority') END AS outcome
FROM ended LEFT JOIN elections of_epoch ON of_epoch.run = ended.run AND of_epoch.epoch = ended.epoch"""
    return shown(VOTE_ROUNDS_COLUMNS, question, events=events, elections=elections)
