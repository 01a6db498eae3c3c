"""The page in a real browser: it is drawn, says nothing on the console, and asks the network for nothing.

Its pictures stay in build/artefacts (or WORKBENCH_ARTEFACTS) to be looked at: light, dark, and as a phone has it.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.browser import BROWSER, MISSING, PHONE, artefacts, draw
from tests.support.traces.made_report import made_run
from tests.workbench.analysis.report.test_classroom import CLASS
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import ClassRows, split

pytestmark = [pytest.mark.spark, pytest.mark.skipif(BROWSER is None, reason=MISSING)]
MADE = datetime(2026, 1, 1, tzinfo=UTC)
WHITE_BYTES = 30_000
"""A picture of an empty page is smaller."""
VIEWS = {"light": (1200, False), "dark": (1200, True), "phone": (PHONE, False)}


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_is_drawn_without_a_word_on_the_console_and_without_the_network(tmp_path: Path, view: str) -> None:
    picture, (width, is_dark) = artefacts() / f"report-{view}.png", VIEWS[view]
    picture.unlink(missing_ok=True)
    text = page(split(made_run()), MADE, ClassRows(CLASS, 4))
    seen = draw(text, tmp_path, picture, width=width, is_dark=is_dark)
    assert "CONSOLE" not in seen.said, seen.said
    assert seen.asked == []
    assert picture.stat().st_size > WHITE_BYTES, "something is to be seen"


def test_a_page_that_did_ask_for_something_would_be_noticed(tmp_path: Path) -> None:
    """The policy of the page refuses it, and the browser says so: what the test above looks for can happen."""
    text = page(split(made_run()), MADE)
    asking = text.replace("</main>", '<img src="http://127.0.0.1:9/x.png"></main>')
    said = draw(asking, tmp_path, tmp_path / "x.png").said
    assert "CONSOLE" in said and "Content Security Policy" in said
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", asking)
    assert json.dumps("http://127.0.0.1:9/x.png")[1:-1] in draw(free, tmp_path, tmp_path / "x.png").asked
