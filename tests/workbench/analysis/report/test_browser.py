"""The page in a real browser: it is drawn, says nothing on the console, and asks the network for nothing.

Its pictures stay in build/artefacts (or WORKBENCH_ARTEFACTS) to be looked at: light, dark, and as a phone has it.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
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
CLICKING = """
HTMLAnchorElement.prototype.click = function () {
  const picture = new Image(), canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  picture.onload = () => {
    [canvas.width, canvas.height] = [picture.width, picture.height];
    pen.drawImage(picture, 0, 0);
    const bytes = pen.getImageData(0, 0, canvas.width, canvas.height).data;
    const inked = bytes.filter((byte, place) => place % 4 == 0 && byte < 128).length;
    console.log(`SAVED ${this.download} ${picture.width} ${bytes[0]} ${inked}`);
    document.body.prepend(picture);
  };
  picture.src = this.href;
};
document.querySelectorAll("button.png").forEach((button) => button.click());
"""
"""Clicks each button of a page, and says of each picture: its name, its width, its corner, how many pixels are dark."""
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


@pytest.mark.parametrize("is_dark", [False, True])
def test_each_figure_can_be_saved_as_a_picture_on_white(tmp_path: Path, is_dark: bool) -> None:
    text = page(split(made_run()), MADE)
    allowed = f"'sha256-{b64encode(sha256(CLICKING.encode()).digest()).decode()}'"
    clicked = text.replace("script-src ", f"script-src {allowed} ").replace(
        "</body>", f"<script>{CLICKING}</script></body>"
    )
    said = draw(clicked, tmp_path, artefacts() / "report-saved.png", is_dark=is_dark).said
    saved = re.findall(r"SAVED (\S+) (\d+) (\d+) (\d+)", said)
    assert len(saved) == text.count("<svg ") and saved[0][0] == "leaders-and-epochs.png", said
    for name, width, corner, inked in saved:
        assert (width, corner) == ("2000", "255") and int(inked) > 1000, name


def test_a_page_that_did_ask_for_something_would_be_noticed(tmp_path: Path) -> None:
    """The policy of the page refuses it, and the browser says so: what the test above looks for can happen."""
    text = page(split(made_run()), MADE)
    asking = text.replace("</main>", '<img src="http://127.0.0.1:9/x.png"></main>')
    said = draw(asking, tmp_path, tmp_path / "x.png").said
    assert "CONSOLE" in said and "Content Security Policy" in said
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", asking)
    assert json.dumps("http://127.0.0.1:9/x.png")[1:-1] in draw(free, tmp_path, tmp_path / "x.png").asked
