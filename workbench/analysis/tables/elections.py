"""Elections of the quorum: each epoch that was asked for, and each round of votes."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import METADATA_TOPIC, of

ELECTIONS_COLUMNS = (
    "run",
    "epoch",
    "outcome",
    "leader",
    "candidates",
    "started_ms",
    "elected_ms",
    "duration_ms",
    "leaderless_ms",
)
VOTE_ROUNDS_COLUMNS = (
    "run",
    "epoch",
    "candidate",
    "pre_vote",
    "outcome",
    "granted_count",
    "rejected_count",
    "needed",
    "started_ms",
    "ended_ms",
    "duration_ms",
)


def elections(events: DataFrame, leaderships: DataFrame) -> DataFrame:
    """One row per quorum epoch in which binding votes were asked for.

    outcome: won; split when several asked and none won; no majority when one asked in vain. duration_ms runs from the
    first request for binding votes. leaderless_ms is the time before the victory in which no node held the office, from
    the start of the run for the first; 0 when the old leader still held it; null when nobody won.
    """
    asked = of(events, "raft.election_started").where("NOT pre_vote")
    by_epoch = asked.groupBy("run", "epoch").agg(
        F.sort_array(F.collect_set("node")).alias("candidates"), F.min("t_ms").alias("started_ms")
    )
    won = (
        of(events, "raft.leader_elected")
        .groupBy("run", "epoch")
        .agg(F.min_by("node", "t_ns").alias("leader"), F.min("t_ms").alias("elected_ms"))
    )
    joined = by_epoch.join(won, on=["run", "epoch"], how="left")
    lost = F.when(F.size("candidates") > 1, "split").otherwise("no majority")
    told = joined.withColumn("outcome", F.when(F.col("leader").isNotNull(), "won").otherwise(lost))
    timed = told.withColumn("duration_ms", F.col("elected_ms") - F.col("started_ms"))
    return _with_leaderless(timed, leaderships).select(*ELECTIONS_COLUMNS)


def _with_leaderless(found: DataFrame, leaderships: DataFrame) -> DataFrame:
    earlier = leaderships.where(F.col("topic") == METADATA_TOPIC).select(
        "run", F.col("epoch").alias("_epoch"), F.col("until_ms").alias("_until")
    )
    joined = found.join(earlier, on="run", how="left")
    before = joined.withColumn("_before", F.when(F.col("_epoch") < F.col("epoch"), F.col("_until")))
    ended = before.groupBy(*found.columns).agg(F.coalesce(F.max("_before"), F.lit(0.0)).alias("_left"))
    vacant = F.greatest(F.col("elected_ms") - F.col("_left"), F.lit(0.0))
    return ended.withColumn("leaderless_ms", F.when(F.col("elected_ms").isNotNull(), vacant))


def vote_rounds(events: DataFrame, elections: DataFrame) -> DataFrame:
    """One row per round of one candidate, pre-votes too; a candidate's own vote counts.

    outcome: won; beaten when another won the epoch; split when nobody did and several asked; no majority else. A round
    ends when the candidate takes another role; it has no end when it asks again first, or when its process is gone.
    """
    names = ("raft.election_started", "raft.vote_received", "raft.leader_elected", "raft.role_changed")
    start = ["run", "node", "incarnation"]
    so_far = Window.partitionBy(*start).orderBy("seq").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begun = F.when(F.col("event") == "raft.election_started", F.struct("seq", "epoch", "pre_vote", "t_ms", "voters"))
    numbered = of(events, *names).withColumn("_round", F.last(begun, ignorenulls=True).over(so_far))
    mine = numbered.where("_round IS NOT NULL")
    counted = (F.col("event") == "raft.vote_received") & (F.col("epoch") == F.col("_round.epoch"))
    counted = counted & (F.col("pre_vote") == F.col("_round.pre_vote"))
    turned = F.when(F.col("event") == "raft.role_changed", F.struct("seq", "t_ms", "role"))
    rounds = mine.groupBy(*start, "_round").agg(
        F.coalesce(F.max(F.when(counted, F.col("granted_count"))), F.lit(1)).cast("bigint").alias("granted_count"),
        F.coalesce(F.max(F.when(counted, F.col("rejected_count"))), F.lit(0)).cast("bigint").alias("rejected_count"),
        F.min(turned).alias("_turn"),
        F.max(F.when(F.col("event") == "raft.leader_elected", F.col("epoch"))).alias("_won_epoch"),
    )
    epoch, pre_vote = F.col("_round.epoch"), F.col("_round.pre_vote")
    won = F.when(pre_vote, F.col("_turn.role") == "candidate").otherwise(F.col("_won_epoch") == epoch)
    shaped = rounds.select(
        "run",
        epoch.alias("epoch"),
        F.col("node").alias("candidate"),
        pre_vote.alias("pre_vote"),
        F.coalesce(won, F.lit(False)).alias("_won"),
        "granted_count",
        "rejected_count",
        (F.floor(F.size("_round.voters") / 2) + 1).alias("needed"),
        F.col("_round.t_ms").alias("started_ms"),
        F.col("_turn.t_ms").alias("ended_ms"),
    )
    return _with_outcome(shaped, elections).select(*VOTE_ROUNDS_COLUMNS)


def _with_outcome(rounds: DataFrame, elections: DataFrame) -> DataFrame:
    ended = elections.select("run", "epoch", F.col("outcome").alias("_of_epoch"))
    joined = rounds.join(ended, on=["run", "epoch"], how="left")
    in_vain = F.when(F.col("pre_vote"), "no majority").when(F.col("_of_epoch") == "won", "beaten")
    outcome = F.when(F.col("_won"), "won").otherwise(in_vain.otherwise(F.coalesce("_of_epoch", F.lit("no majority"))))
    return joined.withColumn("outcome", outcome).withColumn("duration_ms", F.col("ended_ms") - F.col("started_ms"))
