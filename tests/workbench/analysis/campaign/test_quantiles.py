"""How runs spread is drawn for each cell, where there are enough of them and the measure has a spread."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.traces.made_campaign import made, row
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.quantiles import quantiles
from workbench.analysis.campaign.summary import Summary, summarise


def _summary(folder: Path, runs: int) -> Summary:
    campaign = made(folder)
    rows = [
        row(str(cell.number), seed, silence_us=seed * 1000) for cell in campaign.cells for seed in range(1, runs + 1)
    ]
    return summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))


def test_each_cell_has_a_lane_from_its_smallest_run_to_its_99th_of_100(tmp_path: Path) -> None:
    summary = _summary(tmp_path, 100)
    picture = quantiles(summary, MEASURES["silence_ms"])
    told = (
        "least 1.00 ms, a quarter up to 25.0 ms, median 50.0 ms, three quarters up to 75.0 ms, 99 of 100 up to 99.0 ms"
    )
    assert len(re.findall(f"<title>[^<]*: {told}</title>", picture)) == len(summary.campaign.cells)
    assert picture.count("<figcaption>") == 1


def test_a_share_and_too_few_runs_have_no_spread(tmp_path: Path) -> None:
    assert quantiles(_summary(tmp_path, 100), MEASURES["loss_share"]) == ""
    assert quantiles(_summary(tmp_path, 4), MEASURES["silence_ms"]) == ""
