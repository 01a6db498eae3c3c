"""The page in a real browser: it is drawn, and nothing of it is refused or asked for from outside."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.browser import BROWSER, MISSING, artefacts, draw
from tests.support.traces.made_campaign import made, row
from tests.workbench.analysis.report.test_browser import VIEWS, WHITE_BYTES
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.page import page
from workbench.analysis.campaign.summary import summarise

pytestmark = [pytest.mark.spark, pytest.mark.skipif(BROWSER is None, reason=MISSING)]


@pytest.mark.parametrize("view", VIEWS)
def test_a_browser_draws_the_page_and_complains_of_nothing(tmp_path: Path, view: str) -> None:
    campaign = made(tmp_path)
    rows = [row(str(cell.number), seed, lost=seed % cell.number) for cell in campaign.cells for seed in range(1, 9)]
    summary = summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))
    picture, (width, is_dark) = artefacts() / f"campaign-{view}.png", VIEWS[view]
    picture.unlink(missing_ok=True)
    seen = draw(page(summary, {}, [], datetime.now(UTC)), tmp_path, picture, width=width, is_dark=is_dark)
    assert "CONSOLE" not in seen.said, "a browser writes there what a policy refuses and what cannot be loaded"
    assert seen.asked == [] and picture.stat().st_size > WHITE_BYTES
