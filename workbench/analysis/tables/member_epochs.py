"""What each member of a consumer group had, epoch by epoch, and what its client did with it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import ends_of, of

MEMBER = ["run", "group", "member_id"]
MEMBER_EPOCHS_COLUMNS = (
    *MEMBER,
    "client_id",
    "software",
    "protocol",
    "epoch",
    "state",
    "assigned",
    "revoking",
    "from_ms",
    "until_ms",
    "duration_ms",
    "ended_by",
    "taken_ms",
    "polled_count",
    "committed_count",
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
    every = _classic(events).unionByName(_consumer(events))
    following = Window.partitionBy(*MEMBER).orderBy("t_ns")
    timed = every.withColumn("_next", F.lead("from_ms").over(following)).join(ends_of(runs), on="run", how="inner")
    left = of(events, "group.member_left").select(*MEMBER, F.col("t_ms").alias("_left"), F.col("why").alias("_why"))
    gone = timed.join(left, on=MEMBER, how="left").withColumn(
        "_gone", F.when(F.col("_left") >= F.col("from_ms"), F.struct("_left", "_why"))
    )
    own = [name for name in timed.columns if name not in MEMBER]
    first = gone.groupBy(*MEMBER, *own).agg(F.min("_gone").alias("_gone"))
    until = F.least("_next", "_gone._left", "end_ms")
    why = F.when(until == F.col("_next"), "a new assignment").when(until == F.col("_gone._left"), F.col("_gone._why"))
    ended = first.withColumn("until_ms", until).withColumn("ended_by", F.coalesce(why, F.lit("end of the run")))
    shown = ended.where("until_ms >= from_ms").withColumn("duration_ms", F.col("until_ms") - F.col("from_ms"))
    named = shown.join(_clients(events), on=MEMBER, how="left")
    return _with_doings(named, events).select(*MEMBER_EPOCHS_COLUMNS)


def _classic(events: DataFrame) -> DataFrame:
    """Each member of a generation, also one that was given nothing."""
    began = of(events, "group.generation_began").select(
        "run", "group", "generation", F.explode("members").alias("member_id")
    )
    assigned = of(events, "group.assigned").select("run", "group", "generation", "t_ns", "t_ms", "assignments")
    joined = assigned.join(began, on=["run", "group", "generation"], how="inner")
    mine = F.filter("assignments", lambda item: item["_1"] == F.col("member_id"))
    nothing = F.array().cast("array<string>")
    return joined.select(
        *MEMBER,
        F.lit("classic").alias("protocol"),
        F.col("generation").alias("epoch"),
        F.lit("").alias("state"),
        _names(mine, "_2", "_3").alias("assigned"),
        nothing.alias("revoking"),
        "t_ns",
        F.col("t_ms").alias("from_ms"),
    )


def _consumer(events: DataFrame) -> DataFrame:
    return of(events, "group.member_reconciled").select(
        *MEMBER,
        F.lit("consumer").alias("protocol"),
        F.col("member_epoch").alias("epoch"),
        "state",
        _names(F.col("assigned"), "_1", "_2").alias("assigned"),
        _names(F.col("revoking"), "_1", "_2").alias("revoking"),
        "t_ns",
        F.col("t_ms").alias("from_ms"),
    )


def _names(partitions: Column, topic: str, partition: str) -> Column:
    """topic-partition each, in order."""
    return F.transform(
        F.sort_array(
            F.transform(partitions, lambda item: F.struct(item[topic].alias("t"), item[partition].alias("p")))
        ),
        lambda item: F.concat_ws("-", item["t"], item["p"]),
    )


def _clients(events: DataFrame) -> DataFrame:
    """run, group, member_id, client_id, software."""
    joined = of(events, "group.member_joined").groupBy(*MEMBER).agg(F.max_by("client_id", "t_ns").alias("client_id"))
    told = of(events, "client.connected").where("software <> ''")
    software = told.groupBy("run", "client_id").agg(F.max_by("software", "t_ns").alias("software"))
    return joined.join(software, on=["run", "client_id"], how="left")


def _with_doings(shown: DataFrame, events: DataFrame) -> DataFrame:
    name = F.col("event")
    told = of(events, "consumer.assigned", "consumer.polled", "consumer.committed")
    has_taken = (name == "consumer.assigned") & (F.size("added") > 0)
    done = told.select(
        *MEMBER,
        F.col("t_ms").alias("_ms"),
        F.when(has_taken, F.col("t_ms")).alias("_taken"),
        F.when(name == "consumer.polled", F.col("count")).alias("_polled"),
        F.when((name == "consumer.committed") & (F.col("error") == 0), 1).alias("_committed"),
    )
    joined = shown.join(done, on=MEMBER, how="left")
    is_then = (F.col("_ms") >= F.col("from_ms")) & (F.col("_ms") < F.col("until_ms"))
    own = [item for item in shown.columns if item not in MEMBER]
    return joined.groupBy(*MEMBER, *own).agg(
        F.min(F.when(is_then, F.col("_taken"))).alias("taken_ms"),
        F.coalesce(F.sum(F.when(is_then, F.col("_polled"))), F.lit(0)).alias("polled_count"),
        F.count(F.when(is_then, F.col("_committed"))).alias("committed_count"),
    )
