"""The program in a tab, built once for all tests, and what is needed to play it: Node.js, and real browsers."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from workbench.support.refusal import Refusal
from workbench.web.site import build_site, kept_folder, packages

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BROWSERS = {"chrome": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}


@cache
def tab_site() -> Path:
    """The folder of files; the test is skipped, with the reason, where it cannot be built."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node.js with npm: apt install nodejs npm")
    site = kept_folder() / "tested"
    try:
        build_site(site)
    except Refusal as refusal:
        pytest.skip(str(refusal))
    return site


def drive(browser: str, site: Path, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a real browser showed at each step; the test is skipped where there is none."""
    program = next(filter(None, map(shutil.which, BROWSERS[browser])), None)
    if program is None:
        pytest.skip(f"no {browser}: apt install {BROWSERS[browser][0]}")
    try:
        driver = packages(HERE / "browser", kept_folder())
    except Refusal as refusal:
        pytest.skip(str(refusal))
    done = subprocess.run(
        ["node", str(HERE / "drive.mjs"), str(driver), browser, program, str(site)],
        input="".join(f"{json.dumps(step)}\n" for step in steps), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for step, row in zip(steps, rows, strict=False):
        assert "error" not in row, f"{step}: {row['error']}\n" + "\n".join(row["rows"])
    assert len(rows) == len(steps), "each step was done"
    return rows
