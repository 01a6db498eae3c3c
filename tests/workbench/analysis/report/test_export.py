"""Tables for other programs and for the console."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.traces.made_report import made_run
from workbench.analysis.report.console import print_report, print_rows
from workbench.analysis.report.export import write_csv, write_json
from workbench.analysis.report.rows import split


def test_a_line_of_csv_cannot_become_a_formula_and_lists_are_json(tmp_path: Path) -> None:
    (tmp_path / "_schema.json").write_text(json.dumps({"fields": [{"name": name} for name in ("a", "b", "c", "d")]}))
    out = io.StringIO()
    write_csv(tmp_path, [{"a": "=1+1", "b": [1, 2], "c": None, "d": "x\x1by"}], out)
    assert out.getvalue() == 'a,b,c,d\n\'=1+1,"[1, 2]",,x\u241by\n'


def test_a_table_without_rows_has_its_header(tmp_path: Path) -> None:
    (tmp_path / "_schema.json").write_text(json.dumps({"fields": [{"name": "a"}, {"name": "b"}]}))
    out = io.StringIO()
    write_csv(tmp_path, [], out)
    assert out.getvalue() == "a,b\n"


def test_json_is_one_array_in_ascii() -> None:
    out = io.StringIO()
    write_json([{"a": datetime(2026, 1, 2, tzinfo=UTC), "b": [1], "c": "\u00e9\x1b"}], out)
    assert json.loads(out.getvalue()) == [{"a": "2026-01-02T00:00:00+00:00", "b": [1], "c": "\u00e9\x1b"}]
    assert out.getvalue().isascii() and "\x1b" not in out.getvalue()


def test_the_console_shows_runs_and_tables_and_nothing_a_terminal_would_obey(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = made_run()
    tables["runs"][0]["title"] = "A \x1b[31mlesson [bold]"
    print_report(split(tables), tmp_path / "report.html", tmp_path / "tables")
    print_rows("runs", tables["runs"])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    for text in ("[bold]", "Availability", "kill 1", f"page: {tmp_path}/report.html"):
        assert text in told
