"""What became of all the records of a partition, added up."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import LOG

RECORD_TOTALS_COLUMNS = (
    *LOG,
    "produced",
    "acknowledged",
    "visible",
    "in_log_not_visible",
    "duplicated",
    "deleted",
    "lost",
    "refused",
    "written_though_refused",
    "in_doubt",
    "in_doubt_but_in_log",
    "not_evaluated",
)


def record_totals(record_fates: DataFrame) -> DataFrame:
    """One row per partition that a built-in client produced to; all but the first columns count records.

    produced is everything that was asked for: the sum of the fates, of which each record has one. acknowledged cuts
    across them. in_doubt_but_in_log is the part of in_doubt that the last leader holds. An operation whose answer never
    came counts as one record.
    """
    records = F.coalesce("count", F.lit(1))

    def sum_of(condition: Column) -> Column:
        return F.coalesce(F.sum(F.when(condition, records)), F.lit(0)).cast("bigint")

    fate = F.col("fate")
    return (
        record_fates.groupBy(*LOG)
        .agg(
            F.sum(records).cast("bigint").alias("produced"),
            sum_of(F.col("outcome") == "acknowledged").alias("acknowledged"),
            sum_of(fate == "visible").alias("visible"),
            sum_of(fate == "in the log").alias("in_log_not_visible"),
            sum_of(fate == "duplicated").alias("duplicated"),
            sum_of(fate == "deleted").alias("deleted"),
            sum_of(fate == "lost").alias("lost"),
            sum_of(fate == "refused").alias("refused"),
            sum_of(fate == "written though refused").alias("written_though_refused"),
            sum_of(fate == "in doubt").alias("in_doubt"),
            sum_of((fate == "in doubt") & F.col("is_in_log")).alias("in_doubt_but_in_log"),
            sum_of(fate == "not evaluated").alias("not_evaluated"),
        )
        .select(*RECORD_TOTALS_COLUMNS)
    )
