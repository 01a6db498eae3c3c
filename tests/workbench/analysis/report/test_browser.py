"""The page in a real browser: it is drawn, says nothing on the console, and asks the network for nothing.

The screenshot stays in build/artefacts (or WORKBENCH_ARTEFACTS) to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.traces.made_report import made_run
from tests.workbench.analysis.report.test_classroom import CLASS
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import ClassRows, split

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium: apt install chromium"),
]
SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr"),
    "--window-size=1200,2600",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
OWN = re.compile(r"https?://[a-z0-9.-]*\.(?:google|googleapis|gvt1)\.com/")
"""The browser's own questions, whatever it shows; none of them gets an answer here."""
WHITE_BYTES = 30_000
"""A picture of an empty page is smaller."""


def _artefacts() -> Path:
    folder = Path(os.environ.get("WORKBENCH_ARTEFACTS") or Path(__file__).parents[4] / "build" / "artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _open(text: str, folder: Path, picture: Path) -> tuple[str, list[str]]:
    """What the browser says, and every address that it asked for because of the page."""
    path, net = folder / "report.html", folder / "net.json"
    path.write_text(text, "utf-8")
    words = [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={net}", f"--screenshot={picture}", path.as_uri()]
    assert BROWSER is not None
    done = subprocess.run([BROWSER, *SWITCHES, *words], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    told = net.read_text("utf-8", "replace")
    asked = re.findall(r'"url":"([^"]+)"', told)
    return done.stderr, [url for url in asked if not url.startswith(("file:", "data:")) and not OWN.match(url)]


def test_the_page_is_drawn_without_a_word_on_the_console_and_without_the_network(tmp_path: Path) -> None:
    picture = _artefacts() / "report.png"
    picture.unlink(missing_ok=True)
    text = page(split(made_run()), datetime(2026, 1, 1, tzinfo=UTC), ClassRows(CLASS, 4))
    said, asked = _open(text, tmp_path, picture)
    assert "CONSOLE" not in said, said
    assert asked == []
    assert picture.stat().st_size > WHITE_BYTES, "something is to be seen"


def test_a_page_that_did_ask_for_something_would_be_noticed(tmp_path: Path) -> None:
    """The policy of the page refuses it, and the browser says so: what the test above looks for can happen."""
    text = page(split(made_run()), datetime(2026, 1, 1, tzinfo=UTC))
    asking = text.replace("</main>", '<img src="http://127.0.0.1:9/x.png"></main>')
    said, _ = _open(asking, tmp_path, tmp_path / "x.png")
    assert "CONSOLE" in said and "Content Security Policy" in said
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", asking)
    _, asked = _open(free, tmp_path, tmp_path / "x.png")
    assert json.dumps("http://127.0.0.1:9/x.png")[1:-1] in asked
