"""What clients asked to be written, and what they heard."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import of

OPERATION = ["run", "client_id", "operation_id"]
OPERATIONS_COLUMNS = (
    *OPERATION,
    "topic",
    "partition",
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
)


def operations(events: DataFrame) -> DataFrame:
    """One row per produce operation of a built-in client.

    outcome: acknowledged, refused (it certainly did nothing), unknown, or no answer. acks=0 is answered by nobody, so
    it is unknown. base_offset and digest are of what was acknowledged.
    """
    invoked = (
        of(events, "op.invoked")
        .where("function = 'produce'")
        .select(*OPERATION, "topic", "partition", "value", "acks", F.col("t_ms").alias("invoked_ms"))
    )
    name = F.col("event")
    answered = of(events, "op.succeeded", "op.failed", "op.unknown").where("function = 'produce'")
    heard = answered.select(
        *OPERATION,
        F.when(name == "op.succeeded", F.when(F.col("base_offset") >= 0, "acknowledged").otherwise("unknown"))
        .when(name == "op.failed", "refused")
        .otherwise("unknown")
        .alias("outcome"),
        F.when(F.col("base_offset") >= 0, F.col("base_offset")).alias("base_offset"),
        F.try_element_at("values", F.lit(1)).alias("digest"),
        "count",
        F.col("t_ms").alias("answered_ms"),
    )
    tries = of(events, "op.retried").groupBy(*OPERATION).agg(F.max("attempt").alias("_attempts"))
    joined = invoked.join(heard, on=OPERATION, how="left").join(tries, on=OPERATION, how="left")
    attempts = F.coalesce("_attempts", F.lit(1)).cast("bigint")
    outcome = F.coalesce("outcome", F.lit("no answer"))
    told = joined.withColumn("attempts", attempts).withColumn("outcome", outcome)
    return told.withColumn("latency_ms", F.col("answered_ms") - F.col("invoked_ms")).select(*OPERATIONS_COLUMNS)
