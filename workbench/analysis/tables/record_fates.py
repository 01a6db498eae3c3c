"""What became of everything that was produced. One row is one produce operation, usually one record."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG, of
from workbench.analysis.tables.operations import OPERATION

RECORD_FATES_COLUMNS = (
    *LOG,
    "client_id",
    "operation_id",
    "value",
    "acks",
    "count",
    "attempts",
    "outcome",
    "base_offset",
    "digest",
    "invoked_ms",
    "answered_ms",
    "latency_ms",
    "visible_ms",
    "copies",
    "is_in_log",
    "fate",
)
_BATCH = [*LOG, "base_offset", "digest"]


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
    held = log_cells.where("removed_ms IS NULL").join(_last_leaders(isr_history), on=LOG, how="inner")
    held = held.where("node = _last_leader").select(*_BATCH, "leader_epoch")
    written = _written(operations, events, log_cells)
    present = written.join(held, on=[*_BATCH, "leader_epoch"], how="inner")
    copies = present.groupBy(*OPERATION).agg(F.countDistinct("base_offset").alias("_copies"))
    counted = operations.join(copies, on=OPERATION, how="left")
    seen_at = written.groupBy(*OPERATION).agg(F.min("committed_ms").alias("visible_ms"))
    seen = counted.join(seen_at, on=OPERATION, how="left")
    judged = seen.join(_last_leaders(isr_history), on=LOG, how="left")
    judged = judged.join(runs.select("run", "is_complete"), on="run", how="left")
    judged = judged.join(_log_starts(events, held, isr_history), on=LOG, how="left").withColumn("_gone", _is_deleted())
    left = F.when(F.col("_gone"), 0).otherwise(F.coalesce("_copies", F.lit(0)))
    judged = judged.withColumn("copies", left.cast("bigint"))
    judged = judged.withColumn("is_in_log", F.col("copies") > 0).withColumn("fate", _fate())
    return judged.select(*RECORD_FATES_COLUMNS)


def _fate() -> Column:
    there, answered = F.col("copies") > 0, F.col("outcome")
    in_log = F.when(F.col("copies") > 1, "duplicated").when(F.col("visible_ms").isNotNull(), "visible")
    return (
        F.when(~F.col("is_complete") | F.col("_last_leader").isNull(), "not evaluated")
        .when(answered == "refused", F.when(there, "written though refused").otherwise("refused"))
        .when(F.col("_gone"), "deleted")
        .when((answered == "acknowledged") & ~there, "lost")
        .when(there & (answered == "acknowledged"), in_log.otherwise("in the log"))
        .when(there & (F.col("copies") > 1), "duplicated")
        .otherwise("in doubt")
    )


def _log_starts(events: DataFrame, held: DataFrame, isr_history: DataFrame) -> DataFrame:
    """Where the log of the last leader begins (inclusive) when records were deleted, and the first it ever held."""
    told = of(events, "rep.log_start_advanced").join(_last_leaders(isr_history), on=LOG, how="inner")
    starts = told.where("node = _last_leader").groupBy(*LOG).agg(F.max("log_start_offset").alias("_log_start"))
    return starts.join(held.groupBy(*LOG).agg(F.min("base_offset").alias("_first_held")), on=LOG, how="left")


def _is_deleted() -> Column:
    """Below the log start, and it was there; or the leader began anew after it and never held what was there."""
    end = F.col("base_offset") + F.col("count")
    was_there = F.col("_copies").isNotNull() | F.coalesce(F.col("_first_held") >= end, F.lit(True))
    is_below = (F.col("base_offset") >= 0) & (end <= F.col("_log_start"))
    return F.coalesce((F.col("outcome") == "acknowledged") & is_below & was_there, F.lit(False))


def _written(operations: DataFrame, events: DataFrame, log_cells: DataFrame) -> DataFrame:
    """Which batches leaders wrote for which operation.

    An acknowledged batch is known by its offset and digest. The others are known by their cause, the client's event:
    with several requests in flight that may name a later one of the same client, so what is another's is left out.
    """
    batches = log_cells.where("role = 'leader'").select(
        *_BATCH, "leader_epoch", "cause_node", "cause_incarnation", "cause_seq", "committed_ms"
    )
    told = operations.where("outcome = 'acknowledged'").select(
        *OPERATION, "topic", "partition", "base_offset", "digest"
    )
    by_place = told.join(batches, on=_BATCH, how="inner")
    asked = of(events, "op.invoked", "op.retried").select(
        *OPERATION,
        F.col("node").alias("cause_node"),
        F.col("incarnation").alias("cause_incarnation"),
        F.col("seq").alias("cause_seq"),
    )
    caused = batches.join(asked, on=["run", "cause_node", "cause_incarnation", "cause_seq"], how="inner")
    owners = told.select(*_BATCH, F.col("client_id").alias("_owner"), F.col("operation_id").alias("_number"))
    foreign = (F.col("_owner") != F.col("client_id")) | (F.col("_number") != F.col("operation_id"))
    claimed = caused.join(owners, on=_BATCH, how="left").withColumn("_foreign", F.coalesce(foreign, F.lit(False)))
    wanted = operations.select(*OPERATION, F.col("digest").alias("_digest"))
    by_cause = claimed.join(wanted, on=OPERATION, how="inner")
    by_cause = by_cause.where("NOT _foreign AND (_digest IS NULL OR _digest = digest)")
    columns = [*OPERATION, "topic", "partition", "base_offset", "digest", "leader_epoch", "committed_ms"]
    return by_place.select(*columns).unionByName(by_cause.select(*columns)).dropDuplicates(columns)


def _last_leaders(isr_history: DataFrame) -> DataFrame:
    led = isr_history.where("leader >= 0").groupBy(*LOG)
    return led.agg(F.max_by("leader", "partition_epoch").alias("_last_leader"))
