"""The page in a real browser: it is drawn, and nothing of it is refused or asked for from outside."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.traces.made_campaign import made, row
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.page import page
from workbench.analysis.campaign.summary import summarise

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
BLANK_BYTES = 20_000
"""A picture of this size without anything on it has less."""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_a_browser_draws_the_page_and_complains_of_nothing(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rows = [row(str(cell.number), seed, lost=seed % cell.number) for cell in campaign.cells for seed in range(1, 9)]
    summary = summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))
    written, picture = tmp_path / "report.html", tmp_path / "report.png"
    written.write_text(page(summary, {}, [], datetime.now(UTC)), "utf-8")
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,2400",
        "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={picture}",
        written.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert told == [], "a browser writes there what a policy refuses and what cannot be loaded"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > BLANK_BYTES
