"""The numbers of a campaign for other programs: CSV, JSON and Parquet, one row for each cell and measure."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from workbench.analysis.campaign.differences import Difference
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import Summary
from workbench.support.safe_text import safe_text

NAME, DIFFERENCES = "cells", "differences"
_FORMULA = ("=", "+", "-", "@")


def rows_of(summary: Summary) -> list[dict[str, Any]]:
    """Plain rows; shares from 0 to 1, times in ms. low and high are null where one run gives no interval."""
    first, last = summary.seeds
    return [
        {
            "cell": item.cell.number,
            **{f"axis_{axis}": level for axis, level in item.cell.levels},
            "measure": item.measure.name,
            "kind": str(item.measure.kind),
            "unit": item.measure.unit,
            "runs": item.runs,
            "value": item.value,
            "low": item.low if item.has_interval else None,
            "high": item.high if item.has_interval else None,
            "least": item.least,
            "p25": item.p25,
            "median": item.median,
            "p75": item.p75,
            "p99": item.p99,
            "most": item.most,
            "happened": item.happened,
            "telling_seed": item.seed,
            "first_seed": first,
            "last_seed": last,
        }
        for item in summary.estimates
    ]


def difference_rows(changes: list[Difference]) -> list[dict[str, Any]]:
    """Plain rows of differences; shares in parts of one, times in ms."""
    return [
        {
            "cell": item.cell.number,
            **{f"axis_{axis}": level for axis, level in item.cell.levels},
            "measure": item.measure.name,
            **{name: getattr(item, name) for name in ("pairs", "value", "low", "high", "p", "corrected")},
        }
        for item in changes
    ]


def write_tables(store: CampaignStore, rows: list[dict[str, Any]], name: str = NAME) -> None:
    """NAME.csv, .json and .parquet; each replaces the one before."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    store.write(f"{name}.json", json.dumps(rows, indent=1) + "\n")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([_safe(value) for value in row.values()] for row in rows)
    store.write(f"{name}.csv", text.getvalue())
    temporary = store.folder / f".{name}.parquet"
    pq.write_table(pa.Table.from_pylist(rows), temporary)
    temporary.replace(store.folder / f"{name}.parquet")


def _safe(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets an apostrophe."""
    if not isinstance(value, str):
        return value
    text = safe_text(value, 1000)
    return f"'{text}" if text.startswith(_FORMULA) else text
