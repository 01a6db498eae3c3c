"""The numbers of a campaign for other programs: CSV, JSON and Parquet, one row for each cell and measure."""

from __future__ import annotations

import io
import json
from typing import Any

from workbench.analysis.campaign.differences import Difference
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import Summary
from workbench.analysis.report.export import write_csv_rows, write_parquet
from workbench.support.state_files import write_whole

NAME, DIFFERENCES = "cells", "differences"


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

    write_whole(store.folder / f"{name}.json", json.dumps(rows, indent=1) + "\n")
    text = io.StringIO()
    write_csv_rows(rows, text)
    write_whole(store.folder / f"{name}.csv", text.getvalue())
    write_parquet(store.folder / f"{name}.parquet", pa.Table.from_pylist(rows))
