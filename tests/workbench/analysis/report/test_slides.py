"""Figures as files of their own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from tests.support.traces.made_report import made_run
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import split
from workbench.analysis.report.slides import write_figures


def test_each_figure_of_a_page_is_a_picture_that_needs_nothing_else(tmp_path: Path) -> None:
    report = tmp_path / "run-a.html"
    report.write_text(page(split(made_run()), datetime(2026, 1, 1, tzinfo=UTC)), "utf-8")
    (tmp_path / "run-a-figures").mkdir()
    (tmp_path / "run-a-figures" / "99-of-another-page.svg").touch()
    folder = write_figures(report)
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == report.read_text("utf-8").count("<svg ")
    assert names[:2] == ["01-leaders-and-epochs.svg", "02-t-0-in-sync-replicas.svg"]
    for name in names:
        text = (folder / name).read_text("utf-8")
        picture = ElementTree.fromstring(text)
        assert picture.tag == "{http://www.w3.org/2000/svg}svg" and len(picture) > 3
        assert "var(" not in text and "class=" not in text.replace('class="h"', "")
