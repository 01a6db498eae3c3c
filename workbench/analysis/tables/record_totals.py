"""What became of all the records of a partition, added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import LOG, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUMS = {
    "produced": "true",
    "acknowledged": "outcome = 'acknowledged'",
    "visible": "fate = 'visible'",
    "in_log_not_visible": "fate = 'in the log'",
    "duplicated": "fate = 'duplicated'",
    "deleted": "fate = 'deleted'",
    "lost": "fate = 'lost'",
    "refused": "fate = 'refused'",
    "written_though_refused": "fate = 'written though refused'",
    "in_doubt": "fate = 'in doubt'",
    "in_doubt_but_in_log": "fate = 'in doubt' AND is_in_log",
    "not_evaluated": "fate = 'not evaluated'",
}
"""Column to which operations' records it counts."""
RECORD_TOTALS_COLUMNS = ("run", "topic", "partition", *_SUMS)


def record_totals(record_fates: DataFrame) -> DataFrame:
    """One row per partition that a built-in client produced to; all but the first columns count records.

    produced is everything that was asked for: the sum of the fates, of which each record has one. acknowledged cuts
    across them. in_doubt_but_in_log is the part of in_doubt that the last leader holds. An operation whose answer never
    came counts as one record.
    """
    sums = ", ".join(f"sum(IF({which}, coalesce(count, 1L), 0L)) AS {name}" for name, which in _SUMS.items())
    question = f"SELECT {LOG}, {sums} FROM record_fates GROUP BY {LOG}"
    return shown(RECORD_TOTALS_COLUMNS, question, record_fates=record_fates)
